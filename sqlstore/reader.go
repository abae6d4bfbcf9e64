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
	sel, err := s.selectReaders(ctx, &a, q)
	if err != nil {
		return nil, err
	}
	tail := usersByName.page(&a, &sel, userKey(q.After), q.Limit)
	return collect(ctx, s.read, "list readers", scanReader, sel.text(readerColumns, tail), s.plannedFor(a)...)
}

// CountReaders counts the readers that match, whatever q.Limit and q.After.
func (s *Store) CountReaders(ctx context.Context, q library.ReaderQuery) (int, error) {
	var a arguments
	sel, err := s.selectReaders(ctx, &a, q)
	if err != nil {
		return 0, err
	}
	if len(q.Terms) > 0 { // they have been found by now
		return s.countAnew(ctx, sel.text(`count(*)`, ""), a)
	}
	return s.count(ctx, sel.text(`count(*)`, ""), a)
}

func (s *Store) selectReaders(ctx context.Context, a *arguments, q library.ReaderQuery) (selection, error) {
	sel := selection{from: `users`}
	if len(q.Terms) > 0 {
		named, err := s.readersNamed(ctx, q)
		if err != nil {
			return selection{}, err
		}
		found := `id ` + s.dialect.among(a.add(s.dialect.list(named))) + cardConditions(a, q.Cards)
		if q.Email != "" {
			found += ` OR email_key = ` + a.add(library.EmailKey(q.Email))
		}
		sel.where = append(sel.where, `(`+found+`)`)
	}
	sel.where = append(sel.where, `email_key NOT LIKE '`+library.ServiceAddress+`%'`)
	if q.Card != "" {
		sel.where = append(sel.where, `card = `+a.add(q.Card))
	}
	return sel, nil
}

// readersNamed returns the identifiers of the readers whose names have the terms.
// The index of users has the words of their addresses, too, which nobody is to find
// out here: it tells who may be meant, and then their names are looked at.
func (s *Store) readersNamed(ctx context.Context, q library.ReaderQuery) ([]string, error) {
	var a arguments
	people, err := collect(ctx, s.read, "find readers", func(r row) (p library.Person, err error) {
		err = r.Scan(&p.ID, &p.FirstName, &p.LastName)
		return p, err
	}, `SELECT id, first_name, last_name FROM users WHERE seq IN (`+s.dialect.findUsers(&a, q.Terms)+`)`, a...)
	named := []string{}
	for _, p := range people {
		if q.FindsName(p) {
			named = append(named, p.ID)
		}
	}
	return named, err
}

func scanReader(record row) (library.Reader, error) {
	var r library.Reader
	err := record.Scan(&r.ID, &r.FirstName, &r.LastName, &r.Version, &r.Card, &r.Loans, &r.Overdue, &r.Holds)
	return r, err
}
