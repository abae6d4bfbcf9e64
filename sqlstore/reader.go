package sqlstore

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// readerColumns are those of a user as the desk sees one, readerCounts what the
// user has at the time $1.
const (
	readerColumns = `users.id, users.first_name, users.last_name, users.group_name, users.version, users.category, coalesce(users.card, ''), NOT users.active, users.station, users.note, users.block, ` + readerCounts
	readerCounts  = `(SELECT count(*) FROM loans WHERE user_id = users.id AND returned_at IS NULL), ` + overdueCount + `,
	(SELECT count(*) FROM holds WHERE user_id = users.id AND ended_at IS NULL AND (until_at IS NULL OR until_at >= $1))`
	overdueCount = `(SELECT count(*) FROM loans WHERE user_id = users.id AND returned_at IS NULL AND claimed_at IS NULL AND due_at < $1)`
)

// Readers returns up to q.Limit readers after q.After, by name.
func (s *Store) Readers(ctx context.Context, q library.ReaderQuery) ([]library.Reader, error) {
	a := engine.Arguments{q.Now.UnixMicro()}
	sel, err := s.selectReaders(ctx, &a, q)
	if err != nil {
		return nil, err
	}
	tail := usersByName.Page(&a, &sel, userKey(q.After), q.Limit)
	return engine.Collect(ctx, s.db, "list readers", scanReader, sel.Text(readerColumns, tail), s.dialect.PlannedFor(a)...)
}

// CountReaders counts the matching readers, whatever q.Limit and q.After.
func (s *Store) CountReaders(ctx context.Context, q library.ReaderQuery) (int, error) {
	var a engine.Arguments
	sel, err := s.selectReaders(ctx, &a, q)
	if err != nil {
		return 0, err
	}
	if len(q.Terms) > 0 { // they have been found by now
		return s.counts.Anew(ctx, sel.Text(`count(*)`, ""), a)
	}
	return s.counts.Cached(ctx, sel.Text(`count(*)`, ""), a)
}

func (s *Store) selectReaders(ctx context.Context, a *engine.Arguments, q library.ReaderQuery) (engine.Selection, error) {
	sel := engine.Selection{From: `users`}
	if len(q.Terms) > 0 {
		named, err := s.readersNamed(ctx, q)
		if err != nil {
			return engine.Selection{}, err
		}
		found := `id ` + s.dialect.Among(a.Add(s.dialect.List(named))) + cardConditions(a, q.Cards)
		if q.Email != "" {
			found += ` OR email_key = ` + a.Add(library.EmailKey(q.Email))
		}
		sel.Where = append(sel.Where, `(`+found+`)`)
	}
	sel.Where = append(sel.Where, `NOT station`, `email_key NOT LIKE '`+library.ServiceAddress+`%'`)
	sel.Where = append(sel.Where, narrowed(a, q.UserQuery)...)
	if q.ID != "" {
		sel.Where = append(sel.Where, `id = `+a.Add(q.ID))
	}
	if q.Card != "" {
		sel.Where = append(sel.Where, `card = `+a.Add(q.Card))
	}
	return sel, nil
}

// readersNamed returns the identifiers of the readers with the terms in their names.
// The index of users has the words of their addresses, too, which nobody is to find
// out here: it shows who may be meant, and then their names are looked at.
func (s *Store) readersNamed(ctx context.Context, q library.ReaderQuery) ([]string, error) {
	var a engine.Arguments
	people, err := engine.Collect(ctx, s.db, "find readers", func(r engine.Row) (p library.Person, err error) {
		err = r.Scan(&p.ID, &p.FirstName, &p.LastName)
		return p, err
	}, `SELECT id, first_name, last_name FROM users WHERE seq IN (`+s.dialect.FindUsers(&a, q.Terms)+`)`, a...)
	named := []string{}
	for _, p := range people {
		if q.FindsName(p) {
			named = append(named, p.ID)
		}
	}
	return named, err
}

func scanReader(record engine.Row) (library.Reader, error) {
	var r library.Reader
	err := record.Scan(&r.ID, &r.FirstName, &r.LastName, &r.Group, &r.Version, &r.Category, &r.Card, &r.Inactive, &r.Station, &r.Note, &r.Block, &r.Loans, &r.Overdue, &r.Holds)
	return r, err
}

// loansOfKinds counts the open loans and the active holds of a user $1 at the time $2, as of readerCounts, by the kind
// of the book.
const loansOfKinds = `SELECT b.kind, count(o.is_loan), count(*) - count(o.is_loan) FROM (
		SELECT book_id, 1 AS is_loan FROM loans WHERE user_id = $1 AND returned_at IS NULL
		UNION ALL SELECT book_id, NULL FROM holds WHERE user_id = $1 AND ended_at IS NULL AND (until_at IS NULL OR until_at >= $2)
	) o JOIN books b ON b.id = o.book_id GROUP BY b.kind`

func scanKinds(rows engine.Records) (loans, holds map[string]int, err error) {
	loans, holds = make(map[string]int), make(map[string]int)
	err = engine.Each(func(r engine.Row) error {
		var kind string
		var lent, held int
		err := r.Scan(&kind, &lent, &held)
		loans[kind], holds[kind] = lent, held
		return err
	})(rows)
	return loans, holds, err
}

// CountKinds returns the loans and holds of a reader by the kind of the book.
func (s *Store) CountKinds(ctx context.Context, userID string, now time.Time) (loans, holds map[string]int, err error) {
	err = s.db.Read(ctx, engine.Reading{Doing: "count kinds", Text: loansOfKinds, Args: []any{userID, now.UnixMicro()}, Scan: func(rows engine.Records) error {
		loans, holds, err = scanKinds(rows)
		return err
	}})
	return loans, holds, err
}
