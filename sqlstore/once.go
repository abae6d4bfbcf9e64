package sqlstore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"time"

	"example.org/library"
)

const youngAnswer = ` FROM idempotency_keys WHERE key = $1 AND created_at > $2`

// SavedResponse returns the answer under a key.
func (s *Store) SavedResponse(ctx context.Context, key library.Digest, after time.Time) (*library.SavedResponse, error) {
	k, err := readOne(ctx, s.read, "read kept answer", func(r row) (library.SavedResponse, error) {
		k := library.SavedResponse{Key: key}
		var fingerprint []byte
		var at int64
		err := r.Scan(&k.Caller, &fingerprint, &k.Role, &k.ForStaff, &k.Response, &at)
		copy(k.Fingerprint[:], fingerprint)
		k.At = fromMicro(at)
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

// ClaimKey makes sure that nothing else is done under a key. Where statements are
// sent together, it goes with the next.
func (t *tx) ClaimKey(ctx context.Context, key library.Digest, after time.Time) error {
	if t.pipeline != nil {
		lock := int64(binary.BigEndian.Uint64(key[:]))
		t.pipeline.write(t.explain(ctx, "claim key", library.ErrKeyInUse), false, t.dialect.claimKey, []any{lock, key[:], after.UnixMicro()})
		return nil
	}
	taken, err := readOne(ctx, t.sql, "claim key", scanBool, `SELECT EXISTS (SELECT 1`+youngAnswer+`)`, key[:], after.UnixMicro())
	if err == nil && taken {
		err = library.ErrKeyInUse
	}
	return err
}

// SaveResponse adds an answer. The caller's oldest make room for it; those that
// another transaction is removing are left to it, so that nobody waits.
func (t *tx) SaveResponse(ctx context.Context, k library.SavedResponse, after time.Time, most int) error {
	w := writer{ctx: ctx, tx: t}
	if most > 0 {
		skipLocked := ""
		if t.dialect.forUpdate != "" {
			skipLocked = t.dialect.forUpdate + ` SKIP LOCKED`
		}
		w.exec("make room for answer", `DELETE FROM idempotency_keys WHERE key IN (
			SELECT key FROM idempotency_keys WHERE user_id = $1 AND created_at <= (
				SELECT created_at FROM idempotency_keys WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $2)`+skipLocked+`)`,
			k.Caller, most-1)
	}
	w.expect("keep answer", library.ErrKeyInUse, `
		INSERT INTO idempotency_keys (key, user_id, fingerprint, role, for_staff, response, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, role = excluded.role, for_staff = excluded.for_staff,
			response = excluded.response, created_at = excluded.created_at
		WHERE idempotency_keys.created_at <= $8`,
		k.Key[:], k.Caller, k.Fingerprint[:], string(k.Role), k.ForStaff, append([]byte{}, k.Response...), k.At.UnixMicro(), after.UnixMicro())
	for _, record := range k.About { // triggers look here for the answers to forget
		w.exec("link answer", `INSERT INTO idempotency_records (key, record) VALUES ($1, $2) ON CONFLICT DO NOTHING`, k.Key[:], record)
	}
	return w.err
}

// DeleteResponses removes answers that are too old.
func (t *tx) DeleteResponses(ctx context.Context, after time.Time, most int) (int, error) {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE key IN (
		SELECT key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`, after.UnixMicro(), most)
	if err != nil {
		return 0, dbError(ctx, "drop answers", err)
	}
	n, err := result.RowsAffected()
	return int(n), dbError(ctx, "drop answers", err)
}
