package service

import (
	"context"
	"time"

	"example.org/library"
)

// Housekeeping is what becomes due without a request: holds that are not fetched
// expire, past loans forget their person, the responses that are saved for
// callers who repeat a request become too old, and searches learn what was edited. Every process looks for it, but only
// one does it at a time.

// Housekeeping is what a run has done.
type Housekeeping struct {
	Ran       bool          // false if another program is at it
	Behind    time.Duration // how late the first thing was done that was due
	Settled   int           // books
	Forgotten int           // loans and holds that forgot their person
	Dropped   int           // saved responses that were too old
	Noticed   int           // reminders that were written
}

// settleAtOnce is how many books are looked for at a time. Each is settled in a
// transaction of its own.
const settleAtOnce = 100

// housekeepingTimeout bounds each transaction, for which nobody waits.
const housekeepingTimeout = 15 * time.Second

// RunHousekeeping does everything that is due now, in small transactions.
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
		if err := s.store.IndexBooks(ctx); err != nil {
			return err
		}
		return s.store.DivideTitles(ctx)
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
		_, c, err := tx.Load(ctx, library.Load{Book: id, Now: s.now()})
		if err != nil || c == nil {
			return err
		}
		_, err = s.decide(ctx, tx, *c, s.now(), library.Circulation.Settle)
		return err
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

// inBatches repeats a transaction that is about up to most records, until there are no
// more, and adds up how many there were.
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
