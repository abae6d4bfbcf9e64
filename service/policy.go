package service

import (
	"cmp"
	"context"
	"time"

	"example.org/library"
)

// Policy returns the rules of the library.
func (s *Service) Policy(ctx context.Context, a library.Actor) (library.Policy, error) {
	if err := a.Authorize(library.Begin); err != nil {
		return library.Policy{}, err
	}
	return s.store.Policy(ctx)
}

// moveEndsFor is the timeout for a change of the time zone: it writes every loan with a due date.
const moveEndsFor = time.Minute

// SetPolicy replaces the rules, for new loans and renewals. Due dates keep their day and get the new
// time zone: they move to the end of that day there. It fails with ErrOutdated unless pre accepts the
// replaced version.
func (s *Service) SetPolicy(ctx context.Context, a library.Actor, p library.Policy, pre library.Precondition) (library.Policy, error) {
	if err := cmp.Or(a.Precheck(library.Administer), p.Normalize()); err != nil {
		return library.Policy{}, err
	}
	before, err := s.store.Policy(ctx)
	if err == nil {
		err = p.CheckUntil(before, s.now())
	}
	if err != nil {
		return library.Policy{}, err
	}
	if before.TimeZone != p.TimeZone {
		ctx = library.WithStoreTimeout(ctx, moveEndsFor)
	}
	err = s.change(ctx, a, library.Administer, scope{}, func(tx library.Tx, _ library.Actor, _ library.Circulation) error {
		old, err := tx.Policy(ctx)
		if err != nil {
			return err
		}
		if !pre.Accepts(old.Version) {
			return library.ErrOutdated
		}
		p.Version = library.NewVersion()
		if old.TimeZone == p.TimeZone {
			return tx.SavePolicy(ctx, p)
		}
		// Wait for loans begun under the old zone.
		if err := tx.Lock(ctx, library.PolicyLock); err != nil {
			return err
		}
		if err := tx.SavePolicy(ctx, p); err != nil {
			return err
		}
		ends, err := tx.Ends(ctx)
		if err != nil {
			return err
		}
		return tx.MoveEnds(ctx, old.MoveEnds(p, ends))
	})
	return p, err
}
