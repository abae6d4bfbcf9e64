package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

const youngAnswer = ` FROM idempotency_keys WHERE key = $1 AND created_at > $2`

// SavedResponse returns the saved response of an idempotency key.
func (s *Store) SavedResponse(ctx context.Context, key library.Digest, after time.Time) (*library.SavedResponse, error) {
	k, err := engine.ReadOne(ctx, s.db, "read saved response", func(r engine.Row) (library.SavedResponse, error) {
		k := library.SavedResponse{Key: key}
		var fingerprint []byte
		var at int64
		err := r.Scan(&k.Caller, &fingerprint, &k.Role, &k.ForStaff, &k.Response, &at)
		copy(k.Fingerprint[:], fingerprint)
		k.At = engine.FromMicro(at)
		return k, err
	}, `SELECT user_id, fingerprint, role, for_staff, response, created_at`+youngAnswer, key[:], after.UnixMicro())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &k, nil
}

// ClaimKey keeps other requests from an idempotency key.
func (t *tx) ClaimKey(ctx context.Context, key library.Digest, after time.Time) error {
	return t.sql.ClaimKey(ctx, key, after.UnixMicro())
}

// SaveResponse adds a response. The caller's oldest are removed for it, without those
// another transaction is removing, so nobody waits.
func (t *tx) SaveResponse(ctx context.Context, k library.SavedResponse, after time.Time, most int) error {
	w := writer{ctx: ctx, tx: t.sql}
	if most > 0 {
		w.exec("remove old responses", `DELETE FROM idempotency_keys WHERE key IN (
			SELECT key FROM idempotency_keys WHERE user_id = $1 AND created_at <= (
				SELECT created_at FROM idempotency_keys WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $2)`+t.dialect.ForUpdateSkipLocked+`)`,
			k.Caller, most-1)
	}
	w.expect("save response", library.ErrKeyInUse, `
		INSERT INTO idempotency_keys (key, user_id, fingerprint, role, for_staff, response, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, role = excluded.role, for_staff = excluded.for_staff,
			response = excluded.response, created_at = excluded.created_at
		WHERE idempotency_keys.created_at <= $8`,
		k.Key[:], k.Caller, k.Fingerprint[:], string(k.Role), k.ForStaff, append([]byte{}, k.Response...), k.At.UnixMicro(), after.UnixMicro())
	for _, record := range k.About { // triggers look here for the responses to forget
		w.exec("link response", `INSERT INTO idempotency_records (key, record) VALUES ($1, $2) ON CONFLICT DO NOTHING`, k.Key[:], record)
	}
	return w.err
}

// DeleteResponses removes old responses.
func (t *tx) DeleteResponses(ctx context.Context, after time.Time, most int) (int, error) {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE key IN (
		SELECT key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`, after.UnixMicro(), most)
	if err != nil {
		return 0, t.dialect.Error(ctx, "drop answers", err)
	}
	n, err := result.RowsAffected()
	return int(n), t.dialect.Error(ctx, "drop answers", err)
}
