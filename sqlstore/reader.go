package sqlstore

import (
	"context"

	"example.org/library"
)

// readerColumns are those of a user as the desk sees one, readerCounts what the
// user has at the time $1.
const (
	readerColumns = `users.id, users.first_name, users.last_name, users.version, coalesce(users.card, ''), ` + readerCounts
	readerCounts  = `(SELECT count(*) FROM loans WHERE user_id = users.id AND returned_at IS NULL),
	(SELECT count(*) FROM loans WHERE user_id = users.id AND returned_at IS NULL AND due_at < $1),
	(SELECT count(*) FROM holds WHERE user_id = users.id AND ended_at IS NULL AND (until_at IS NULL OR until_at >= $1))`
)

// Readers returns up to q.Limit readers after q.After, by name.
func (s *Store) Readers(ctx context.Context, q library.ReaderQuery) ([]library.Reader, error) {
	a := arguments{q.Now.UnixMicro()}
	sel := selectReaders(&s.dialect, &a, q)
	tail := usersByName.page(&a, &sel, userKey(q.After), q.Limit)
	return collect(ctx, s.read, "list readers", scanReader, sel.text(readerColumns, tail), s.plannedFor(a)...)
}

// CountReaders counts the readers that match, whatever q.Limit and q.After.
func (s *Store) CountReaders(ctx context.Context, q library.ReaderQuery) (int, error) {
	var a arguments
	sel := selectReaders(&s.dialect, &a, q)
	return s.count(ctx, sel.text(`count(*)`, ""), a)
}

func selectReaders(d *dialect, a *arguments, q library.ReaderQuery) selection {
	sel := selectUsers(d, a, q.UserQuery)
	sel.where = append(sel.where, `email_key NOT LIKE '`+library.ServiceAddress+`%'`)
	if q.Card != "" {
		sel.where = append(sel.where, `card = `+a.add(q.Card))
	}
	return sel
}

func scanReader(record row) (library.Reader, error) {
	var r library.Reader
	err := record.Scan(&r.ID, &r.FirstName, &r.LastName, &r.Version, &r.Card, &r.Loans, &r.Overdue, &r.Holds)
	return r, err
}
