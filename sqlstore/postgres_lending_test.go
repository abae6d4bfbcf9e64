package sqlstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest/bookgen"
)

const inCrowd = 9 // callers at once

// crowd is a library on PostgreSQL, with a book for each of several callers.
type crowd struct {
	address string
	store   *sqlstore.Store
	service *service.Service
	reader  library.Actor
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	address := databases["postgres"](t)
	store := open(t, address)
	lib := service.New(store)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	testkit.NoError(t, bookgen.Fill(t.Context(), store, inCrowd+1))
	u, _, err := store.UserByEmail(t.Context(), "bruce.wayne@example.com")
	testkit.NoError(t, err)
	return &crowd{address, store, lib, library.Actor{User: u, Authorities: u.Authorities()}}
}

// bookOf returns the book of a caller; the first is number 0.
func bookOf(i int) string { return bookgen.ID(i + 1) }

// TestALimitThatComesBeforeTheReaderIsLockedHolds: the statement that locks the reader sees what was
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
	testkit.Eventually(t, "the loan waits", func() bool {
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
