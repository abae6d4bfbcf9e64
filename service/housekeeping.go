package service

import (
	"context"
	"time"

	"example.org/library"
)

// Housekeeping is the work that becomes due without a request: holds not fetched in time expire, past
// loans forget their person, saved responses become too old, ended sessions too, and reminders are due. Every process
// looks for it, but one at a time does it.

// Housekeeping is the result of a run.
type Housekeeping struct {
	Ran       bool          // false if another process has the lock
	Behind    time.Duration // delay of the first expired hold
	Settled   int           // books
	Forgotten int           // loans and holds that forgot their person
	Dropped   int           // saved responses, too old
	Noticed   int           // reminders written
}

// settleAtOnce limits one search for unsettled books. Each book is settled in a transaction of its
// own.
const settleAtOnce = 100

// housekeepingTimeout bounds each transaction; no caller waits for it.
const housekeepingTimeout = 15 * time.Second

// RunHousekeeping does the work due now, in small transactions.
func (s *Service) RunHousekeeping(ctx context.Context) (Housekeeping, error) {
	ctx = library.WithStoreTimeout(ctx, housekeepingTimeout)
	var done Housekeeping
	ran, err := s.store.Alone(ctx, library.HousekeepingLock, func(ctx context.Context) error {
		if err := s.settleBooks(ctx, &done); err != nil {
			return err
		}
		if err := s.forgetHistory(ctx, &done); err != nil {
			return err
		}
		if err := s.deleteResponses(ctx, &done); err != nil {
			return err
		}
		if err := s.writeReminders(ctx, &done); err != nil {
			return err
		}
		if err := s.deleteNotices(ctx); err != nil {
			return err
		}
		return s.deleteLogouts(ctx)
	})
	done.Ran = ran
	return done, err
}

func (s *Service) settleBooks(ctx context.Context, done *Housekeeping) error {
	for {
		books, since, err := s.store.Unsettled(ctx, s.now(), settleAtOnce)
		if err != nil {
			return err
		}
		if !since.IsZero() {
			done.Behind = max(done.Behind, s.now().Sub(since))
		}
		for _, id := range books {
			if err := s.settleBook(ctx, id); err != nil {
				return err
			}
			done.Settled++
		}
		if len(books) < settleAtOnce {
			return nil
		}
	}
}

func (s *Service) settleBook(ctx context.Context, id string) error {
	return s.store.Tx(ctx, func(tx library.Tx) error {
		_, err := s.DecideAbout(ctx, tx, id, library.Circulation.Settle)
		return replaceErr(err, library.ErrBookNotFound, nil)
	})
}

func (s *Service) forgetHistory(ctx context.Context, done *Housekeeping) error {
	p, err := s.store.Policy(ctx)
	if err != nil {
		return err
	}
	before, forgets := p.HistoryEnd(s.now())
	if !forgets {
		return nil
	}
	return s.inBatches(ctx, forgetAtOnce, &done.Forgotten, func(tx library.Tx) (int, error) { return tx.Forget(ctx, "", before, forgetAtOnce) })
}

// inBatches repeats a transaction for up to most records until none are left, and returns the total
// number.
func (s *Service) inBatches(ctx context.Context, most int, sum *int, do func(library.Tx) (int, error)) error {
	for {
		var n int
		err := s.store.Tx(ctx, func(tx library.Tx) (err error) {
			n, err = do(tx)
			return err
		})
		*sum += n
		if err != nil || n < most {
			return err
		}
	}
}
