package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.org/library"
)

// faulty is a store that does not find callers.
type faulty struct {
	library.Store
	err error
}

func (f faulty) UserByEmail(context.Context, string) (library.User, library.Revision, error) {
	return library.User{}, library.Revision{}, f.err
}

func TestFaultsOfTheDatabaseAreUnavailableAndSayWhenToComeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule       string
		err        error
		code       string
		retryAfter string
		warns      bool
	}{
		{"gone", fmt.Errorf("read: %w", library.ErrUnavailable), "unavailable", "5", true},
		{"nobody knows whether it happened", fmt.Errorf("commit: %w", library.ErrOutcomeUnknown), "outcome_unknown", "5", true},
		{"too slow", fmt.Errorf("read: %w", context.DeadlineExceeded), "unavailable", "5", true},
		{"too much to do", fmt.Errorf("begin: %w", library.ErrOverloaded), "overloaded", "1", false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.store = func(s library.Store) library.Store { return faulty{s, c.err} } })
			began := time.Now()
			for range 20 {
				a := w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 503, c.code)
				if got := a.header.Get("Retry-After"); got != c.retryAfter {
					t.Errorf("Retry-After is %q", got)
				}
				if strings.Contains(string(a.body), "read:") {
					t.Errorf("the answer shows inner details: %s", a.body)
				}
			}
			warnings := strings.Count(w.log.String(), `"level":"WARN"`)
			if (warnings > 0) != c.warns || warnings > 2+int(time.Since(began).Seconds()) { // one a second
				t.Errorf("%d warnings in the log", warnings)
			}
		})
	}
	w := newWorld(t, func(s *setup) {
		s.store = func(s library.Store) library.Store { return faulty{s, errors.New("a fault of ours")} }
	})
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 500, "internal")
}
