package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
)

// newLookups coalesces questions for one thing.
func newLookups(ask func(context.Context) (library.Revision, error)) func(context.Context) (library.Revision, error) {
	lookups := Coalescing[struct{}, library.Revision]{Ask: func(ctx context.Context, _ []struct{}) (library.Revision, error) { return ask(ctx) }}
	return func(ctx context.Context) (library.Revision, error) {
		revision, _, err := lookups.Do(ctx)
		return revision, err
	}
}

// newQuestions coalesces questions for several things.
func newQuestions(ask func([]string) []string) func(context.Context, ...string) (answer []string, at int, err error) {
	return (&Coalescing[string, []string]{Ask: func(_ context.Context, wanted []string) ([]string, error) { return ask(wanted), nil }}).Do
}

// Those who ask while a question is under way share the next one, and none gets an
// answer that was asked for before.
func TestQuestionsAreCoalescedButNeverOld(t *testing.T) {
	t.Parallel()
	var state, questions atomic.Int64
	lookups := newLookups(func(context.Context) (library.Revision, error) {
		questions.Add(1)
		seen := state.Load()
		time.Sleep(time.Millisecond)
		return library.Revision{Name: fmt.Sprintf("%06d", seen)}, nil
	})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 20 {
				before := fmt.Sprintf("%06d", state.Add(1))
				at, err := lookups(t.Context())
				if err != nil || at.Name < before {
					t.Errorf("asked at %s, answered %s, error %v", before, at.Name, err)
				}
			}
		})
	}
	wg.Wait()
	if n := questions.Load(); n > 500 {
		t.Errorf("%d questions for 1,000 callers", n)
	}
}

// Each caller finds what it has asked for at a place of its own, and no question is
// longer than it may be.
func TestEachOfThoseWhoShareAQuestionGetsTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	var questions atomic.Int64
	ask := newQuestions(func(wanted []string) (answers []string) {
		questions.Add(1)
		time.Sleep(time.Millisecond)
		if len(wanted) > maxCoalesced {
			t.Errorf("%d things in one question", len(wanted))
		}
		for _, w := range wanted {
			answers = append(answers, "answer to "+w)
		}
		return answers
	})
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for n := range 20 {
				var wanted []string
				for k := range 1 + (i+n)%20 {
					wanted = append(wanted, fmt.Sprint(i, n, k))
				}
				answers, at, err := ask(t.Context(), wanted...)
				for k, w := range wanted {
					if err != nil || answers[at+k] != "answer to "+w {
						t.Errorf("%s: %v, error %v", w, answers, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n := questions.Load(); n > 500 {
		t.Errorf("%d questions for 1,000 callers", n)
	}
}

func TestAQuestionThatPanicsDoesSoForThoseWhoAsked(t *testing.T) {
	t.Parallel()
	ask := newQuestions(func(wanted []string) []string {
		if wanted[0] == "panic" {
			panic("the question is bad")
		}
		return wanted
	})
	func() {
		defer func() {
			if p := recover(); p != "the question is bad" {
				t.Errorf("panic %v", p)
			}
		}()
		ask(t.Context(), "panic")
	}()
	if answer, at, err := ask(t.Context(), "next"); err != nil || answer[at] != "next" {
		t.Errorf("the next question: %v, error %v", answer, err)
	}
}

func TestALookupThatHangsKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	var first atomic.Bool
	hangs, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	lookups := newLookups(func(context.Context) (library.Revision, error) {
		if first.CompareAndSwap(false, true) {
			close(hangs)
			<-end
		}
		return library.Revision{Name: "answered"}, nil
	})
	gone, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := lookups(gone); failed <- err }()
	<-hangs
	for range 3 {
		if at, err := lookups(t.Context()); err != nil || at.Name != "answered" {
			t.Errorf("%v, error %v", at, err)
		}
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone away gets %v", err)
	}
}
