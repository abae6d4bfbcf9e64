package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

const userColumns = `users.id, email, first_name, last_name, roles, users.created_at, users.version, coalesce(card, ''), locale, reminders,
	group_name, active, coalesce(subject, ''), station, managed, note, block, category`

// UserByEmail finds a caller, and the revision of the store. It is called at nearly
// every request. Users are cached until a user changes, and the slices of their roles
// are shared.
func (s *Store) UserByEmail(ctx context.Context, email string) (library.User, library.Revision, error) {
	key := library.EmailKey(email)
	return s.cachedUser(ctx, &s.users, userByEmail, key)
}

// UserBySubject finds the user of a subject, as UserByEmail does.
func (s *Store) UserBySubject(ctx context.Context, subject string) (library.User, library.Revision, error) {
	return s.cachedUser(ctx, &s.subjects, userBySubject, subject)
}

func (s *Store) cachedUser(ctx context.Context, cache *revcache.Cache[string, library.User], text, key string) (library.User, library.Revision, error) {
	at, err := s.db.Revision(ctx)
	if err != nil {
		return library.User{}, library.Revision{}, err
	}
	u, ok := cache.Get(at, key)
	if !ok {
		if u, err = readUser(ctx, s.db, text, key); err != nil {
			return library.User{}, library.Revision{}, err
		}
		cache.Put(at, key, u, 1)
	}
	return u, at, nil
}

// User returns one user.
func (s *Store) User(ctx context.Context, id string) (library.User, error) {
	return readUser(ctx, s.db, oneUser, id)
}

const (
	oneUser       = `SELECT ` + userColumns + ` FROM users WHERE id = $1`
	userByEmail   = `SELECT ` + userColumns + ` FROM users WHERE email_key = $1`
	userBySubject = `SELECT ` + userColumns + ` FROM users WHERE subject = $1 AND subject IS NOT NULL`
)

// User returns one user and locks the record until the end of the transaction.
func (t *tx) User(ctx context.Context, id string) (library.User, error) {
	return readUser(ctx, t.sql, oneUser+t.dialect.ForUpdate, id)
}

// LoginUsers returns the user of a subject and the user of an e-mail address, and locks
// their records.
func (t *tx) LoginUsers(ctx context.Context, subject, email string) (bySubject, byEmail library.User, err error) {
	if bySubject, err = readUser(ctx, t.sql, userBySubject+t.dialect.ForUpdate, subject); err != nil && !errors.Is(err, library.ErrUserNotFound) {
		return bySubject, byEmail, err
	}
	if byEmail, err = readUser(ctx, t.sql, userByEmail+t.dialect.ForUpdate, library.EmailKey(email)); errors.Is(err, library.ErrUserNotFound) {
		err = nil
	}
	return bySubject, byEmail, err
}

// BindUser ties a user to a subject, or unties the user. Either way the user's open streams
// may be somebody else's.
func (t *tx) BindUser(ctx context.Context, id, subject string) error {
	result, err := t.sql.ExecContext(ctx, `UPDATE users SET subject = $2 WHERE id = $1`, id, engine.TextOrNull(subject))
	if err != nil {
		return t.userError(ctx, "tie user", err)
	}
	t.changes.everything = true
	t.changes.userLeft(id)
	return t.dialect.Error(ctx, "tie user", expectOne(result, library.ErrUserNotFound))
}

// HasAdmin reports whether somebody else than the user is an admin.
func (t *tx) HasAdmin(ctx context.Context, otherThan string) (bool, error) {
	return engine.ReadOne(ctx, t.sql, "look for admins", engine.ScanBool,
		`SELECT EXISTS (SELECT 1 FROM users WHERE id <> $1 AND active AND NOT station AND roles LIKE $2)`,
		otherThan, isAdmin)
}

// FindUsers returns the users with one of the keys.
func (s *Store) FindUsers(ctx context.Context, keys library.UserKeys) (library.FoundUsers, error) {
	return findUsers(ctx, s.db, s.dialect, keys, "")
}

// FindUsers returns the users with one of the keys, and locks them until the end of
// the transaction.
func (t *tx) FindUsers(ctx context.Context, keys library.UserKeys) (library.FoundUsers, error) {
	return findUsers(ctx, t.sql, t.dialect, keys, t.dialect.ForUpdate)
}

// findUsers asks each index by itself, as findBooksText does, and locks in one order.
func findUsers(ctx context.Context, q engine.Reader, d *engine.Dialect, keys library.UserKeys, lock string) (found library.FoundUsers, err error) {
	var a engine.Arguments
	text := `SELECT ` + userColumns + ` FROM users WHERE id IN (
			SELECT id FROM users WHERE email_key ` + d.Among(a.Add(d.List(keys.Emails))) + `
			UNION SELECT id FROM users WHERE card ` + d.Among(a.Add(d.List(keys.Cards))) + `)
		ORDER BY id` + lock
	found.Users, err = engine.Collect(ctx, q, "find users", func(r engine.Row) (library.User, error) { return scanUser(r) }, text, append(slices.Clip(d.PlanOptions), a...)...)
	if err != nil || !slices.ContainsFunc(found.Users, func(u library.User) bool { return slices.Contains(u.Roles, library.RoleAdmin) }) {
		return found, err
	}
	ids := make([]string, len(found.Users))
	for i, u := range found.Users {
		ids[i] = u.ID
	}
	a = nil
	text = `SELECT EXISTS (SELECT 1 FROM users WHERE active AND NOT station AND NOT (id ` + d.Among(a.Add(d.List(ids))) + `) AND roles LIKE ` + a.Add(isAdmin) + `)`
	found.OtherAdmin, err = engine.ReadOne(ctx, q, "look for admins", engine.ScanBool, text, append(slices.Clip(d.PlanOptions), a...)...)
	return found, err
}

// isAdmin is the pattern of the roles of an admin.
const isAdmin = `%"` + string(library.RoleAdmin) + `"%`

func readUser(ctx context.Context, q engine.Reader, text, key string) (library.User, error) {
	u, err := engine.ReadOne(ctx, q, "read user", func(r engine.Row) (library.User, error) { return scanUser(r) }, text, key)
	if errors.Is(err, sql.ErrNoRows) {
		return library.User{}, library.ErrUserNotFound
	}
	return u, err
}

// scanUser reads the userColumns of a row, and the columns after them.
func scanUser(record engine.Row, more ...any) (library.User, error) {
	var r userRow
	if err := record.Scan(append(r.dest(), more...)...); err != nil {
		return library.User{}, err
	}
	return r.user()
}

// userRow is the userColumns of a row.
type userRow struct {
	library.User
	roles     []byte
	created   int64
	reminders bool
	active    bool
}

func (r *userRow) dest() []any {
	return []any{&r.ID, &r.Email, &r.FirstName, &r.LastName, &r.roles, &r.created, &r.Version, &r.Card, &r.Locale, &r.reminders,
		&r.Group, &r.active, &r.Subject, &r.Station, &r.Managed, &r.Note, &r.Block, &r.Category}
}

func (r *userRow) user() (u library.User, err error) {
	u = r.User
	u.Created, u.Silent, u.Inactive = engine.FromMicro(r.created), !r.reminders, !r.active
	u.Roles, err = engine.ParseList[library.Role](r.roles)
	return u, err
}

// AddUser adds a user.
func (t *tx) AddUser(ctx context.Context, u library.User) error {
	_, err := t.sql.ExecContext(ctx, `
		INSERT INTO users (id, email, email_key, first_name, first_name_key, last_name, last_name_key,
			roles, search_words, version, card, locale, reminders, group_name, group_key, active, station, note, block, category, category_key,
			created_at, subject)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
		append(userValues(u), u.Created.UnixMicro(), engine.TextOrNull(u.Subject))...)
	t.changes.everything = true
	return t.userError(ctx, "add user", err)
}

// UpdateUser replaces the fields of a user.
func (t *tx) UpdateUser(ctx context.Context, u library.User) error {
	before, err := readUser(ctx, t.sql, oneUser+t.dialect.ForUpdate, u.ID)
	if err != nil {
		return err
	}
	result, err := t.sql.ExecContext(ctx, `
		UPDATE users SET email = $2, email_key = $3, first_name = $4, first_name_key = $5,
			last_name = $6, last_name_key = $7, roles = $8, search_words = $9, version = $10,
			card = $11, locale = $12, reminders = $13, group_name = $14, group_key = $15, active = $16, station = $17,
			note = $18, block = $19, category = $20, category_key = $21, changed_at = $22
		WHERE id = $1`,
		append(userValues(u), time.Now().UnixMicro())...)
	if err != nil {
		return t.userError(ctx, "update user", err)
	}
	if before.Inactive && !u.Inactive { // a directory sees the user again
		if _, err := t.sql.ExecContext(ctx, `UPDATE directory_users SET removed = FALSE WHERE user_id = $1`, u.ID); err != nil {
			return t.dialect.Error(ctx, "update user", err)
		}
	}
	t.changes.everything = true
	isOff := u.Inactive && !before.Inactive || u.Station && !before.Station
	if isOff || library.EmailKey(before.Email) != library.EmailKey(u.Email) {
		t.changes.userLeft(u.ID)
	}
	if isOff || u.Silent && !before.Silent {
		if err := t.DropNotices(ctx, u); err != nil {
			return err
		}
	}
	return t.dialect.Error(ctx, "update user", expectOne(result, library.ErrUserNotFound))
}

func userValues(u library.User) []any {
	return []any{
		u.ID, u.Email, library.EmailKey(u.Email), u.FirstName, fulltext.Fold(u.FirstName),
		u.LastName, fulltext.Fold(u.LastName), engine.FormatList(u.Roles), engine.JoinWords(u.SearchWords()), u.Version,
		engine.TextOrNull(u.Card), cmp.Or(u.Locale, library.Locales[0]), !u.Silent,
		u.Group, library.GroupKey(u.Group), !u.Inactive, u.Station, u.Note, u.Block, u.Category, library.CategoryKey(u.Category),
	}
}

func (t *tx) userError(ctx context.Context, doing string, err error) error {
	d := t.dialect.Diagnose(err)
	switch {
	case d.Kind != engine.UniqueViolation:
		return t.dialect.Error(ctx, doing, err)
	case d.Constraint == engine.UsersEmailKey:
		return library.ErrEmailTaken
	case d.Constraint == engine.UsersCard:
		return library.ErrCardTaken
	case d.Constraint == engine.UsersSubject:
		return library.ErrSubjectTaken
	default:
		return library.ErrIdentifierTaken
	}
}

// DeleteUser deletes a user. Past loans and holds stay, and forget the person.
func (t *tx) DeleteUser(ctx context.Context, id string) error {
	if err := t.beforeForgetting(ctx); err != nil {
		return err
	}
	result, err := t.sql.ExecContext(ctx, `DELETE FROM users WHERE id = $1`, id)
	if err != nil {
		return t.dialect.Error(ctx, "delete user", err)
	}
	t.changes.everything = true
	t.changes.userLeft(id)
	return t.dialect.Error(ctx, "delete user", expectOne(result, library.ErrUserNotFound))
}
