package loadshed

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/internal/testkit"
)

// filled is a Limiter whose places are all taken.
func filled(t *testing.T, limits Limits) *Limiter {
	t.Helper()
	a := New(limits, Metrics{
		InFlight: prometheus.NewGauge(prometheus.GaugeOpts{}), Queued: prometheus.NewGauge(prometheus.GaugeOpts{}),
		Shed: prometheus.NewCounter(prometheus.CounterOpts{}),
	})
	for range limits.Places {
		testkit.NoError(t, a.Enter(t.Context(), false))
	}
	return a
}

// arrive has a request come and waits until it is in the queue. The tests run in the
// time of a bubble of synctest, which passes only when everybody waits.
func arrive(t *testing.T, a *Limiter, again bool) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- a.Enter(t.Context(), again) }()
	synctest.Wait()
	return done
}

func outcome(t *testing.T, done <-chan error) error {
	t.Helper()
	return <-done
}

var minutes = Limits{Places: 2, Queue: 10, Look: time.Minute, Burst: time.Minute, Overloaded: time.Minute, Begun: time.Minute}

func TestTheQueueIsFirstInFirstOutAfterThoseWhoHaveBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := filled(t, minutes)
		first, second, begun := arrive(t, a, false), arrive(t, a, false), arrive(t, a, true)
		for i, next := range []<-chan error{begun, first, second} {
			a.Leave()
			if err := outcome(t, next); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		}
		for range a.limits.Places {
			a.Leave()
		}
		if a.taken != 0 || a.queue.Len() != 0 {
			t.Errorf("%d places are taken, %d wait", a.taken, a.queue.Len())
		}
	})
}

func TestAFullQueueRefusesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := minutes
		limits.Queue = 1
		a := filled(t, limits)
		waiting := arrive(t, a, false)
		if err := a.Enter(t.Context(), false); !errors.Is(err, ErrOverloaded) {
			t.Errorf("%v", err)
		}
		begun := arrive(t, a, true) // has a place in the queue in any case
		a.Leave()
		a.Leave()
		for _, done := range []<-chan error{waiting, begun} {
			if err := outcome(t, done); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestNobodyWaitsForLongerThanTheTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := minutes
		limits.Burst = 50 * time.Millisecond
		a := filled(t, limits)
		if err := outcome(t, arrive(t, a, false)); !errors.Is(err, ErrOverloaded) {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		a.limits.Burst = time.Minute
		if err := a.Enter(ctx, false); !errors.Is(err, context.Canceled) {
			t.Errorf("of one who has gone: %v", err)
		}
		if a.queue.Len() != 0 {
			t.Errorf("%d are still in the queue", a.queue.Len())
		}
	})
}

// TestManyAtOnceAreServedInTurn works off a queue that nobody joins any more,
// however long that takes.
func TestManyAtOnceAreServedInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := minutes
		limits.Look, limits.Overloaded = 30*time.Millisecond, time.Millisecond
		a := filled(t, limits)
		var crowd []<-chan error
		for range 8 {
			crowd = append(crowd, arrive(t, a, false))
		}
		for i, next := range crowd {
			time.Sleep(2 * limits.Look)
			a.Leave()
			if err := outcome(t, next); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		}
	})
}

// TestWhenTheQueueDoesNotGetShorterTheLastIsTheNext is what keeps a server at work
// for those who are still there.
func TestWhenTheQueueDoesNotGetShorterTheLastIsTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := minutes
		limits.Look, limits.Overloaded = 100*time.Millisecond, 200*time.Millisecond
		a := filled(t, limits)
		early := arrive(t, a, false) // at a calm time, so it may wait for a minute
		begun := arrive(t, a, true)
		time.Sleep(300 * time.Millisecond)
		a.mu.Lock()
		a.isOverloaded(time.Now()) // as with everybody who comes or goes
		a.limits.Overloaded = time.Minute
		a.mu.Unlock()
		time.Sleep(2 * limits.Look)
		before, last := arrive(t, a, false), arrive(t, a, false)
		for i, next := range []<-chan error{begun, last} {
			a.Leave()
			if err := outcome(t, next); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		}
		a.mu.Lock()
		a.limits.Overloaded = 200 * time.Millisecond
		a.mu.Unlock()
		a.Leave()
		if err := outcome(t, early); !errors.Is(err, ErrOverloaded) {
			t.Errorf("who has waited for long: %v", err)
		}
		if err := outcome(t, before); err != nil {
			t.Errorf("who came a moment ago: %v", err)
		}
	})
}
