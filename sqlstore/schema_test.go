package sqlstore_test

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/sqlstore"
)

// TestLoansAreKept looks at what no method of the store shows: the past.
func TestLoansAreKept(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			store := open(t, address(t))
			b := book("Emma")
			u := library.User{ID: library.NewID(), Version: "1", UserFields: library.UserFields{
				Email: "jane@example.com", FirstName: "Jane", LastName: "Austen"}}
			since, until := time.UnixMicro(1_700_000_000_000_001).UTC(), time.UnixMicro(1_700_000_000_000_002).UTC()
			loan := library.Loan{ID: library.NewID(), BookID: b.ID, Title: b.Title, Borrower: library.Person{ID: u.ID}, Since: since}
			step := func(fn func(library.Tx) error, want sqlstore.LoanRow) {
				t.Helper()
				if err := store.Tx(ctx, fn); err != nil {
					t.Fatal(err)
				}
				want.Title, want.BorrowedAt = "Emma", since.UnixMicro()
				if got := sqlstore.LoanRows(t, store); len(got) != 1 || got[0] != want {
					t.Fatalf("got %+v, want %+v", got, want)
				}
			}
			step(func(tx library.Tx) error {
				if err := tx.AddBook(ctx, b); err != nil {
					return err
				}
				if err := tx.AddUser(ctx, u); err != nil {
					return err
				}
				return tx.OpenLoan(ctx, loan)
			}, sqlstore.LoanRow{BookID: b.ID, UserID: u.ID})
			step(func(tx library.Tx) error { return tx.CloseLoan(ctx, loan.ID, until) },
				sqlstore.LoanRow{BookID: b.ID, UserID: u.ID, ReturnedAt: until.UnixMicro()})
			step(func(tx library.Tx) error { return tx.DeleteBook(ctx, b.ID) },
				sqlstore.LoanRow{UserID: u.ID, ReturnedAt: until.UnixMicro()})
			step(func(tx library.Tx) error { return tx.DeleteUser(ctx, u.ID) },
				sqlstore.LoanRow{ReturnedAt: until.UnixMicro()})
		})
	}
}

// TestSchemaRefuses shows that the rules of lending hold against any program.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			if err := library.NewService(store).Prepare(t.Context(), library.Setup{Samples: true}); err != nil {
				t.Fatal(err)
			}
			const lend = `INSERT INTO loans (id, book_id, book_title, user_id, borrowed_at)
				SELECT $1, min(b.id), '', min(u.id), 1 FROM books b, users u`
			sqlstore.Exec(t, store, lend, "first")
			for _, text := range []string{
				lend,
				`DELETE FROM books WHERE id = (SELECT book_id FROM loans) AND $1 <> ''`,
				`DELETE FROM users WHERE id = (SELECT user_id FROM loans) AND $1 <> ''`,
				`UPDATE loans SET book_id = NULL WHERE $1 <> ''`,
				`INSERT INTO loans (id, book_title, borrowed_at) VALUES ($1, '', 1)`,
			} {
				if err := sqlstore.TryExec(t, store, text, "second"); err == nil {
					t.Errorf("the schema accepted %s", text)
				}
			}
		})
	}
}
