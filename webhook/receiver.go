package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"example.org/library"
)

// receiver is one hook, and how far it has come.
type receiver struct {
	*worker
	name   string // in logs and metrics
	key    string
	poster *poster
	log    *slog.Logger
	news   chan struct{} // something was collected

	hook    Hook
	saved   int64     // the position in the database
	savedAt time.Time // when it got it
	isDown  bool      // the last attempt has failed
	isStuck bool      // the database has failed, the last time
}

const atOnce = 100 // events

// begin makes the hook known. A new one gets events from now on.
func (r *receiver) begin(ctx context.Context) error {
	h, isNew, err := r.Hooks.Add(ctx, r.key)
	if err != nil {
		return err
	}
	if isNew {
		r.log.Info("a web hook is new; it is told what happens from now on")
	}
	if b := begun(h, r.Hooks.Now()); !b.Failing.Equal(h.Failing) {
		if err := r.Hooks.Save(ctx, b, h.Position); !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return nil
}

// run posts events to the receiver until the turn ends. An attempt under way may then finish,
// unless the worker is stopped.
func (r *receiver) run(ctx, turn context.Context) {
	defer r.metrics.oldest.WithLabelValues(r.name).Set(0)
	for turn.Err() == nil {
		err := r.guard(func() error { return r.follow(ctx, turn) })
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, ErrMoved): // read again
		case err != nil:
			r.metrics.failures.Inc()
			if !r.isStuck {
				r.log.Warn("a web hook cannot go on; it is tried again and again", "error", err)
			}
		}
		if r.isStuck = err != nil; r.isStuck {
			sleep(turn, r.times.again)
		}
	}
}

// follow begins at the position in the database: another process may have brought the hook further.
func (r *receiver) follow(ctx, turn context.Context) error {
	if err := r.load(ctx); err != nil {
		return err
	}
	for turn.Err() == nil {
		events, err := r.Hooks.Events(ctx, r.hook.Position, atOnce)
		if err != nil {
			return err
		}
		r.showOldest(events)
		switch pause := wait(r.hook, r.Hooks.Now()); {
		case r.hook.Off:
			if err := r.drop(ctx, events); err != nil {
				return err
			}
			sleep(turn, r.times.trim)
		case len(events) == 0:
			select {
			case <-r.news:
			case <-time.After(r.times.look): // another process collects when it starts
			case <-turn.Done():
			}
		case pause > 0:
			sleep(turn, min(pause, r.times.look)) // and look at the clock again
		default:
			if err := r.tellAll(ctx, turn, events); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *receiver) load(ctx context.Context) error {
	hooks, err := r.Hooks.All(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(hooks, func(h Hook) bool { return h.Key == r.key })
	if at < 0 { // the database is another
		return errors.Join(ErrMoved, r.begin(ctx))
	}
	r.hook = hooks[at]
	r.saved, r.savedAt = r.hook.Position, time.Now()
	r.metrics.off.WithLabelValues(r.name).Set(number(r.hook.Off))
	return nil
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func (r *receiver) showOldest(events []Event) {
	age := 0.0
	if len(events) > 0 {
		age = max(r.Hooks.Now().Sub(events[0].Collected).Seconds(), 0)
	}
	r.metrics.oldest.WithLabelValues(r.name).Set(age)
}

// tellAll tells events one after the other, until one is not taken or the turn ends. The position is
// saved at the end, and now and then: events that are repeated after a crash have the same id.
func (r *receiver) tellAll(ctx, turn context.Context, events []Event) error {
	for _, e := range events {
		taken, err := r.tell(ctx, e)
		if err != nil {
			return errors.Join(err, r.save(ctx))
		}
		if !taken || turn.Err() != nil {
			break
		}
		if time.Since(r.savedAt) > r.times.save {
			if err := r.save(ctx); err != nil {
				return err
			}
		}
	}
	if !r.hook.Failing.IsZero() && !r.hook.Off {
		return r.drop(ctx, nil)
	}
	return r.save(ctx)
}

// tell makes one attempt at one event.
func (r *receiver) tell(ctx context.Context, e Event) (taken bool, err error) {
	var p library.Person
	if r.People {
		if p, err = r.Hooks.Person(ctx, e); err != nil {
			return false, err
		}
	}
	status, err := r.poster.post(ctx, e.ID, encode(e, p))
	now := r.Hooks.Now()
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil && status >= 200 && status < 300:
		r.count(outcomeDelivered)
		r.hook = delivered(r.hook, e.Seq)
		if r.isDown {
			r.log.Info("a web hook works again")
		}
		r.isDown = false
		return true, nil
	case status == http.StatusGone:
		r.count(outcomeGone)
		r.hook.Off = true
		r.metrics.off.WithLabelValues(r.name).Set(1)
		r.log.Warn("the receiver of a web hook wants nothing more (410); it is off until the next start")
		return false, nil
	}
	r.count(outcomeFailed)
	r.hook = failed(r.hook, now)
	if !r.isDown {
		r.log.Warn("a web hook fails; its events wait, and are posted again for three days", "status", status, "error", err)
	}
	r.isDown = true
	return false, nil
}

func (r *receiver) count(outcome string) { r.metrics.attempts.WithLabelValues(r.name, outcome).Inc() }

// drop gives up late events, and saves.
func (r *receiver) drop(ctx context.Context, events []Event) (err error) {
	given := 0
	for now := r.Hooks.Now(); ; {
		if len(events) == 0 {
			if events, err = r.Hooks.Events(ctx, r.hook.Position, atOnce); err != nil {
				return err
			}
		}
		if len(events) == 0 || !isLate(r.hook, events[0], now) {
			break
		}
		r.hook.Position = events[0].Seq
		events = events[1:]
		given++
	}
	if given == 0 && r.hook.Off {
		return nil // it may have been switched on
	}
	if given > 0 {
		r.hook.Attempts, r.hook.Next = 0, r.Hooks.Now().Add(firstPause) // the next may be taken
		r.metrics.givenUp.WithLabelValues(r.name).Add(float64(given))
		r.log.Error("a web hook has failed for three days; events were given up", "events", given)
	}
	return r.save(ctx)
}

// save saves how far the hook has come, also when the worker is being stopped.
func (r *receiver) save(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	err := r.Hooks.Save(ctx, r.hook, r.saved)
	if err == nil {
		r.saved, r.savedAt = r.hook.Position, time.Now()
	}
	return err
}

const saveTimeout = 3 * time.Second
