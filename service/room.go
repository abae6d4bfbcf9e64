package service

import (
	"context"

	"example.org/library"
	"example.org/library/internal/isbn"
)

// The door for parts of the domain with records of their own, such as package stocktake: they make changes as this
// package does, and change copies and loans only through the rules.

// Save saves the result of a change for a repeated request. About names the loans and holds in it.
type Save = func(result any, about ...string) error

// Change runs fn in a transaction with a lock, 0 for none, after checking that the actor may do p now.
func Change[T any](ctx context.Context, s *Service, a library.Actor, p library.Permission, lock library.Lock, fn func(library.Tx, Save) (T, error)) (T, error) {
	return changeTo(ctx, s, a, p, scope{lock: lock}, func(tx library.Tx, caller library.Actor, _ library.Circulation) (T, error) {
		return fn(tx, func(result any, about ...string) error { return s.saveResponse(ctx, tx, caller, p, result, about...) })
	})
}

// DecideAbout asks a rule about a book inside a transaction, and saves its decision.
func (s *Service) DecideAbout(ctx context.Context, tx library.Tx, bookID string, r library.Rule) (library.Decision, error) {
	_, c, err := tx.Load(ctx, library.Load{Book: bookID, Now: s.now()})
	if err == nil && c == nil {
		err = library.ErrBookNotFound
	}
	if err != nil {
		return library.Decision{}, err
	}
	return s.decide(ctx, tx, *c, s.now(), r)
}

// BooksByISBN returns the books of an ISBN, none for any other code.
func (s *Service) BooksByISBN(ctx context.Context, a library.Actor, code string) ([]library.Book, error) {
	number := isbn.Key(code)
	if number == "" || len(code) > library.MaxISBN {
		return nil, nil
	}
	books, err := s.store.Books(ctx, library.BookQuery{ISBN: number, Order: library.ByTitle, Limit: maxScanned, Viewer: a.User.ID})
	for i := range books {
		books[i] = s.show(a, books[i])
	}
	return books, err
}
