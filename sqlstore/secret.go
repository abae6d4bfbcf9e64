package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"

	"example.org/library/sqlstore/engine"
)

const (
	secretSize    = 32 // bytes
	theSecret     = `SELECT secret FROM secrets WHERE name = $1`
	readingSecret = "read a secret"
)

// Secret returns random bytes. All processes of this library share them under a
// name, and the first process makes them.
func (s *Store) Secret(ctx context.Context, name string) ([]byte, error) {
	text, err := engine.ReadOne(ctx, s.db.Direct(), readingSecret, engine.ScanText, theSecret, name)
	if errors.Is(err, sql.ErrNoRows) {
		fresh := make([]byte, secretSize)
		rand.Read(fresh) // never fails
		if _, err := s.db.Direct().ExecContext(ctx, `INSERT INTO secrets (name, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, hex.EncodeToString(fresh)); err != nil {
			return nil, s.dialect.Error(ctx, "make a secret", err)
		}
		text, err = engine.ReadOne(ctx, s.db.Direct(), readingSecret, engine.ScanText, theSecret, name)
	}
	if err != nil {
		return nil, err
	}
	return hex.DecodeString(text)
}
