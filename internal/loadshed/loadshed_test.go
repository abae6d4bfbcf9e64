package loadshed

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/internal/testkit"
)

// filled is a Limiter whose places are all taken.
func filled(t *testing.T, limits Limits) *Limiter {
	t.Helper()
	a := newLimiter(limits)
	for range limits.Places {
		testkit.NoError(t, a.Enter(t.Context(), false))
	}
	return a
}

func newLimiter(limits Limits) *Limiter {
	return New(limits, Metrics{
		InFlight: prometheus.NewGauge(prometheus.GaugeOpts{}), Queued: prometheus.NewGauge(prometheus.GaugeOpts{}),
		Shed: prometheus.NewCounter(prometheus.CounterOpts{}),
	})
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

var minutes = Limits{Places: 2, Queue: 10, QueueTimeout: time.Minute, Look: time.Minute, Long: time.Minute, Overloaded: time.Minute, Begun: time.Minute}

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
		limits.QueueTimeout = 50 * time.Millisecond
		a := filled(t, limits)
		if err := outcome(t, arrive(t, a, false)); !errors.Is(err, ErrOverloaded) {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		a.limits.QueueTimeout = time.Minute
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
		limits.Look, limits.Long, limits.Overloaded = 30*time.Millisecond, time.Millisecond, time.Millisecond
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

// work has callers come again and again who each keep a place for a while, until the
// time is over. It returns how many requests were refused, and the longest wait.
func work(t *testing.T, a *Limiter, callers int, each, over time.Duration) (refused int, longest time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	end := time.Now().Add(over)
	for range callers {
		all.Go(func() {
			for time.Now().Before(end) {
				came := time.Now()
				err := a.Enter(t.Context(), false)
				mu.Lock()
				longest = max(longest, time.Since(came))
				if err != nil {
					refused++
				}
				mu.Unlock()
				if err == nil {
					time.Sleep(each)
					a.Leave()
				}
			}
		})
	}
	all.Wait()
	return refused, longest
}

// TestAFewWhoComeAgainAndAgainAreNeverRefused has sixteen callers of work that takes so
// long that each has to wait for more than a second. Their queue never gets shorter.
func TestAFewWhoComeAgainAndAgainAreNeverRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newLimiter(UsualLimits(4))
		if refused, longest := work(t, a, 16, 400*time.Millisecond, time.Minute); refused > 0 || longest < time.Second {
			t.Errorf("%d were refused; the longest wait was %v", refused, longest)
		}
	})
}

// TestWhenTheQueueDoesNotGetShorterTheLastIsTheNext is what keeps a server at work
// for those who are still there.
func TestWhenTheQueueDoesNotGetShorterTheLastIsTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := minutes
		limits.Look, limits.Long, limits.Overloaded = 100*time.Millisecond, 250*time.Millisecond, 350*time.Millisecond
		a := filled(t, limits)
		early := arrive(t, a, false) // at a calm time, so it may wait for a minute
		begun := arrive(t, a, true)
		time.Sleep(300 * time.Millisecond)
		before, last := arrive(t, a, false), arrive(t, a, false)
		time.Sleep(limits.Look + time.Millisecond)
		for i, next := range []<-chan error{begun, last} {
			a.Leave()
			if err := outcome(t, next); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		}
		if err := outcome(t, early); !errors.Is(err, ErrOverloaded) {
			t.Errorf("who has waited for long: %v", err)
		}
		a.Leave()
		if err := outcome(t, before); err != nil {
			t.Errorf("who came a moment ago: %v", err)
		}
	})
}

// TestThreeTimesTheLoadLeavesNearlyAllOfTheWork has requests come at a steady pace, and
// counts those that get a place soon enough to be answered within a second.
func TestThreeTimesTheLoadLeavesNearlyAllOfTheWork(t *testing.T) {
	t.Parallel()
	for _, each := range []time.Duration{4 * time.Millisecond, 40 * time.Millisecond, 200 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			const places, seconds = 4, 20
			a := newLimiter(UsualLimits(places))
			var good atomic.Int64
			var all sync.WaitGroup
			for end := time.Now().Add(seconds * time.Second); time.Now().Before(end); time.Sleep(each / places / 3) {
				all.Go(func() {
					came := time.Now()
					if a.Enter(t.Context(), false) != nil {
						return
					}
					time.Sleep(each)
					a.Leave()
					if time.Since(came) < time.Second {
						good.Add(1)
					}
				})
			}
			all.Wait()
			most := float64(seconds*time.Second) / float64(each/places)
			if kept := float64(good.Load()) / most; kept < 0.9 {
				t.Errorf("work of %v: %.2f of what can be done is done in time", each, kept)
			}
		})
	}
}
