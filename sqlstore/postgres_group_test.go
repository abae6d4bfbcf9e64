package sqlstore_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest/bookgen"
)

const grouped = 8 // callers at once, besides the first

// crowd is a library on PostgreSQL, with a book for each of several callers.
type crowd struct {
	*relay
	address string
	store   *sqlstore.Store
	service *service.Service
	reader  library.Actor
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	r := new(relay)
	address := databases["postgres"](t)
	store := open(t, r.through(t, address+"&sslmode=disable"))
	lib := service.New(store)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	testkit.NoError(t, bookgen.Fill(t.Context(), store, grouped+2))
	u, _, err := store.UserByEmail(t.Context(), "bruce.wayne@example.com")
	testkit.NoError(t, err)
	c := &crowd{r, address, store, lib, library.Actor{User: u, Authorities: u.Authorities()}}
	lendAndReturn(t, lib, c.reader, bookOf(0)) // on a connection that knows all statements
	return c
}

// bookOf is the book of a caller; the first is number 0.
func bookOf(i int) string { return bookgen.ID(i + 1) }

// atOnce runs work for all callers. The server's answers to the first are held
// back until the others have queued up.
func (c *crowd) atOnce(work func(i int)) {
	began, hold := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(began) })
	lose := func() bool { once(); <-hold; return false }
	c.lose.Store(&lose)
	var all sync.WaitGroup
	all.Go(func() { work(0) })
	<-began
	for i := range grouped {
		all.Go(func() { work(i + 1) })
	}
	time.Sleep(50 * time.Millisecond) // not long enough on a busy machine: then the groups are smaller
	c.lose.Store(nil)
	close(hold)
	all.Wait()
}

// transactions is how many have changed the library so far.
func (c *crowd) transactions(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(sqlstore.Look(t, c.store, `SELECT sum(changes)::text FROM revision`))
	testkit.NoError(t, err)
	return n
}

func (c *crowd) isLent(t *testing.T, i int) bool {
	t.Helper()
	b, err := c.store.Book(t.Context(), bookOf(i), c.reader.User.ID)
	testkit.NoError(t, err)
	return b.Loan != nil
}

func TestLoansThatQueueUpShareATransaction(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	before := c.transactions(t)
	c.atOnce(func(i int) {
		if _, err := c.service.Borrow(t.Context(), c.reader, bookOf(i)); err != nil {
			t.Errorf("caller %d: %v", i, err)
		}
	})
	for i := range grouped + 1 {
		if !c.isLent(t, i) {
			t.Errorf("the loan of caller %d is lost", i)
		}
	}
	if n := c.transactions(t) - before; n > grouped {
		t.Errorf("%d loans took %d transactions", grouped+1, n)
	}
}

func TestACallersFailureTouchesNobodyInTheGroup(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	sqlstore.Exec(t, c.store, `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'on purpose'; END $$`)
	sqlstore.Exec(t, c.store, `CREATE TRIGGER fail BEFORE INSERT ON loans FOR EACH ROW WHEN (NEW.book_id = '`+bookOf(3)+`') EXECUTE FUNCTION fail()`)
	c.atOnce(func(i int) {
		book := bookOf(i)
		if i == 5 {
			book = library.NewID()
		}
		_, err := c.service.Borrow(t.Context(), c.reader, book)
		switch {
		case i == 5 && !errors.Is(err, library.ErrBookNotFound), i == 3 && err == nil, i != 3 && i != 5 && err != nil:
			t.Errorf("caller %d: %v", i, err)
		}
	})
	for i := range grouped + 1 {
		if c.isLent(t, i) != (i != 3 && i != 5) {
			t.Errorf("caller %d: the book is lent: %t", i, c.isLent(t, i))
		}
	}
}

func TestAPanicOfAGroupEndsTheRequestsOfItsMembersOnly(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	got := func() (got any) {
		defer func() { got = recover() }()
		err := c.store.Tx(t.Context(), func(tx library.Tx) error {
			sqlstore.PanicInGroup(tx)
			_, _, err := tx.Load(t.Context(), library.Load{Book: bookOf(0), Caller: c.reader.User.Email, Now: time.Now(), Together: true})
			return err
		})
		t.Errorf("it ended with %v", err)
		return nil
	}()
	if got != "on purpose" {
		t.Errorf("the panic was %v", got)
	}
	lendAndReturn(t, c.service, c.reader, bookOf(0))
}

func TestALockedBookHoldsUpNobodyElseInTheGroup(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	conn, err := pgx.Connect(t.Context(), c.address)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	for _, text := range []string{`BEGIN`, `SELECT 1 FROM books WHERE id = '` + bookOf(2) + `' FOR UPDATE`} {
		testkit.NoError(t, testkit.Err(conn.Exec(t.Context(), text)))
	}
	var others, unlocked sync.WaitGroup
	others.Add(grouped)
	unlocked.Go(func() {
		others.Wait() // for longer the locked book would be refused
		conn.Exec(context.Background(), `ROLLBACK`)
	})
	defer unlocked.Wait()
	c.atOnce(func(i int) {
		if _, err := c.service.Borrow(t.Context(), c.reader, bookOf(i)); err != nil {
			t.Errorf("caller %d: %v", i, err)
		}
		if i != 2 {
			others.Done()
		}
	})
}

// TestAMemberThatIsSlowOrPanicsIsAlone has one member that does not decide in time,
// one that panics, and one that wants to know more than it said.
func TestAMemberThatIsSlowOrPanicsIsAlone(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	runs := make([]int, grouped+1)
	c.atOnce(func(i int) {
		defer func() {
			if p := recover(); (p != nil) != (i == 2) {
				t.Errorf("caller %d: panic %v", i, p)
			}
		}()
		err := c.store.Tx(t.Context(), func(tx library.Tx) error {
			runs[i]++
			now := time.Now()
			_, found, err := tx.Load(t.Context(), library.Load{Caller: c.reader.User.Email, Book: bookOf(i), Now: now, Together: true})
			if err != nil {
				return err
			}
			d, err := found.Borrow(now)
			if err != nil {
				return err
			}
			switch {
			case i == 1 && runs[i] == 1:
				time.Sleep(300 * time.Millisecond)
			case i == 2:
				panic("on purpose")
			case i == 3:
				if _, err := tx.HasOpenLoans(t.Context(), c.reader.User.ID); err != nil {
					t.Logf("must run alone: %v", err) // and forgets it
				}
			}
			return tx.Save(t.Context(), d)
		})
		if err != nil {
			t.Errorf("caller %d: %v", i, err)
		}
	})
	for i := range grouped + 1 {
		if c.isLent(t, i) != (i != 2) {
			t.Errorf("caller %d: the book is lent: %t", i, c.isLent(t, i))
		}
	}
}

func TestRequestsWithAKeyShareATransaction(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	borrow := func(i int) ([]byte, error) {
		o := &service.IdempotentRequest{Key: "key " + strconv.Itoa(i), Response: func(any) ([]byte, error) { return []byte(strconv.Itoa(i)), nil }}
		return c.service.DoIdempotent(t.Context(), c.reader, o, func(ctx context.Context) error {
			_, err := c.service.Borrow(ctx, c.reader, bookOf(i))
			return err
		})
	}
	before := c.transactions(t)
	c.atOnce(func(i int) {
		if _, err := borrow(i); err != nil {
			t.Errorf("caller %d: %v", i, err)
		}
	})
	if n := c.transactions(t) - before; n > grouped {
		t.Errorf("%d loans took %d transactions", grouped+1, n)
	}
	c.atOnce(func(i int) { // again: the key of each is taken, which fails the group
		if answer, err := borrow(i); err != nil || string(answer) != strconv.Itoa(i) {
			t.Errorf("caller %d again: %q, %v", i, answer, err)
		}
	})
}

// TestAGroupOfOneEndsWhateverItsMemberDoes: who is alone when it begins runs its group by itself, and
// others wait for the end of that.
func TestAGroupOfOneEndsWhateverItsMemberDoes(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	borrow := func(i int, then func(library.Tx) error) (runs int, err error) {
		err = c.store.Tx(t.Context(), func(tx library.Tx) error {
			runs++
			now := time.Now()
			_, found, err := tx.Load(t.Context(), library.Load{Caller: c.reader.User.Email, Book: bookOf(i), Now: now, Together: true})
			if err != nil {
				return err
			}
			d, err := found.Borrow(now)
			if err == nil {
				err = tx.Save(t.Context(), d)
			}
			return errors.Join(err, then(tx))
		})
		return runs, err
	}
	func() {
		defer func() {
			if p := recover(); p != "on purpose" {
				t.Errorf("panic %v", p)
			}
		}()
		borrow(0, func(library.Tx) error { panic("on purpose") })
	}()
	failure := errors.New("on purpose")
	if _, err := borrow(1, func(library.Tx) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("one that fails: %v", err)
	}
	runs, err := borrow(2, func(tx library.Tx) error {
		_, err := tx.HasOpenLoans(t.Context(), c.reader.User.ID)
		return err
	})
	if err != nil || runs != 2 {
		t.Errorf("one that wants to know more runs %d times, error %v", runs, err)
	}
	for i, isLent := range []bool{false, false, true} {
		if c.isLent(t, i) != isLent {
			t.Errorf("book %d is lent: %t", i, !isLent)
		}
	}
	lendAndReturn(t, c.service, c.reader, bookOf(0))
}
