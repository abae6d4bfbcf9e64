package sqlstore_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// relay stands between a store and PostgreSQL. It counts how often the server
// has answered all that was sent, and can lose such an answer; it can be silent as
// a server is that was frozen or cut off, or refuse connections as if there were
// none.
type relay struct {
	trips, conns atomic.Int64
	silence      sync.RWMutex // locked: nothing is passed on
	isGone       atomic.Bool  // every connection ends at once
	// lose is called when an answer is complete, before it is passed on; true
	// ends the connection instead.
	lose atomic.Pointer[func() bool]
}

// through is the address of a server by way of the relay.
func (r *relay) through(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	testkit.NoError(t, err)
	server := u.Host
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			r.conns.Add(1)
			if r.isGone.Load() {
				client.Close()
				continue
			}
			go r.serve(client, server)
		}
	}()
	u.Host = l.Addr().String()
	return u.String()
}

func (r *relay) serve(client net.Conn, address string) {
	server, err := net.Dial("tcp", address)
	if err != nil {
		client.Close()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { r.requests(server, client); server.Close() })
	both.Go(func() { r.answers(client, server); client.Close(); server.Close() })
	both.Wait()
}

// requests passes on what the client says.
func (r *relay) requests(server io.Writer, client io.Reader) {
	part := make([]byte, 32<<10)
	for {
		n, err := client.Read(part)
		if err != nil || !r.pass(server, part[:n]) {
			return
		}
	}
}

// pass writes, but not while the relay is silent.
func (r *relay) pass(to io.Writer, part []byte) bool {
	r.silence.RLock()
	defer r.silence.RUnlock()
	_, err := to.Write(part)
	return err == nil && !r.isGone.Load()
}

// answers passes messages on: a letter, the length of the rest, the rest. The
// letter Z ends the answer to all that was sent at once.
func (r *relay) answers(client io.Writer, server io.Reader) {
	var pending []byte
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(server, head); err != nil {
			return
		}
		rest := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(server, rest); err != nil {
			return
		}
		pending = append(append(pending, head...), rest...)
		if head[0] == 'Z' {
			r.trips.Add(1)
			if lose := r.lose.Load(); lose != nil && (*lose)() {
				return
			}
		}
		if head[0] == 'Z' || head[0] == 'R' { // R: somebody is waiting to sign in
			if !r.pass(client, pending) {
				return
			}
			pending = nil
		}
	}
}

// lentThrough is a library behind a relay, with one connection that knows all
// statements, a reader and a book that is free.
func lentThrough(t *testing.T) (r *relay, store *sqlstore.Store, lib *service.Service, reader library.Actor, book string) {
	t.Helper()
	r = new(relay)
	store = open(t, r.through(t, databases["postgres"](t)+"&sslmode=disable"))
	lib = service.New(store)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	u, _, err := store.UserByEmail(t.Context(), "bruce.wayne@example.com")
	testkit.NoError(t, err)
	reader = library.Actor{User: u, Authorities: u.Authorities()}
	books, err := store.Books(t.Context(), library.BookQuery{Limit: 1})
	testkit.NoError(t, err)
	book = books[0].ID
	for range 6 { // the tenth use of a connection takes another round trip, for new plans
		lendAndReturn(t, lib, reader, book)
	}
	return r, store, lib, reader, book
}

func lendAndReturn(t *testing.T, lib *service.Service, reader library.Actor, book string) {
	t.Helper()
	testkit.NoError(t, testkit.Err(lib.Borrow(t.Context(), reader, book)))
	testkit.NoError(t, testkit.Err(lib.Return(t.Context(), reader, book)))
}

// tries is how often round trips are counted. The driver pings a connection that was idle for a second, as it may be on a
// busy machine, and that is one more.
const tries = 5

func TestLendingTakesTwoRoundTrips(t *testing.T) {
	t.Parallel()
	r, _, lib, reader, book := lentThrough(t)
	const times = 5
	const want = 2 * 2 * times
	var got int64
	for range tries {
		before := r.trips.Load()
		for range times {
			lendAndReturn(t, lib, reader, book)
		}
		if got = r.trips.Load() - before; got == want {
			return
		}
	}
	t.Errorf("%d loans and returns took %d round trips", 2*times, got)
}

// TestALostCommitIsUnknown ends the connection when the server has committed,
// before the answer arrives, and for each other answer of a transaction. What
// happened before COMMIT was sent has not happened, and is done again.
func TestALostCommitIsUnknown(t *testing.T) {
	t.Parallel()
	r, store, lib, reader, book := lentThrough(t)
	for lost, want := range map[int64]error{1: nil, 2: library.ErrOutcomeUnknown} {
		var got error
		for range tries {
			lendAndReturn(t, lib, reader, book) // on a connection that knows all statements
			var answers atomic.Int64
			lose := func() bool { return answers.Add(1) == lost }
			r.lose.Store(&lose)
			_, got = lib.Borrow(t.Context(), reader, book)
			r.lose.Store(nil)
			b, err := store.Book(t.Context(), book, reader.User.ID)
			if err != nil || b.Loan == nil {
				t.Fatalf("without answer %d: the loan is %+v, error %v", lost, b.Loan, err)
			}
			testkit.NoError(t, testkit.Err(lib.Return(t.Context(), reader, book)))
			if errors.Is(got, want) {
				break
			}
		}
		if !errors.Is(got, want) {
			t.Errorf("without answer %d: %v, want %v", lost, got, want)
		}
	}
}

// TestAChangeThatFindsNothingUndoesTheRest saves a decision about a loan that has
// been returned meanwhile, which only happens past all locks.
func TestAChangeThatFindsNothingUndoesTheRest(t *testing.T) {
	t.Parallel()
	withLendingByHand(t, func(t *testing.T, store *sqlstore.Store) {
		wrong := library.Decision{
			BookID: "b", Happened: library.BookReturned,
			AddedCopies: []library.Copy{{ID: "c4", BookID: "b", CopyFields: library.CopyFields{State: library.Lendable}}},
			Changed:     []library.Loan{{ID: "old", Returned: time.UnixMicro(7)}},
		}
		err := store.Tx(t.Context(), func(tx library.Tx) error {
			if err := tx.Save(t.Context(), library.Decision{BookID: "b", Happened: library.BookChanged, AddedCopies: wrong.AddedCopies}); err != nil {
				return err
			}
			wrong.AddedCopies = nil
			return tx.Save(t.Context(), wrong)
		})
		if !errors.Is(err, library.ErrNotOpen) {
			t.Errorf("got error %v", err)
		}
		if _, err := store.Copy(t.Context(), "c4"); !errors.Is(err, library.ErrCopyNotFound) {
			t.Errorf("the first half of it has happened: %v", err)
		}
	})
}

// TestAnAbandonedTransactionLeavesNoTrace gives up in the middle, again and again:
// no connection may be left in a transaction.
func TestAnAbandonedTransactionLeavesNoTrace(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	testkit.NoError(t, service.New(store).Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	books, err := store.Books(t.Context(), library.BookQuery{})
	testkit.NoError(t, err)
	stop := errors.New("stop")
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := store.Tx(ctx, func(tx library.Tx) error {
				if _, _, err := tx.Load(ctx, library.Load{Book: books[i%len(books)].ID, Now: time.Now()}); err != nil {
					return err
				}
				if i%2 == 0 {
					cancel()
					return nil
				}
				return stop
			})
			if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) {
				t.Errorf("got error %v", err)
			}
		})
	}
	all.Wait()
	const open = `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
	if n := sqlstore.Look(t, store, open); n != "0" {
		t.Errorf("%s connections are left in a transaction", n)
	}
}
