package service

import (
	"cmp"
	"context"
	"time"

	"example.org/library"
)

// Effective is the policy for one person and one book as of now.
type Effective struct {
	library.Terms
	Reader library.Reader // with what the person has
	BookID string
	Due    library.Ruled[time.Time] // of a loan made now
}

// Effective returns the policy for a user, the actor if userID is "", and a book.
func (s *Service) Effective(ctx context.Context, a library.Actor, userID, bookID string) (Effective, error) {
	if userID == "" {
		userID = a.User.ID
	}
	if err := a.Authorize(library.Read); err != nil || !a.Sees(library.Person{ID: userID}) {
		return Effective{}, cmp.Or(err, a.Authorize(library.Oversee))
	}
	u, err := s.store.User(ctx, userID)
	if err == nil && u.Station { // which is nobody to others
		err = library.ErrUserNotFound
	}
	if err != nil {
		return Effective{}, err
	}
	b, err := s.store.Book(ctx, bookID, "")
	if err != nil {
		return Effective{}, err
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return Effective{}, err
	}
	now := s.now()
	r := library.Reader{Person: library.Person{ID: u.ID}, Category: u.Category}
	if r.LoansOfKind, r.HoldsOfKind, err = s.store.CountKinds(ctx, userID, now); err != nil {
		return Effective{}, err
	}
	for kind, n := range r.LoansOfKind { // both have the same kinds
		r.Loans += n
		r.Holds += r.HoldsOfKind[kind]
	}
	t := p.Terms(u.Category, b.Kind, p.Day(now))
	return Effective{Terms: t, Reader: r, BookID: b.ID, Due: p.DueDate(t, now)}, nil
}
