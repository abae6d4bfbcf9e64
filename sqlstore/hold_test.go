package sqlstore_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest/bookgen"
)

// queues is a library with books that many readers wait for.
type queues struct {
	store   *sqlstore.Store
	service *service.Service
	staff   library.Actor
	readers int
}

func newQueues(t *testing.T, address string) *queues {
	t.Helper()
	store := open(t, address)
	lib := service.New(store)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	testkit.NoError(t, bookgen.Fill(t.Context(), store, 4))
	return &queues{store: store, service: lib, staff: mustCurator(t, store)}
}

// add lets more readers wait for a book.
func (q *queues) add(t *testing.T, book string, n int) {
	t.Helper()
	from := q.readers + 1
	q.readers += n
	series := fmt.Sprintf(`WITH RECURSIVE many (n) AS (SELECT %d UNION ALL SELECT n + 1 FROM many WHERE n < %d)`, from, q.readers)
	key := `'00000000-0000-4000-8000-' || substr('000000000000' || CAST(n AS TEXT), length(CAST(n AS TEXT)) + 1)`
	sqlstore.Exec(t, q.store, series+` INSERT INTO users (id, email, email_key, first_name, first_name_key, last_name, last_name_key, roles, search_words, version, created_at)
		SELECT `+key+`, 'w' || n || '@example.com', 'w' || n || '@example.com', 'W', 'w', 'W' || n, 'w' || n, '[]', 'w', '1', 1 FROM many`)
	sqlstore.Exec(t, q.store, series+` INSERT INTO holds (id, book_id, book_title, user_id, state, created_at)
		SELECT `+key+`, '`+book+`', 'T', `+key+`, 'waiting', 1 FROM many ORDER BY n`)
}

// walk lists whole queues through the service, as a caller who wants all of them does.
func (q *queues) walk(t *testing.T, times int) time.Duration {
	t.Helper()
	began := time.Now()
	for range times {
		n := 0
		l, err := q.service.Holds(t.Context(), q.staff, library.HoldQuery{})
		testkit.NoError(t, err)
		for _, err := range l.All {
			testkit.NoError(t, err)
			n++
		}
		if n != q.readers {
			t.Fatalf("%d holds, want %d", n, q.readers)
		}
	}
	return time.Since(began)
}

// TestAListOfHoldsTakesNoLongerThanItIs: to list one long queue takes about as long as to
// list a queue of a tenth of it ten times, and not ten times as long. Both are measured
// in turn, because the machine may be busy.
func TestAListOfHoldsTakesNoLongerThanItIs(t *testing.T) {
	t.Parallel()
	const few, many = 1000, 10_000
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			short, long := newQueues(t, address(t)), newQueues(t, address(t))
			short.add(t, bookgen.ID(1), few)
			long.add(t, bookgen.ID(1), many)
			best := math.Inf(1)
			for range 3 {
				best = min(best, float64(long.walk(t, 1))/float64(short.walk(t, many/few)))
				if best < 2 {
					break
				}
			}
			t.Logf("a queue of %d takes %.1f times as long as %d of %d", many, best, many/few, few)
			if best > 4 {
				t.Errorf("the time grows by more than the queue: %.1f", best)
			}
		})
	}
}

// TestPositionsAreRightOnEveryPage reads queues page by page, in each of which a copy is set
// aside for one, and the first goes between two pages.
func TestPositionsAreRightOnEveryPage(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueues(t, address(t))
			for i := range 3 {
				q.add(t, bookgen.ID(i+1), 10)
			}
			sqlstore.Exec(t, q.store, `UPDATE holds SET state = 'ready', until_at = 1, copy_id = (SELECT id FROM copies WHERE book_id = holds.book_id)
				WHERE seq IN (SELECT min(seq) + 1 FROM holds GROUP BY book_id)`)
			seen, after := 0, (*library.Cursor)(nil)
			for page := 1; ; page++ {
				holds, err := q.store.Holds(t.Context(), library.HoldQuery{Limit: 4, After: after})
				testkit.NoError(t, err)
				for _, h := range holds {
					one, err := q.store.Hold(t.Context(), h.ID)
					if err != nil || fmt.Sprint(one) != fmt.Sprint(h) {
						t.Fatalf("page %d has %v, and by itself it is %v (%v)", page, h, one, err)
					}
				}
				if seen += len(holds); len(holds) < 4 {
					break
				}
				last := holds[len(holds)-1]
				after = &library.Cursor{BookID: last.Book.ID, Seq: last.Seq}
				sqlstore.Exec(t, q.store, `UPDATE holds SET state = 'cancelled', ended_at = 1, copy_id = NULL, until_at = NULL WHERE seq = (
					SELECT min(seq) FROM holds WHERE ended_at IS NULL AND book_id = '`+last.Book.ID+`')`)
			}
			if seen != 30 {
				t.Errorf("%d of 30 were seen", seen)
			}
		})
	}
}
