package housekeeping_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/housekeeping"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// The test starts this program again, as a process that only does the housekeeping.
const addressVariable = "HOUSEKEEPING_TEST_ADDRESS"

// later is how far the clock of those who do the housekeeping is ahead: the copies that
// were set aside should have been fetched by then.
const later = 10 * 24 * time.Hour

func TestMain(m *testing.M) {
	address := os.Getenv(addressVariable)
	if address == "" {
		os.Exit(m.Run())
	}
	store, err := sqlstore.Open(context.Background(), address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	runWorker(store)
	select {} // until somebody kills it
}

func runWorker(store *sqlstore.Store) (stop func()) {
	lib := service.New(store, service.WithClock(func() time.Time { return time.Now().Add(later) }))
	return housekeeping.Start(housekeeping.Config{
		Run: lib.RunHousekeeping, Interval: 20 * time.Millisecond, Logger: quiet(), Metrics: prometheus.NewRegistry(),
	})
}

// queues is a library in which many books are set aside for one reader, and the next one waits.
type queues struct {
	store  *sqlstore.Store
	books  []string          // by identifier
	first  map[string]string // the hold of each book that is ready
	second map[string]string // and the one that waits
	begin  library.Position  // of the history, before any of it
}

func newQueues(t *testing.T, address string, books int) *queues {
	t.Helper()
	ctx := t.Context()
	store, err := sqlstore.Open(ctx, address)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	testkit.NoError(t, testkit.Err(store.Migrate(ctx)))
	begin, err := store.LastChange(ctx)
	testkit.NoError(t, err)
	lib := service.New(store)
	must := func(err error) {
		t.Helper()
		testkit.NoError(t, err)
	}
	must(lib.Prepare(ctx, service.Setup{Samples: sample.Basic}))
	actor := func(email string) library.Actor {
		u, _, err := lib.Caller(ctx, email)
		must(err)
		everything := []string{library.RoleUser.Authority(), library.RoleCurator.Authority()}
		return library.Actor{User: u, Authorities: everything}
	}
	borrower, first, second := actor("peter.parker@example.com"), actor("bruce.banner@example.com"), actor("clark.kent@example.com")
	q := &queues{store: store, begin: begin, first: map[string]string{}, second: map[string]string{}}
	for range books {
		b, err := lib.AddBook(ctx, borrower, "", library.BookFields{Title: "Emma"}, 1)
		must(err)
		_, err = lib.Borrow(ctx, borrower, b.ID)
		must(err)
		h, err := lib.PlaceHold(ctx, first, b.ID, "")
		must(err)
		q.first[b.ID] = h.ID
		h, err = lib.PlaceHold(ctx, second, b.ID, "")
		must(err)
		q.second[b.ID] = h.ID
		_, err = lib.Return(ctx, borrower, b.ID)
		must(err)
		q.books = append(q.books, b.ID)
	}
	slices.Sort(q.books)
	return q
}

// expired is how many of the books have lost their first hold.
func (q *queues) expired(t *testing.T) (n int) {
	t.Helper()
	for _, id := range q.first {
		h, err := q.store.Hold(t.Context(), id)
		testkit.NoError(t, err)
		if h.State == library.Expired {
			n++
		}
	}
	return n
}

// wantOnce expects that each thing was done, once.
func (q *queues) wantOnce(t *testing.T) {
	t.Helper()
	for _, book := range q.books {
		h, err := q.store.Hold(t.Context(), q.second[book])
		if err != nil || h.State != library.Ready {
			t.Errorf("the next in line of %s is %s (%v)", book, h.State, err)
		}
	}
	want := map[string]int{}
	for _, book := range q.books {
		want["changed "+book] = 3        // two holds were placed, and then one expired
		want["hold "+q.first[book]] = 3  // placed, ready, expired
		want["hold "+q.second[book]] = 2 // placed, ready
	}
	var got map[string]int
	testkit.Eventually(t, "all that was done is in the history", func() bool {
		got = q.history(t, want)
		return sum(got) >= sum(want)
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("how often things happened (-want +got)\n%s", diff)
	}
}

func sum(times map[string]int) (n int) {
	for _, v := range times {
		n += v
	}
	return n
}

// history counts how often each thing has happened that is asked for.
func (q *queues) history(t *testing.T, which map[string]int) map[string]int {
	t.Helper()
	changes, err := q.store.Changes(t.Context(), q.begin, 10_000)
	testkit.NoError(t, err)
	times := map[string]int{}
	for _, c := range changes {
		if what := string(c.Kind) + " " + c.ID; which[what] > 0 {
			times[what]++
		}
	}
	return times
}

// TestWhenTheOneAtWorkIsKilledAnotherGoesOn starts three processes and kills the one that is at work.
func TestWhenTheOneAtWorkIsKilledAnotherGoesOn(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	q := newQueues(t, address, 40)
	conn, err := pgx.Connect(t.Context(), address)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	// The worker that has the lock gets as far as the book in the middle, which is locked.
	middle := len(q.books) / 2
	tx, err := conn.Begin(t.Context())
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(tx.Exec(t.Context(), `SELECT 1 FROM books WHERE id = $1 FOR UPDATE`, q.books[middle])))
	workers := map[string]*testkit.Process{}
	for _, name := range []string{"worker-1", "worker-2", "worker-3"} {
		workers[name] = startWorker(t, address, name)
	}
	testkit.Eventually(t, "half of the work is done", func() bool { return q.expired(t) == middle })
	var killed string
	testkit.Eventually(t, "somebody is at work", func() bool { killed = atWork(t, tx); return killed != "" })
	workers[killed].Kill()
	testkit.Eventually(t, "another one is at work", func() bool { now := atWork(t, tx); return now != "" && now != killed })
	if n := q.expired(t); n != middle {
		t.Errorf("%d books are done, want %d", n, middle)
	}
	testkit.NoError(t, tx.Rollback(t.Context()))
	testkit.Eventually(t, "the rest of the work is done", func() bool { return q.expired(t) == len(q.books) })
	q.wantOnce(t)
}

func startWorker(t *testing.T, address, name string) *testkit.Process {
	t.Helper()
	self, err := os.Executable()
	testkit.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), addressVariable+"="+address, "PGAPPNAME="+name)
	return testkit.Start(t, cmd)
}

// atWork is the name of the process that has the lock, "" for none at the moment.
func atWork(t *testing.T, tx pgx.Tx) string {
	t.Helper()
	rows, err := tx.Query(t.Context(), `
		SELECT DISTINCT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
		WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database() AND a.application_name LIKE 'worker-%'`)
	testkit.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	testkit.NoError(t, err)
	if len(names) > 1 {
		t.Errorf("%s are at work at the same time", strings.Join(names, " and "))
	}
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// TestSeveralWorkersDoEachThingOnce lets workers of one process and of another one work on one library.
func TestSeveralWorkersDoEachThingOnce(t *testing.T) {
	t.Parallel()
	for database, address := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "library.db") },
		"postgres": func() string { return pgtest.URL(t) },
	} {
		address := address()
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			q := newQueues(t, address, 20)
			startWorker(t, address, "worker")
			for range 3 {
				store, err := sqlstore.Open(t.Context(), address)
				testkit.NoError(t, err)
				t.Cleanup(func() { store.Close() })
				t.Cleanup(runWorker(store))
			}
			testkit.Eventually(t, "the work is done", func() bool { return q.expired(t) == len(q.books) })
			q.wantOnce(t)
		})
	}
}
