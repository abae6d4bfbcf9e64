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
		testkit.NoError(t, a.Enter(t.Context(), false, time.Hour))
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
	go func() { done <- a.Enter(t.Context(), again, time.Hour) }()
	synctest.Wait()
	return done
}

func outcome(t *testing.T, done <-chan error) error {
	t.Helper()
	return <-done
}

var minutes = Limits{Places: 2, Queue: 10, QueueTimeout: time.Minute, Begun: time.Minute}

func TestTheQueueIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := filled(t, minutes)
		first, begun, second := arrive(t, a, false), arrive(t, a, true), arrive(t, a, false)
		for i, next := range []<-chan error{first, begun, second} {
			a.Leave()
			if err := outcome(t, next); err != nil {
				t.Errorf("number %d: %v", i, err)
			}
		}
		for range a.limits.Places {
			a.Leave()
		}
		if a.Taken() != 0 || a.queued.Load() != 0 {
			t.Errorf("%d places are taken, %d wait", a.Taken(), a.queued.Load())
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
		if err := a.Enter(t.Context(), false, time.Hour); !errors.Is(err, ErrOverloaded) {
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
		if err := a.Enter(ctx, false, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("of one who has gone: %v", err)
		}
		if a.queued.Load() != 0 {
			t.Errorf("%d are still in the queue", a.queued.Load())
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
				err := a.Enter(t.Context(), false, time.Hour)
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

// TestThreeTimesTheLoadLeavesNearlyAllOfTheWork has requests come at a steady pace, and
// counts those that are answered before their callers give up.
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
					if a.Enter(t.Context(), false, time.Hour) != nil {
						return
					}
					time.Sleep(each)
					a.Leave()
					if time.Since(came) < 3*time.Second {
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
