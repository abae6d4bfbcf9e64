package service

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// PlaceHold puts a user at the end of a book's queue: the actor if userID is "", or
// anybody for curators.
func (s *Service) PlaceHold(ctx context.Context, a library.Actor, bookID, userID string) (library.Hold, error) {
	p, err := library.Lend, error(nil)
	if userID != "" {
		p, err = a.Handles(library.Person{ID: userID})
	}
	if err != nil {
		return library.Hold{}, err
	}
	return circulate(ctx, s, a, p, scope{book: bookID, reader: userID}, library.Circulation.PlaceHold, presentHold)
}

// Hold returns one hold: one's own, or any for staff.
func (s *Service) Hold(ctx context.Context, a library.Actor, id string) (library.Hold, error) {
	h, err := s.store.Hold(ctx, id)
	if err == nil && !a.Sees(h.Holder) {
		err = library.ErrHoldNotFound
	}
	if err != nil {
		return library.Hold{}, err
	}
	return h.SeenBy(a), nil
}

// Holds lists holds: one's own, or everybody's for staff.
func (s *Service) Holds(ctx context.Context, a library.Actor, q library.HoldQuery) (List[library.Hold], error) {
	var err error
	if q.UserID, err = a.ListsOf(q.UserID); err != nil {
		return List[library.Hold]{}, err
	}
	if q.Filter == "" {
		q.Filter = library.ActiveHolds
	}
	return pagination.Read(pager[library.Hold]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountHolds(ctx, q) },
		Read: func(limit, _ int, after *library.Cursor) ([]library.Hold, error) {
			q.Limit, q.After = limit, after
			return s.store.Holds(ctx, q)
		},
		Show:   func(h library.Hold) library.Hold { return h.SeenBy(a) },
		Bytes:  library.Hold.Weight,
		Cursor: func(h library.Hold) library.Cursor { return h.Cursor(q.Filter) },
	})
}

// CancelHold ends an active hold: one's own, or any for curators.
func (s *Service) CancelHold(ctx context.Context, a library.Actor, id string) error {
	h, err := s.Hold(ctx, a, id)
	if err != nil {
		return err
	}
	p, err := a.Handles(h.Holder)
	if err != nil {
		return err
	}
	if !h.Active() {
		return library.ErrNotActive
	}
	_, err = circulate(ctx, s, a, p, scope{book: h.Book.ID, reader: h.Holder.ID}, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.CancelHold(id, now)
	}, presentHold)
	return replaceErr(err, library.ErrBookNotFound, library.ErrNotActive) // the book has been deleted meanwhile
}

// FetchHold records whether staff have fetched the copy of a ready hold from its shelf.
func (s *Service) FetchHold(ctx context.Context, a library.Actor, id string, fetched bool) (library.Hold, error) {
	if err := a.Precheck(library.Curate); err != nil {
		return library.Hold{}, err
	}
	h, err := s.store.Hold(ctx, id)
	if err != nil {
		return library.Hold{}, err
	}
	if !h.Active() {
		return library.Hold{}, library.ErrNotReady
	}
	h, err = circulate(ctx, s, a, library.Curate, scope{book: h.Book.ID, reader: h.Holder.ID}, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.FetchHold(id, fetched, now)
	}, presentHold)
	return h, replaceErr(err, library.ErrBookNotFound, library.ErrNotReady) // the book has been deleted meanwhile
}
