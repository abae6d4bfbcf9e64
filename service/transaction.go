package service

import (
	"context"
	"errors"

	"example.org/library"
)

// scope names the records to lock before checking the caller, in this order. Every transaction locks
// in the same order.
type scope struct {
	lock   library.Lock // 0 for none
	book   string       // identifier; "" for none
	reader string       // identifier of the borrower or holder; "" for the caller
	alone  bool         // see library.Load

	batch func(library.Tx) error // locks several books and people; nil for none
}

// change makes every change of the library. It runs fn in a transaction, after checking that the actor
// may do p now; the actor's record stays locked to the end. fn gets the circulation of the locked
// book, if any.
func (s *Service) change(ctx context.Context, a library.Actor, p library.Permission, locks scope, fn func(library.Tx, library.Actor, library.Circulation) error) error {
	if !library.CanBeEmail(a.User.Email) {
		return library.ErrCallerGone
	}
	if locks.reader == a.User.ID {
		locks.reader = ""
	}
	return s.store.Tx(ctx, func(tx library.Tx) error {
		if locks.lock != 0 {
			if err := tx.Lock(ctx, locks.lock); err != nil {
				return err
			}
		}
		if locks.batch != nil {
			if err := locks.batch(tx); err != nil {
				return err
			}
		}
		u, c, err := tx.Load(ctx, library.Load{Caller: a.User.Email, Book: locks.book, Reader: locks.reader, Now: s.now(), Alone: locks.alone})
		if err != nil {
			return callerError(err)
		}
		announceCaller(ctx, a, u)
		caller, err := a.Reauthorize(u, p)
		if err != nil {
			return err
		}
		if err := s.claimKey(ctx, tx, caller); err != nil {
			return err
		}
		if locks.book != "" && c == nil {
			return library.ErrBookNotFound
		}
		if c == nil {
			c = &library.Circulation{}
		}
		if err := fn(tx, caller, *c); err != nil {
			return err
		}
		return a.CheckCredentials() // fn may have waited for other records
	})
}

// changeTo is change with a result, for the response. fn also saves the result for a repeated request.
func changeTo[T any](ctx context.Context, s *Service, a library.Actor, p library.Permission, locks scope, fn func(library.Tx, library.Actor, library.Circulation) (T, error)) (T, error) {
	var result T
	err := s.change(ctx, a, p, locks, func(tx library.Tx, caller library.Actor, c library.Circulation) (err error) {
		result, err = fn(tx, caller, c)
		return err
	})
	if err != nil {
		return *new(T), err
	}
	return result, nil
}

// addRecord is changeTo for a new record.
func addRecord[T any](ctx context.Context, s *Service, a library.Actor, p library.Permission, record T, write func(library.Tx) error, about ...string) (T, error) {
	return changeTo(ctx, s, a, p, scope{}, func(tx library.Tx, caller library.Actor, _ library.Circulation) (T, error) {
		if err := write(tx); err != nil {
			return record, err
		}
		return record, s.saveResponse(ctx, tx, caller, p, record, about...)
	})
}

// Recheck returns nil if the actor still may do p and has the same view. Long responses call it.
func (s *Service) Recheck(ctx context.Context, a library.Actor, p library.Permission) error {
	u, _, err := s.Caller(ctx, a.User.Email)
	if err != nil {
		return callerError(err)
	}
	caller, err := a.Reauthorize(u, p)
	if err == nil && caller.ViewKey() != a.ViewKey() {
		return library.ErrForbidden
	}
	return err
}

func callerError(err error) error {
	if errors.Is(err, library.ErrUserNotFound) {
		return library.ErrCallerGone
	}
	return err
}

// announceCaller gives the loaded user to the credentials and to the idempotent request.
func announceCaller(ctx context.Context, a library.Actor, u library.User) {
	if !a.Is(u) {
		return
	}
	if a.Credentials != nil {
		a.Credentials.Loaded(u)
	}
	if r := idempotent(ctx); r != nil {
		r.caller = u
	}
}
