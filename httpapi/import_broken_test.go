package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// breaking is a store that breaks with one of its transactions.
type breaking struct {
	library.Store
	last   atomic.Int32 // how many still succeed; below 0 for all
	err    error
	commit bool // the one that fails is committed nevertheless
}

func (b *breaking) Tx(ctx context.Context, fn func(library.Tx) error) error {
	n := b.last.Add(-1)
	if n != -1 {
		return b.Store.Tx(ctx, fn)
	}
	err := b.Store.Tx(ctx, func(tx library.Tx) error {
		if err := fn(tx); err != nil || b.commit {
			return err
		}
		return b.err
	})
	if err == nil {
		err = b.err
	}
	return err
}

// manyRows is an import of n books, as JSON and as CSV.
func manyRows(n int) map[string]request {
	var books []string
	table := "title\n"
	for i := range n {
		books = append(books, fmt.Sprintf(`{"title":"Book %d"}`, i))
		table += fmt.Sprintf("Book %d\n", i)
	}
	return map[string]request{
		"json": {body: "[" + strings.Join(books, ",") + "]", header: http.Header{"Content-Type": {"application/json"}}},
		"csv":  {body: table, header: http.Header{"Content-Type": {"text/csv"}}},
	}
}

func TestAnImportThatBreaksOffSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	unavailable, unknown := fmt.Errorf("write: %w", library.ErrUnavailable), fmt.Errorf("commit: %w", library.ErrOutcomeUnknown)
	for _, c := range []struct {
		rule    string
		after   int32 // transactions
		err     error
		commit  bool
		code    string
		details string
		there   int // books then
	}{
		{"nothing was done", 0, unavailable, false, "unavailable", "", 0},
		{"nobody knows whether anything was done", 0, unknown, true, "outcome_unknown", "", 200},
		{"some of it was done", 2, unavailable, false, "import_incomplete", "rows rows_done 400; added rows_outcome 400", 400},
		{"of some nobody knows, and they were not done", 2, unknown, false, "import_incomplete", "rows rows_done 400; added rows_outcome 400; rows rows_unknown 100", 400},
		{"of some nobody knows, and they were done", 1, unknown, true, "import_incomplete", "rows rows_done 200; added rows_outcome 200; rows rows_unknown 200", 400},
	} {
		for format, ask := range manyRows(500) {
			t.Run(c.rule+" "+format, func(t *testing.T) {
				t.Parallel()
				b := &breaking{err: c.err, commit: c.commit}
				w := newWorld(t, func(s *setup) { s.store = func(s library.Store) library.Store { b.Store = s; return b } })
				before := len(w.send(t, request{as: peterParker, path: "/books"}).books(t))
				ask.as, ask.method, ask.path = peterParker, http.MethodPost, "/imports/books"
				ask.header = ask.header.Clone()
				ask.header.Set("Idempotency-Key", "import")
				b.last.Store(c.after)
				a := w.send(t, ask).want(t, 503, c.code)
				if got := toldDetails(t, a); got != c.details || a.header.Get("Retry-After") != "5" {
					t.Errorf("got %q, Retry-After %q", got, a.header.Get("Retry-After"))
				}
				count := func() int { return len(w.send(t, request{as: peterParker, path: "/books"}).books(t)) - before }
				if n := count(); n != c.there {
					t.Errorf("%d books are there", n)
				}
				again := w.send(t, ask).want(t, 200, "")
				if n := count(); n != 500 || strings.Count(string(again.body), `"outcome":"unchanged"`) != c.there {
					t.Errorf("after it was repeated, %d books are there", n)
				}
				wantReplayed(t, again, w.send(t, ask))
			})
		}
	}
}

// toldDetails are the details of an answer in one line.
func toldDetails(t *testing.T, a reply) string {
	t.Helper()
	var body struct {
		Details []struct {
			Field, Code string
			Limit       int
		}
	}
	testkit.NoError(t, json.Unmarshal(a.body, &body))
	var all []string
	for _, d := range body.Details {
		all = append(all, fmt.Sprint(d.Field, " ", d.Code, " ", d.Limit))
	}
	return strings.Join(all, "; ")
}
