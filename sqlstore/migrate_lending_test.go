package sqlstore_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/sqlstore"
)

// eventsBefore are those of before: four books added, three lent, two returned,
// one deleted.
const eventsBefore = 10

// before is a library of the version before copies: "lent" is with u1, "back"
// was with u2 and came back, "new" was never lent, "gone" was and is deleted. The
// older program that made it goes on running.
func before(t testing.TB, address string) (*sqlstore.Store, *olderProgram) {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	sqlstore.MigrateTo(t, store, 2)
	p := startOlderProgram(t, address)
	for _, err := range []error{
		p.addUser("u1"), p.addUser("u2"),
		p.addBook("lent"), p.addBook("back"), p.addBook("new"), p.addBook("gone"),
		p.lend("lent", "u1", "l1"),
		p.lend("back", "u2", "l2"), p.lend("back", "u2", ""),
		p.lend("gone", "u2", "l3"), p.lend("gone", "u2", ""), p.run(olderDelete, "gone"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return store, p
}

// stockOf is a row of the table of stock in words.
func stockOf(t testing.TB, store *sqlstore.Store, book string) string {
	t.Helper()
	return sqlstore.Look(t, store, `SELECT 'copies ' || s.copies || ' available ' || s.available || ' waiting ' || s.waiting ||
		' lent ' || s.lent || ' ready ' || s.ready || ' borrowed ' || CASE WHEN s.borrowed THEN 'yes' ELSE 'no' END ||
		' due ' || coalesce(CAST(s.due_at AS TEXT), 'never')
		FROM stock s JOIN books b ON b.seq = s.seq WHERE b.id = $1`, book)
}

const (
	freeStock = "copies 1 available 1 waiting 0 lent 0 ready 0 borrowed no due never"
	lentStock = "copies 1 available 0 waiting 0 lent 1 ready 0 borrowed yes due never"
)

func TestAnOlderLibraryGetsCopies(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, _ := before(t, address(t))
			if applied, err := store.Migrate(t.Context()); err != nil || !slices.Contains(applied, "0003_lending.sql") {
				t.Fatalf("Migrate: %v, error %v", applied, err)
			}
			if _, kept := sqlstore.OldestChange(t, store); kept != 1+eventsBefore {
				t.Errorf("the migration has left %d changes", kept)
			}
			for book, want := range map[string]string{"lent": lentStock, "back": freeStock, "new": freeStock} {
				if got := stockOf(t, store, book); got != want {
					t.Errorf("%s: %s, want %s", book, got, want)
				}
				copies, err := store.Copies(t.Context(), book)
				if err != nil || len(copies) != 1 || copies[0].State != library.Lendable || !copies[0].Created.Equal(time.UnixMicro(1)) {
					t.Fatalf("%s: copies %+v, error %v", book, copies, err)
				}
				if _, ok := library.ParseID(copies[0].ID); !ok || copies[0].ID[14] != '4' || len(copies[0].Version) != 16 {
					t.Errorf("%s: the copy is %+v", book, copies[0])
				}
			}
			for loan, want := range map[string]string{"l1": "lent", "l2": "back", "l3": ""} {
				got := sqlstore.Look(t, store, `SELECT coalesce(c.book_id, '') FROM loans l LEFT JOIN copies c ON c.id = l.copy_id
					WHERE l.id = $1 AND l.due_at IS NULL AND l.renewals = 0 AND l.version = 0`, loan)
				if got != want {
					t.Errorf("%s is a loan of a copy of %q, want %q", loan, got, want)
				}
			}
			b, err := store.Book(t.Context(), "lent", "u1")
			if err != nil || b.Loan == nil || b.Loan.ID != "l1" || !b.Loan.Due.IsZero() || !slices.Equal(b.Loan.Book.Authors, []string{"A"}) {
				t.Errorf("the lent book is %+v with %+v, error %v", b, b.Loan, err)
			}
			p, err := store.Policy(t.Context())
			if want := library.DefaultPolicy(); err != nil || p.LoanDays != want.LoanDays || *p.HistoryDays != *want.HistoryDays ||
				!slices.Equal(p.OverdueDays, want.OverdueDays) || p.TimeZone != want.TimeZone || p.HoldDays != want.HoldDays ||
				p.Renewals != want.Renewals || p.DueSoonDays != want.DueSoonDays || p.MaxLoans+p.MaxHolds != 0 || p.BlockOverdue {
				t.Errorf("the policy is %+v, error %v", p, err)
			}
		})
	}
}

// TestAnOlderProgramGoesOn runs the statements of the version before on the new
// schema, on a connection that has prepared them on the old one.
func TestAnOlderProgramGoesOn(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, older := before(t, address(t))
			list, err := older.rows(olderList)
			if err != nil || len(list) != 3 {
				t.Fatalf("a list of %d, error %v", len(list), err)
			}
			if _, err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			again, err := older.rows(olderList)
			if err != nil || !slices.Equal(again, list) {
				t.Fatalf("after the migration the list is %v, error %v, before it was %v", again, err, list)
			}
			if lent, err := older.rows(olderLent); err != nil || !slices.Equal(lent, []string{"1"}) {
				t.Errorf("lent: %v, error %v", lent, err)
			}
			// It cannot lend, and nothing comes of the attempt.
			if err := older.lend("new", "u2", "x"); err == nil {
				t.Error("an older program lends without a copy")
			}
			if got := stockOf(t, store, "new"); got != freeStock {
				t.Errorf("after an attempt to lend: %s", got)
			}

			for what, err := range map[string]error{
				"return": older.lend("lent", "u1", ""), "edit": older.editBook("back"), "add": older.addBook("added"),
				"add user": older.addUser("u3"), "delete": older.run(olderDelete, "new"), "delete user": older.run(olderDeleteUser, "u2"),
			} {
				if err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			if found, err := older.rows(olderFindUser, "u3"); err != nil || len(found) != 1 {
				t.Errorf("the new user: %v, error %v", found, err)
			}
			for _, book := range []string{"lent", "back", "added"} {
				if got := stockOf(t, store, book); got != freeStock {
					t.Errorf("%s: %s", book, got)
				}
			}
			copies := sqlstore.Look(t, store, `SELECT count(*) || ' copies, ' || (SELECT count(*) FROM stock) || ' books' FROM copies`)
			if copies != "3 copies, 3 books" {
				t.Errorf("there are %s", copies)
			}
			var got []string
			beginning, _ := sqlstore.OldestChange(t, store)
			for _, c := range changesFrom(t, store, beginning, eventsBefore+6)[eventsBefore:] {
				got = append(got, fmt.Sprintf("%s %s %v %d", c.Kind, c.ID, c.Borrowed, c.Available))
			}
			slices.Sort(got)
			if want := "added added false 1, deleted new false 0, edited back false 1, left u2 false 0, loan l1 false 0, returned lent false 1"; strings.Join(got, ", ") != want {
				t.Errorf("events: %v", got)
			}
		})
	}
}

// TestAReturnByAnOlderProgramIsForWhoWaits: the copy is nobody else's, and the
// book is among those that the worker looks at.
func TestAReturnByAnOlderProgramIsForWhoWaits(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, older := before(t, address(t))
			if _, err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			sqlstore.Exec(t, store, waitingByHand("h", "lent", "u2"))
			sqlstore.Exec(t, store, `UPDATE stock SET waiting = 1 WHERE lent = 1`)
			if err := older.run(olderDeleteUser, "u2"); err == nil {
				t.Error("somebody with a hold was deleted")
			}
			if err := older.lend("lent", "u1", ""); err != nil {
				t.Fatal(err)
			}
			if got, want := stockOf(t, store, "lent"), "copies 1 available 0 waiting 1 lent 0 ready 0 borrowed no due never"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
			books, since, err := store.Unsettled(t.Context(), time.Now(), 10)
			if err != nil || !since.IsZero() || !slices.Equal(books, []string{"lent"}) {
				t.Errorf("unsettled: %v since %v, error %v", books, since, err)
			}
			if _, err := library.NewService(store).KeepHouse(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := stockOf(t, store, "lent"), "copies 1 available 0 waiting 0 lent 0 ready 1 borrowed no due never"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// TestMigratingWhileOthersLend migrates under programs of the version before that
// lend and return all the time.
func TestMigratingWhileOthersLend(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := address(t)
			store, older := before(t, address)
			for i := range 20 {
				if err := older.addBook(fmt.Sprint("book ", i)); err != nil {
					t.Fatal(err)
				}
			}
			stop := make(chan struct{})
			var lending sync.WaitGroup
			for i := range 4 {
				p := startOlderProgram(t, address)
				lending.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-stop:
							return
						default: // after the migration, loans fail
							p.lend(fmt.Sprint("book ", n%20), []string{"u1", "u2"}[i%2], fmt.Sprint("loan ", i, n))
							p.rows(olderList)
						}
					}
				})
			}
			time.Sleep(50 * time.Millisecond)
			_, err := store.Migrate(t.Context())
			time.Sleep(50 * time.Millisecond)
			close(stop)
			lending.Wait()
			if err != nil {
				t.Fatal(err)
			}
			wrong := sqlstore.Look(t, store, `SELECT count(*) FROM books b JOIN stock s ON s.seq = b.seq
				LEFT JOIN loans l ON l.book_id = b.id AND l.returned_at IS NULL
				WHERE s.copies <> 1 OR s.lent <> (CASE WHEN l.id IS NULL THEN 0 ELSE 1 END) OR s.lent + s.available <> 1`)
			if wrong != "0" {
				t.Errorf("the stock of %s books is wrong", wrong)
			}
		})
	}
}
