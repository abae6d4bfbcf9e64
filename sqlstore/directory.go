package sqlstore

import (
	"cmp"
	"context"
	"database/sql"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

const (
	directoryColumns = userColumns + `, coalesce(d.user_name, users.email), coalesce(d.external_id, ''), coalesce(d.kept, ''),
		coalesce(d.adopted, false), coalesce(d.removed, false) AND NOT users.active, users.changed_at`
	directoryTables = ` FROM users LEFT JOIN directory_users d ON d.user_id = users.id`
	notRemoved      = `NOT (coalesce(d.removed, false) AND NOT users.active)`
)

// DirectoryUsers returns users as directories see them.
func (s *Store) DirectoryUsers(ctx context.Context, q library.DirectoryQuery) ([]library.DirectoryUser, error) {
	return directoryUsers(ctx, s.db, q, "")
}

// DirectoryUsers returns users as directories see them, and locks their records.
func (t *tx) DirectoryUsers(ctx context.Context, q library.DirectoryQuery) ([]library.DirectoryUser, error) {
	lock := ""
	if t.dialect.LocksRecords() {
		lock = ` FOR UPDATE OF users`
	}
	return directoryUsers(ctx, t.sql, q, lock)
}

func directoryUsers(ctx context.Context, from engine.Reader, q library.DirectoryQuery, lock string) ([]library.DirectoryUser, error) {
	var a engine.Arguments
	where := `TRUE`
	if !q.Removed {
		where = notRemoved
	}
	for _, c := range [][2]string{
		{q.ID, `users.id = `},
		{library.EmailKey(q.Email), `users.email_key = `},
		{q.ExternalID, `d.external_id = `},
	} {
		if c[0] != "" {
			where += ` AND ` + c[1] + a.Add(c[0])
		}
	}
	if q.UserName != "" { // each index by itself
		key := a.Add(library.EmailKey(q.UserName))
		where += ` AND users.id IN (SELECT user_id FROM directory_users WHERE user_name_key = ` + key + ` UNION ALL SELECT id FROM users WHERE email_key = ` + key + `)
			AND coalesce(d.user_name_key, users.email_key) = ` + key
	}
	text := `SELECT ` + directoryColumns + directoryTables + ` WHERE ` + where + ` ORDER BY users.created_at, users.id` + page(q)
	return engine.Collect(ctx, from, "read users for a directory", scanDirectoryUser, text+lock, a...)
}

func scanDirectoryUser(r engine.Row) (u library.DirectoryUser, err error) {
	var kept string
	var changed int64
	u.User, err = scanUser(r, &u.UserName, &u.ExternalID, &kept, &u.Adopted, &u.Removed, &changed)
	u.Kept, u.Changed = []byte(kept), engine.FromMicro(cmp.Or(changed, u.Created.UnixMicro()))
	return u, err
}

// CountDirectoryUsers counts the users known to directories.
func (s *Store) CountDirectoryUsers(ctx context.Context) (int, error) {
	return engine.ReadOne(ctx, s.db, "count users for a directory", engine.ScanNumber, `SELECT count(*)`+directoryTables+` WHERE `+notRemoved)
}

// SaveDirectoryUser writes the fields of a record for directories.
func (t *tx) SaveDirectoryUser(ctx context.Context, u library.DirectoryUser) error {
	key := sql.NullString{String: library.EmailKey(u.UserName), Valid: u.UserName != ""}
	_, err := t.sql.ExecContext(ctx, `
		INSERT INTO directory_users (user_id, user_name, user_name_key, external_id, kept, adopted, removed)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id) DO UPDATE SET user_name = excluded.user_name, user_name_key = excluded.user_name_key,
			external_id = excluded.external_id, kept = excluded.kept, adopted = excluded.adopted, removed = excluded.removed`,
		u.ID, engine.TextOrNull(u.UserName), key, engine.TextOrNull(u.ExternalID), string(u.Kept), u.Adopted, u.Removed)
	return t.dialect.Error(ctx, "write a user for a directory", err)
}
