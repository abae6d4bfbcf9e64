// Package testkit has helpers for the tests of several packages: waiting, a clock,
// a buffer, and the program in a process of its own. Production never imports it.
package testkit

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"
)

// Timeout returns the time a test may wait for a condition: nearly the -timeout of its
// package. A smaller bound would test the load of the machine and not the program. The
// rest of the time is for the report.
//
// To see a wait fail sooner, run the one test with a smaller -timeout.
func Timeout(t testing.TB) time.Duration {
	const report, withoutDeadline = 5 * time.Second, 10 * time.Minute
	if test, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := test.Deadline(); ok {
			return max(time.Until(deadline)-report, time.Second)
		}
	}
	return withoutDeadline
}

// Context returns a context with the Timeout of a test; it lasts into the test's cleanups.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Timeout(t))
	t.Cleanup(cancel)
	return ctx
}

// NoError ends a test with the error, if there is one.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Err returns the error of a call, and drops its result.
func Err[T any](_ T, err error) error { return err }

// Eventually waits until a condition holds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	began := time.Now()
	for deadline := began.Add(Timeout(t)); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", time.Since(began).Round(time.Second), what)
		}
	}
}

// Receive waits for a value from a channel, or for its end.
func Receive[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Timeout(t)):
		t.Fatalf("still waiting for %s", what)
		panic("unreachable")
	}
}

// Buffer is a buffer for a program that writes and a test that reads at the same time.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Clock is a clock set by a test.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

func NewClock(now time.Time) *Clock { return &Clock{now: now} }

func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
