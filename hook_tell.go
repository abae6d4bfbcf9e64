package library

import (
	"context"
	"errors"
	"time"
)

// hookUnused is after which time a hook that no process has is forgotten. Until then what
// happens is kept for it.
const hookUnused = 4 * 24 * time.Hour

// HookSaidEvery is how often a process says which web hooks it has.
const HookSaidEvery = time.Hour

// TellOverdue makes events of loans that have become overdue, each once: the store keeps
// which were told of, so that neither a clock that goes back nor a standstill matters.
func (s *Service) TellOverdue(ctx context.Context) (told int, err error) {
	some, err := s.store.UntoldOverdue(ctx, s.now(), 1) // without a transaction: mostly there are none
	if err != nil || len(some) == 0 {
		return 0, err
	}
	for {
		n := 0
		err := s.store.Tx(ctx, func(tx Tx) error {
			events, err := tx.UntoldOverdue(ctx, s.now(), overdueAtOnce)
			if n = len(events); err != nil || n == 0 {
				return err
			}
			for i := range events {
				events[i].ID, events[i].Type, events[i].Collected = NewID(), HookLoanOverdue, s.now()
			}
			if err := tx.AddHookEvents(ctx, Position{}, Position{}, events); err != nil {
				return err
			}
			return tx.MarkTold(ctx, events)
		})
		if errors.Is(err, ErrHookMoved) {
			continue
		}
		if err != nil {
			return told, err
		}
		if told += n; n < overdueAtOnce {
			return told, nil
		}
	}
}

// AddHook returns a web hook, and whether it is new: then it begins with now.
func (s *Service) AddHook(ctx context.Context, key string) (h Hook, isNew bool, err error) {
	err = s.store.Tx(ctx, func(tx Tx) (err error) {
		h, isNew, err = tx.AddHook(ctx, key, s.now())
		return err
	})
	return h, isNew, err
}

// Hooks returns the web hooks that are kept.
func (s *Service) Hooks(ctx context.Context) ([]Hook, error) {
	return s.store.Hooks(ctx, s.now().Add(-hookUnused))
}

// HooksInUse returns the web hooks that some process has: it has said so lately.
func (s *Service) HooksInUse(ctx context.Context) ([]Hook, error) {
	return s.store.Hooks(ctx, s.now().Add(-2*HookSaidEvery))
}

// HookEvents returns up to most events after a number, in their order.
func (s *Service) HookEvents(ctx context.Context, after int64, most int) ([]HookEvent, error) {
	return s.store.HookEvents(ctx, after, most)
}

// HookPerson is whose loan or hold an event is about, as of now: zero if the person was
// forgotten meanwhile, or it is about a book.
func (s *Service) HookPerson(ctx context.Context, e HookEvent) (Person, error) {
	if e.Record == "" {
		return Person{}, nil
	}
	return s.store.HookPerson(ctx, e.Record)
}

// SaveHook saves how far a hook has come that was at a position before. ErrHookMoved if
// another process has brought it further meanwhile.
func (s *Service) SaveHook(ctx context.Context, h Hook, from int64) error {
	return s.store.Tx(ctx, func(tx Tx) error { return tx.SaveHook(ctx, h, from, s.now()) })
}

// TrimHooks drops what no web hook needs any more. These are used.
func (s *Service) TrimHooks(ctx context.Context, keys []string) error {
	return s.store.Tx(ctx, func(tx Tx) error { return tx.TrimHooks(ctx, keys, s.now(), s.now().Add(-hookUnused)) })
}

// AloneWithHooks runs fn unless another process is telling the web hooks, and reports
// whether it did.
func (s *Service) AloneWithHooks(ctx context.Context, fn func(context.Context) error) (ran bool, err error) {
	return s.store.Alone(ctx, HookLock, fn)
}
