package sqlstore_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/postgres"
)

// followed is a library on a server with a synchronous standby.
type followed struct {
	*broken
	standby *pgtest.Cluster
}

func newFollowed(t *testing.T) *followed {
	t.Helper()
	cluster := pgtest.Own(t)
	// This, too, must not end a commit that was given up.
	cluster.Exec(t, `ALTER SYSTEM SET client_connection_check_interval = '100ms'`)
	f := &followed{broken: brokenOn(t, cluster.Database(t, "library"))}
	testkit.NoError(t, testkit.Err(f.others.Exec(`CREATE TABLE notes (text text)`)))
	f.standby = cluster.Standby(t)
	lendAndReturn(t, f.service, f.reader, f.books[0].ID)
	return f
}

// look reads a number past the store.
func (f *followed) look(t *testing.T, text string) (n int) {
	t.Helper()
	testkit.NoError(t, f.others.QueryRow(text).Scan(&n))
	return n
}

// waiting is how many server processes wait for the standby.
func (f *followed) waiting(t *testing.T) int {
	t.Helper()
	return f.look(t, `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
}

// dieCommitting runs a statement on a connection that ends in the middle of it, as when
// a program is killed.
func (f *followed) dieCommitting(t *testing.T, text string) error {
	config, err := pgx.ParseConfig(f.address)
	if err != nil {
		t.Error(err)
		return nil
	}
	dials := 0
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials++; dials > 1 {
			return nil, errors.New("who is dead cancels nothing")
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Error(err)
		return nil
	}
	time.AfterFunc(untilItWaits, func() { conn.PgConn().Conn().Close() })
	_, err = conn.Exec(t.Context(), text)
	return err
}

const openLoans, allNotes = `SELECT count(*) FROM loans WHERE returned_at IS NULL`, `SELECT count(*) FROM notes`

// untilItWaits is enough for a commit to arrive at the server and to wait there for the standby, on a busy machine, too.
const untilItWaits = 5 * time.Second

// commitAlone commits on a connection outside the pool, as a restore does.
func (f *followed) commitAlone(t *testing.T, text string) error {
	conn, err := postgres.ConnectOnce(t.Context(), f.address, "library backup")
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	for _, text := range []string{`BEGIN`, text} {
		if _, err := conn.Exec(t.Context(), text); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), untilItWaits)
	defer cancel()
	_, err = conn.Commit(ctx)
	return err
}

// TestACommitThatWaitsForAStandbyIsSeenByNobody gives up every kind of commit: the server
// process goes on waiting, and what it has to commit is seen when the standby has it.
func TestACommitThatWaitsForAStandbyIsSeenByNobody(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	loans := f.look(t, openLoans)
	f.standby.Stop(t, pgtest.Immediate)
	kinds := map[string]func() error{
		"a loan":            func() error { return f.borrow(t.Context(), f.books[0].ID) },
		"a statement alone": func() error { return sqlstore.ExecFor(f.store, `INSERT INTO notes VALUES ('alone')`, untilItWaits) },
		"a migration": func() error {
			ctx, cancel := context.WithTimeout(t.Context(), untilItWaits)
			defer cancel()
			return sqlstore.CommitTx(ctx, f.store, `INSERT INTO notes VALUES ('migration')`)
		},
		"a restore": func() error {
			return f.commitAlone(t, `INSERT INTO notes VALUES ('restore')`)
		},
		"a program that is gone": func() error { return f.dieCommitting(t, `INSERT INTO notes VALUES ('gone')`) },
	}
	var all sync.WaitGroup
	for kind, commit := range kinds {
		all.Go(func() {
			if err := commit(); err == nil || kind == "a loan" && !errors.Is(err, library.ErrOutcomeUnknown) {
				t.Errorf("%s: %v", kind, err)
			}
		})
	}
	all.Wait()
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		if n := f.waiting(t); n != len(kinds) {
			t.Fatalf("%d of %d server processes wait for the standby", n, len(kinds))
		}
		if l, n := f.look(t, openLoans), f.look(t, allNotes); l != loans || n != 0 {
			t.Fatalf("there are %d loans, %d of them before, and %d notes, which the standby does not have", l, loans, n)
		}
	}
	f.standby.Start(t)
	testkit.Eventually(t, "all of it is seen", func() bool { return f.look(t, openLoans) == loans+1 && f.look(t, allNotes) == len(kinds)-1 })
}

// TestWithoutItsStandbyTheStoreReadsAndSaysWhy has many who borrow while the standby is
// away: few server processes wait for it, readers notice nothing, and all is
// well when it comes back.
func TestWithoutItsStandbyTheStoreReadsAndSaysWhy(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	testkit.NoError(t, f.store.Ping(t.Context()))
	idle := open(t, f.address) // of another process, which writes nothing
	f.standby.Stop(t, pgtest.Immediate)
	const rounds, callers = 3, 40
	for range rounds {
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				err := f.borrow(t.Context(), f.books[i%len(f.books)].ID)
				if !errors.Is(err, library.ErrOutcomeUnknown) && !errors.Is(err, library.ErrUnavailable) {
					t.Errorf("to borrow: %v", err)
				}
			})
		}
		all.Wait()
		began := time.Now()
		if err := f.read(t.Context()); err != nil || time.Since(began) > testkit.Bound(time.Second) {
			t.Errorf("to read took %v: %v", time.Since(began), err)
		}
		for name, store := range map[string]*sqlstore.Store{"this": f.store, "another": idle} {
			testkit.Eventually(t, name+" process is not ready", func() bool {
				err := store.Ping(t.Context())
				return err != nil && strings.Contains(err.Error(), "standby")
			})
		}
	}
	if n := f.waiting(t); n == 0 || n > 15 {
		t.Errorf("%d server processes wait for the standby after %d rounds", n, rounds)
	}
	began := time.Now()
	if err := f.borrow(t.Context(), f.books[0].ID); !errors.Is(err, library.ErrUnavailable) || errors.Is(err, library.ErrOutcomeUnknown) || time.Since(began) > testkit.Bound(time.Second) {
		t.Errorf("a later caller is answered after %v: %v", time.Since(began), err)
	}
	f.standby.Start(t)
	testkit.Eventually(t, "it is ready by itself", func() bool { return f.store.Ping(t.Context()) == nil && idle.Ping(t.Context()) == nil })
	testkit.Eventually(t, "books are lent again", func() bool {
		_, err := f.service.AddBook(t.Context(), mustCurator(t, f.store), "", library.BookFields{Title: "later"}, 1)
		return err == nil
	})
	if n := f.waiting(t); n != 0 {
		t.Errorf("%d still wait", n)
	}
}

// TestACommitThatAnAdministratorCancelsIsNotASuccess: the server says that it has
// committed, and warns that the standby may not have it.
func TestACommitThatAnAdministratorCancelsIsNotASuccess(t *testing.T) {
	t.Parallel()
	f := newFollowed(t)
	f.standby.Stop(t, pgtest.Immediate)
	outcome := make(chan error, 1)
	go func() { outcome <- f.borrow(t.Context(), f.books[0].ID) }()
	testkit.Eventually(t, "the loan waits for the standby", func() bool { return f.waiting(t) == 1 })
	f.look(t, `SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	if err := <-outcome; !errors.Is(err, library.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "without its synchronous standby") {
		t.Errorf("the reader gets %v", err)
	}
}

func mustCurator(t *testing.T, store *sqlstore.Store) library.Actor {
	t.Helper()
	curator, err := theCurator(t.Context(), store)
	testkit.NoError(t, err)
	return curator
}

// TestAStatementThatTakesTooLongIsStillCancelled: what has not come to its COMMIT
// leaves no server process behind.
func TestAStatementThatTakesTooLongIsStillCancelled(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	slow := func(ctx context.Context) error {
		return b.store.Tx(ctx, func(tx library.Tx) error {
			sqlstore.Sleep(tx, 30)
			_, err := tx.HasOpenLoans(ctx, b.reader.User.ID)
			return err
		})
	}
	wantUnavailable(t, "a slow statement", func() error { return slow(t.Context()) })
	testkit.Eventually(t, "the server has stopped it", func() bool {
		n := 0
		err := b.others.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`).Scan(&n)
		return err == nil && n == 0
	})
}
