package sqlstore_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

func TestALimitHoldsForLoansOfOneReaderAtOnce(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	const most = 3
	sqlstore.Exec(t, c.store, `UPDATE policy SET max_loans = `+strconv.Itoa(most))
	c.atOnce(func(i int) { c.service.Borrow(t.Context(), c.reader, bookOf(i)) })
	lent := 0
	for i := range grouped + 1 {
		if c.isLent(t, i) {
			lent++
		}
	}
	if lent != most {
		t.Errorf("a reader has %d books, and may have %d", lent, most)
	}
}

// TestAGroupKnowsTheHoldsOfItsBooks has somebody who returns a book for which another waits, among others who
// borrow; and then the other, who fetches it, among those who return.
func TestAGroupKnowsTheHoldsOfItsBooks(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	const awaited = 3
	u := library.User{ID: library.NewID(), Created: time.Now(), Version: "v1", UserFields: library.UserFields{
		Email: "other@example.com", FirstName: "Another", LastName: "Reader", Roles: []library.Role{library.RoleUser},
	}}
	testkit.NoError(t, c.store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddUser(t.Context(), u) }))
	other := library.Actor{User: u, Authorities: u.Authorities()}
	testkit.NoError(t, testkit.Err(c.service.Borrow(t.Context(), other, bookOf(awaited))))
	hold, err := c.service.PlaceHold(t.Context(), c.reader, bookOf(awaited))
	testkit.NoError(t, err)
	for _, round := range []struct {
		most, awaited func(context.Context, library.Actor, string) (library.Book, error)
		who           library.Actor // has the awaited book, or gets it
		becomes       library.HoldState
	}{
		{c.service.Borrow, c.service.Return, other, library.Ready},
		{c.service.Return, c.service.Borrow, c.reader, library.Fulfilled},
	} {
		before := c.transactions(t)
		c.atOnce(func(i int) {
			do, who := round.most, c.reader
			if i == awaited {
				do, who = round.awaited, round.who
			}
			if _, err := do(t.Context(), who, bookOf(i)); err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
		})
		if n := c.transactions(t) - before; n > grouped {
			t.Errorf("%d changes took %d transactions", grouped+1, n)
		}
		hold, err = c.service.Hold(t.Context(), c.reader, hold.ID)
		testkit.NoError(t, err)
		testkit.Equal(t, hold.State, round.becomes)
	}
}

// TestALimitThatComesBeforeTheReaderIsLockedHolds: the statement by which a group locks its readers sees what was
// committed before it began. A limit comes after that and before the lock, and so does another loan of the reader, which is
// counted. In between the statement asks a row security policy, which waits for both.
func TestALimitThatComesBeforeTheReaderIsLockedHolds(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	elsewhere := service.New(open(t, c.address))
	conn, err := pgx.Connect(t.Context(), c.address)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	exec := func(text string) {
		t.Helper()
		testkit.NoError(t, testkit.Err(conn.Exec(t.Context(), text)))
	}
	// The first who asks has key 1 from then on, and waits for key 2.
	exec(`CREATE FUNCTION wait() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
		IF pg_try_advisory_lock(1) THEN PERFORM pg_advisory_lock(2); END IF; RETURN true; END $$`)
	exec(`CREATE POLICY wait ON users USING (wait())`)
	exec(`ALTER TABLE users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`)
	exec(`SELECT pg_advisory_lock(2)`)
	ended := make(chan error, 1)
	go func() {
		_, err := c.service.Borrow(t.Context(), c.reader, bookOf(0))
		ended <- err
	}()
	testkit.Eventually(t, "the group waits", func() bool {
		var waits bool
		testkit.NoError(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`).Scan(&waits))
		return waits
	})
	exec(`UPDATE policy SET max_loans = 1`)
	testkit.NoError(t, testkit.Err(elsewhere.Borrow(t.Context(), c.reader, bookOf(1))))
	exec(`SELECT pg_advisory_unlock(2)`)
	if err := <-ended; !errors.Is(err, library.ErrLoanLimit) {
		t.Errorf("the second loan of a reader who may have one: %v", err)
	}
}
