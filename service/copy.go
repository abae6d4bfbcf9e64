package service

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// Copy returns one copy, for staff.
func (s *Service) Copy(ctx context.Context, a library.Actor, id string) (library.Copy, error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return library.Copy{}, err
	}
	c, err := s.store.Copy(ctx, id)
	if err != nil {
		return library.Copy{}, err
	}
	return s.showCopy(ctx, c)
}

// Copies lists the copies of a book, for staff.
func (s *Service) Copies(ctx context.Context, a library.Actor, bookID string) ([]library.Copy, error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return nil, err
	}
	if _, err := s.store.Book(ctx, bookID, a.User.ID); err != nil {
		return nil, err
	}
	copies, err := s.store.Copies(ctx, bookID)
	if err != nil {
		return nil, err
	}
	return copies, s.showCopies(ctx, copies)
}

// copiesAhead is how many copies of a whole list are found at once: each time may sort all of them.
const copiesAhead = 10_000

// AllCopies lists the copies of all books by shelf, for staff. A day seenBefore begins in the zone of the library.
func (s *Service) AllCopies(ctx context.Context, a library.Actor, q library.CopyQuery, seenBefore *library.Date) (List[library.Copy], error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return List[library.Copy]{}, err
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return List[library.Copy]{}, err
	}
	q.Now = s.now()
	if seenBefore != nil {
		q.SeenBefore = p.DayBegins(*seenBefore)
	}
	return pagination.Read(pager[library.Copy]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountCopies(ctx, q) },
		Read: func(limit, _ int, after *library.Cursor) ([]library.Copy, error) {
			q.Limit, q.After = limit, after
			return s.store.ListCopies(ctx, q)
		},
		Ahead: copiesAhead,
		ReadKeys: func(limit int, after *library.Cursor) ([]library.Copy, error) {
			q.Limit, q.After = limit, after
			return s.store.CopyPlaces(ctx, q)
		},
		ReadIDs: func(ids []string) ([]library.Copy, error) {
			return s.store.ListCopies(ctx, library.CopyQuery{IDs: ids, Now: q.Now})
		},
		ID: func(c library.Copy) string { return c.ID },
		Show: func(c library.Copy) library.Copy {
			if c.Loan != nil {
				c.Loan = new(c.Loan.Judged(p, q.Now))
			}
			return c
		},
		Bytes:  library.Copy.Weight,
		Cursor: library.Copy.Cursor,
	})
}

// CopiesOf returns the copies of some books by the identifier of the book, without their loans
// and holds, for staff.
func (s *Service) CopiesOf(ctx context.Context, a library.Actor, bookIDs []string) (map[string][]library.Copy, error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return nil, err
	}
	copies, err := s.store.CopiesOf(ctx, bookIDs)
	out := map[string][]library.Copy{}
	for _, c := range copies {
		out[c.BookID] = append(out[c.BookID], c)
	}
	return out, err
}

// showCopies sets the fields of loans that depend on the time, the policy and the queue.
func (s *Service) showCopies(ctx context.Context, copies []library.Copy) error {
	if !slices.ContainsFunc(copies, func(c library.Copy) bool { return c.Loan != nil }) {
		return nil
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return err
	}
	now := s.now()
	loans, err := s.store.Loans(ctx, library.LoanQuery{Filter: library.OpenLoans, BookID: copies[0].BookID, Now: now, Limit: library.MaxCopies})
	if err != nil {
		return err
	}
	for i := range copies {
		for _, l := range loans {
			if lent := copies[i].Loan; lent != nil && lent.ID == l.ID {
				l = l.Judged(p, now)
				copies[i].Loan = &l
			}
		}
	}
	return nil
}

func (s *Service) showCopy(ctx context.Context, c library.Copy) (library.Copy, error) {
	one := []library.Copy{c}
	err := s.showCopies(ctx, one)
	return one[0], err
}

// AddCopy adds a copy to a book. An empty id asks for a new one. If the book has a queue, the copy is
// set aside for its first hold.
func (s *Service) AddCopy(ctx context.Context, a library.Actor, bookID, id string, f library.CopyFields) (library.Copy, error) {
	if err := cmp.Or(a.Precheck(library.Curate), f.Normalize()); err != nil {
		return library.Copy{}, err
	}
	added := library.Copy{ID: orNewID(id), BookID: bookID, CopyFields: f, Version: library.NewVersion()}
	return circulate(ctx, s, a, library.Curate, scope{book: bookID}, func(c library.Circulation, now time.Time) (library.Decision, error) {
		added.Created = now
		return c.AddCopy(added, now)
	}, presentCopy)
}

// EditCopy replaces a copy's fields. It fails with ErrOutdated unless pre accepts the replaced
// version.
func (s *Service) EditCopy(ctx context.Context, a library.Actor, id string, f library.CopyFields, pre library.Precondition) (library.Copy, error) {
	if err := cmp.Or(a.Precheck(library.Curate), f.Normalize()); err != nil {
		return library.Copy{}, err
	}
	edited, err := s.onCopy(ctx, a, id, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.EditCopy(id, f, pre, now)
	})
	if err != nil {
		return library.Copy{}, err
	}
	if shown, err := s.showCopy(ctx, edited); err == nil {
		return shown, nil
	}
	return edited, nil // the edit is done, even if the rest could not be read
}

// RemoveCopy removes a copy, unless it is lent.
func (s *Service) RemoveCopy(ctx context.Context, a library.Actor, id string, pre library.Precondition) error {
	_, err := s.onCopy(ctx, a, id, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.RemoveCopy(id, pre, now)
	})
	return err
}

// onCopy asks a rule about the book of a copy.
func (s *Service) onCopy(ctx context.Context, a library.Actor, id string, r library.Rule) (library.Copy, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return library.Copy{}, err
	}
	found, err := s.store.Copy(ctx, id)
	if err != nil {
		return library.Copy{}, err
	}
	c, err := circulate(ctx, s, a, library.Curate, scope{book: found.BookID}, r, presentCopy)
	return c, replaceErr(err, library.ErrBookNotFound, library.ErrCopyNotFound) // both have been deleted meanwhile
}
