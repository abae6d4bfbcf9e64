package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// A caller gets 503 about three seconds after the database has broken. Machines
// that run tests are busy; nothing here would end within a minute without a bound.
var soonEnough = testkit.Bound(10 * time.Second)

// broken is a library of samples in PostgreSQL, behind a relay, and a connection
// past the store with which others get in its way.
type broken struct {
	*relay
	store   *sqlstore.Store
	service *service.Service
	reader  library.Actor
	books   []library.Book
	address string // past the relay
	others  *sql.DB
}

func newBroken(t *testing.T) *broken {
	t.Helper()
	return brokenOn(t, databases["postgres"](t))
}

func brokenOn(t *testing.T, address string) *broken {
	t.Helper()
	r := new(relay)
	b := &broken{relay: r, address: address, store: open(t, r.through(t, address+"&sslmode=disable"))}
	b.service = service.New(b.store)
	testkit.NoError(t, b.service.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	u, _, err := b.store.UserByEmail(t.Context(), "bruce.wayne@example.com")
	testkit.NoError(t, err)
	b.reader = library.Actor{User: u, Authorities: u.Authorities()}
	if b.books, err = b.store.Books(t.Context(), library.BookQuery{}); err != nil {
		t.Fatal(err)
	}
	if b.others, err = sql.Open("pgx", address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.others.Close() })
	return b
}

// hold runs a statement in a transaction that stays open until the returned
// function is called.
func (b *broken) hold(t *testing.T, text string, args ...any) (end func()) {
	t.Helper()
	tx, err := b.others.Begin()
	if err == nil {
		_, err = tx.Exec(text, args...)
	}
	testkit.NoError(t, err)
	return sync.OnceFunc(func() { tx.Rollback() })
}

func wantUnavailable(t *testing.T, doing string, do func() error) {
	t.Helper()
	began := time.Now()
	err := do()
	if !errors.Is(err, library.ErrUnavailable) {
		t.Errorf("%s: got error %v", doing, err)
	}
	if took := time.Since(began); took > soonEnough {
		t.Errorf("%s: answered after %v", doing, took)
	}
}

func (b *broken) borrow(ctx context.Context, book string) error {
	_, err := b.service.Borrow(ctx, b.reader, book)
	return err
}

func (b *broken) read(ctx context.Context) error {
	_, err := b.store.User(ctx, b.reader.User.ID)
	return err
}

// TestALockedBookKeepsNobodyFromOthers lets many wait for a book that somebody
// else has locked, while others borrow other books and read.
func TestALockedBookKeepsNobodyFromOthers(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	end := b.hold(t, `SELECT 1 FROM books WHERE id = $1 FOR UPDATE`, b.books[0].ID)
	defer end()
	var waiting, working sync.WaitGroup
	for range 60 {
		waiting.Go(func() {
			for range 2 {
				wantUnavailable(t, "borrow a locked book", func() error { return b.borrow(t.Context(), b.books[0].ID) })
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	var longest time.Duration
	working.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			lendAndReturn(t, b.service, b.reader, b.books[1].ID)
			if err := b.read(t.Context()); err != nil {
				t.Error(err)
			}
			longest = max(longest, time.Since(began))
			if n := b.store.Stats().InUse; n > 8 {
				t.Errorf("%d connections are in use", n)
			}
		}
	})
	waiting.Wait()
	stop()
	working.Wait()
	t.Logf("the longest loan, return and reading of another book took %v", longest)
	if longest > testkit.Bound(3*time.Second) { // without lines it is as long as those wait
		t.Errorf("somebody waited %v for another book", longest)
	}
	end()
	if err := b.borrow(t.Context(), b.books[0].ID); err != nil {
		t.Errorf("when the book is free: %v", err)
	}
}

func TestALockedTableIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	end := b.hold(t, `LOCK TABLE users IN ACCESS EXCLUSIVE MODE`)
	conns := b.conns.Load()
	const callers = 60
	var all sync.WaitGroup
	for range callers / 2 {
		all.Go(func() { wantUnavailable(t, "read", func() error { return b.read(t.Context()) }) })
		all.Go(func() {
			wantUnavailable(t, "borrow", func() error { return b.borrow(t.Context(), b.books[0].ID) })
		})
	}
	all.Wait()
	if n := b.conns.Load() - conns; n > callers {
		t.Errorf("that took %d new connections", n)
	}
	end()
	if err := b.borrow(t.Context(), b.books[0].ID); err != nil {
		t.Errorf("when the table is free: %v", err)
	}
}

func TestWhoWaitsForACountThatFailsWaitsNoLongerThanTheFirst(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	defer b.hold(t, `LOCK TABLE books IN ACCESS EXCLUSIVE MODE`)()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			wantUnavailable(t, "count", func() error {
				_, err := b.store.CountBooks(t.Context(), library.BookQuery{})
				return err
			})
		})
	}
	all.Wait()
}

// TestWithoutATableItIsNotReady drops a table that the store needs. Callers get 503, and
// so does a load balancer that asks whether it is ready.
func TestWithoutATableItIsNotReady(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`DROP TABLE holds CASCADE`,
		`DROP TABLE books CASCADE`,
		`ALTER TABLE stock RENAME TO elsewhere`,
		`TRUNCATE revision`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			b := newBroken(t)
			testkit.NoError(t, b.store.Ping(t.Context()))
			testkit.NoError(t, testkit.Err(b.others.Exec(text)))
			if err := b.store.Ping(t.Context()); err == nil {
				t.Error("it is ready")
			}
			if _, err := b.service.Borrow(t.Context(), b.reader, b.books[0].ID); !errors.Is(err, library.ErrUnavailable) && text != `TRUNCATE revision` {
				t.Errorf("to borrow: %v", err)
			}
		})
	}
}

func TestASilentServerIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	b.silence.Lock()
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() { wantUnavailable(t, "read", func() error { return b.read(t.Context()) }) })
		all.Go(func() {
			wantUnavailable(t, "borrow", func() error { return b.borrow(t.Context(), b.books[0].ID) })
		})
	}
	all.Wait()
	b.silence.Unlock()
	if err := b.borrow(t.Context(), b.books[0].ID); err != nil {
		t.Errorf("when the server answers again: %v", err)
	}
}

// TestAServerThatComesBackSoonIsWaitedFor ends all connections, and takes none
// for a while, as a server does that is started anew.
func TestAServerThatComesBackSoonIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	b.isGone.Store(true)
	back := time.AfterFunc(500*time.Millisecond, func() { b.isGone.Store(false) })
	defer back.Stop()
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if err := b.read(t.Context()); err != nil {
				t.Errorf("read: %v", err)
			}
			if err := b.borrow(t.Context(), b.books[i%2].ID); err != nil {
				t.Errorf("borrow: %v", err)
			}
		})
	}
	all.Wait()
}

// TestATransactionThatLosesItsConnectionIsRunAgain ends the session on the server,
// between what is loaded and what is saved.
func TestATransactionThatLosesItsConnectionIsRunAgain(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	runs := 0
	u := b.reader.User
	err := b.store.Tx(t.Context(), func(tx library.Tx) error {
		if _, err := tx.User(t.Context(), u.ID); err != nil {
			return err
		}
		if runs++; runs < 3 {
			_, err := b.others.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
			testkit.NoError(t, err)
		}
		u.FirstName = "Batman"
		return tx.UpdateUser(t.Context(), u)
	})
	if err != nil || runs != 3 {
		t.Errorf("got error %v after %d runs", err, runs)
	}
}

// TestAServerThatTakesNoChangesIsLeft makes the sessions that there are read-only,
// as those of a server are that is a standby by now.
func TestAServerThatTakesNoChangesIsLeft(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	for range 3 {
		sqlstore.Exec(t, b.store, `SET default_transaction_read_only = on`)
		if err := b.borrow(t.Context(), b.books[0].ID); err != nil {
			t.Errorf("borrow: %v", err)
		}
	}
}

// TestAPausedTransactionIsEnded holds a book and does nothing, as a program does
// that was paused. The server ends that, so another program gets the book; when
// the paused one goes on it begins again, or fails because it took too long.
func TestAPausedTransactionIsEnded(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	other := service.New(open(t, b.address))
	holding, goOn := make(chan struct{}), make(chan struct{})
	var paused sync.WaitGroup
	paused.Go(func() {
		runs := 0
		err := b.store.Tx(t.Context(), func(tx library.Tx) error {
			_, c, err := tx.Load(t.Context(), library.Load{Book: b.books[0].ID, Now: time.Now()})
			if err != nil {
				return err
			}
			if runs++; runs == 1 {
				close(holding)
				<-goOn
			} else if c.Copies[0].Loan == nil {
				t.Error("begun again, it does not see what has happened meanwhile")
			}
			return nil
		})
		if err != nil && !errors.Is(err, library.ErrUnavailable) || err == nil && runs != 2 {
			t.Errorf("the paused one: %d runs, error %v", runs, err)
		}
	})
	<-holding
	if _, err := other.Borrow(t.Context(), b.reader, b.books[0].ID); err != nil {
		t.Errorf("another program: %v", err)
	}
	close(goOn)
	paused.Wait()
}

// TestOneOfSeveralServersIsEnough names two in the address, of which one at a time
// takes connections.
func TestOneOfSeveralServersIsEnough(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t) + "&sslmode=disable"
	first, second := new(relay), new(relay)
	one, err := url.Parse(first.through(t, address))
	testkit.NoError(t, err)
	two, err := url.Parse(second.through(t, address))
	testkit.NoError(t, err)
	one.Host += "," + two.Host
	store := open(t, one.String())
	for range 2 {
		for _, gone := range []*relay{first, second} {
			gone.isGone.Store(true)
			b := book("Emma")
			if err := store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }); err != nil {
				t.Errorf("write: %v", err)
			}
			if err := store.Ping(t.Context()); err != nil {
				t.Errorf("Ping: %v", err)
			}
			gone.isGone.Store(false)
		}
	}
}
