package webhook

import (
	"context"
	"errors"
	"time"

	"example.org/library"
)

// unused is how long events are kept for a hook without a process. Then the hook is forgotten.
const unused = 4 * 24 * time.Hour

// SaidEvery is how often a process marks its web hooks as used.
const SaidEvery = time.Hour

// TellOverdue makes events of loans that have become overdue, each once: the store marks
// them, so neither a clock that goes back nor a standstill matters.
func (s *Service) TellOverdue(ctx context.Context) (told int, err error) {
	some, err := s.store.UntoldOverdue(ctx, s.now(), 1) // without a transaction: mostly there are none
	if err != nil || len(some) == 0 {
		return 0, err
	}
	for {
		n := 0
		err := s.store.HookTx(ctx, func(tx Tx) error {
			events, err := tx.UntoldOverdue(ctx, s.now(), overdueAtOnce)
			if n = len(events); err != nil || n == 0 {
				return err
			}
			for i := range events {
				events[i].ID, events[i].Type, events[i].Collected = library.NewID(), LoanOverdue, s.now()
			}
			if err := tx.AddHookEvents(ctx, library.Position{}, library.Position{}, events); err != nil {
				return err
			}
			return tx.MarkTold(ctx, events)
		})
		if errors.Is(err, ErrMoved) {
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

// Add returns a web hook, and whether it is new: then it begins with now.
func (s *Service) Add(ctx context.Context, key string) (h Hook, isNew bool, err error) {
	err = s.store.HookTx(ctx, func(tx Tx) (err error) {
		h, isNew, err = tx.AddHook(ctx, key, s.now())
		return err
	})
	return h, isNew, err
}

// All returns all web hooks.
func (s *Service) All(ctx context.Context) ([]Hook, error) {
	return s.store.Hooks(ctx, s.now().Add(-unused))
}

// InUse returns the web hooks that some process has marked as used lately.
func (s *Service) InUse(ctx context.Context) ([]Hook, error) {
	return s.store.Hooks(ctx, s.now().Add(-2*SaidEvery))
}

// Events returns up to most events after a number, in their order.
func (s *Service) Events(ctx context.Context, after int64, most int) ([]Event, error) {
	return s.store.HookEvents(ctx, after, most)
}

// Person returns the person of an event, as of now: zero if the person was forgotten
// meanwhile, or the event is about a book.
func (s *Service) Person(ctx context.Context, e Event) (library.Person, error) {
	if e.Record == "" {
		return library.Person{}, nil
	}
	return s.store.HookPerson(ctx, e.Record)
}

// Save saves the position of a hook that was at another one before. ErrMoved if
// another process has brought it further meanwhile.
func (s *Service) Save(ctx context.Context, h Hook, from int64) error {
	return s.store.HookTx(ctx, func(tx Tx) error { return tx.SaveHook(ctx, h, from, s.now()) })
}

// Trim drops unneeded events and unused hooks. The hooks with these keys are used.
func (s *Service) Trim(ctx context.Context, keys []string) error {
	return s.store.HookTx(ctx, func(tx Tx) error { return tx.TrimHooks(ctx, keys, s.now(), s.now().Add(-unused)) })
}

// Alone runs fn unless another process is telling the web hooks, and reports whether it did.
func (s *Service) Alone(ctx context.Context, fn func(context.Context) error) (ran bool, err error) {
	return s.store.Alone(ctx, library.HookLock, fn)
}
