package sqlstore_test

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
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
			step := func(fn func(library.Tx) error, want sqlstore.LoanRow) {
				t.Helper()
				testkit.NoError(t, store.Tx(ctx, fn))
				want.Title, want.BorrowedAt = "Emma", since.UnixMicro()
				if got := sqlstore.LoanRows(t, store); len(got) != 1 || got[0] != want {
					t.Fatalf("got %+v, want %+v", got, want)
				}
			}
			lend := func(tx library.Tx, at time.Time, rule func(library.Circulation, time.Time) (library.Decision, error)) error {
				_, c, err := tx.Load(ctx, library.Load{Book: b.ID, Reader: u.ID, Now: at})
				if err != nil {
					return err
				}
				d, err := rule(*c, at)
				if err != nil {
					return err
				}
				return tx.Save(ctx, d)
			}
			step(func(tx library.Tx) error {
				if err := tx.AddBook(ctx, b); err != nil {
					return err
				}
				if err := tx.AddUser(ctx, u); err != nil {
					return err
				}
				return lend(tx, since, library.Circulation.Borrow)
			}, sqlstore.LoanRow{BookID: b.ID, UserID: u.ID})
			step(func(tx library.Tx) error { return lend(tx, until, library.Circulation.Return) },
				sqlstore.LoanRow{BookID: b.ID, UserID: u.ID, ReturnedAt: until.UnixMicro()})
			step(func(tx library.Tx) error { return tx.DeleteBook(ctx, b.ID) },
				sqlstore.LoanRow{UserID: u.ID, ReturnedAt: until.UnixMicro()})
			step(func(tx library.Tx) error { return tx.DeleteUser(ctx, u.ID) },
				sqlstore.LoanRow{ReturnedAt: until.UnixMicro()})
		})
	}
}

// withLendingByHand runs a test on each database, with lendingByHand in it.
func withLendingByHand(t *testing.T, test func(t *testing.T, store *sqlstore.Store)) {
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			for _, text := range lendingByHand {
				sqlstore.Exec(t, store, text)
			}
			test(t, store)
		})
	}
}

// A small library, by hand: the copy c1 of book b is lent to u1, c2 is set aside
// for u2, c3 is free. The only copy of d is lent to u2, and u1 waits for it.
var lendingByHand = []string{
	addUserByHand("u1"), addUserByHand("u2"), addUserByHand("u3"),
	addBookByHand("b"), addBookByHand("d"),
	`INSERT INTO copies (id, book_id, created_at) VALUES ('c1', 'b', 1), ('c2', 'b', 1), ('c3', 'b', 1), ('d1', 'd', 1)`,
	loanByHand("l1", "b", "c1", "u1"), loanByHand("l2", "d", "d1", "u2"),
	readyByHand("h2", "b", "c2", "u2"), waitingByHand("h1", "d", "u1"),
	`INSERT INTO loans (id, book_id, copy_id, book_title, user_id, borrowed_at, returned_at) VALUES ('old', 'b', 'c1', '', 'u3', 1, 2)`,
}

func addUserByHand(id string) string {
	return `INSERT INTO users (id, email, email_key, first_name, first_name_key, last_name, last_name_key, roles, created_at, version, search_words)
		VALUES ('` + id + `', '` + id + `', '` + id + `', '', '', '', '', '[]', 1, '1', '')`
}

func addBookByHand(id string) string {
	return `INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, created_at, version, search_words, author_words, first_copies)
		VALUES ('` + id + `', '', '', '', '', '', '["A"]', 1, '1', '', '', 0)`
}

func loanByHand(id, book, copy, user string) string {
	return `INSERT INTO loans (id, book_id, copy_id, book_title, user_id, borrowed_at)
		VALUES ('` + id + `', '` + book + `', '` + copy + `', '', '` + user + `', 1)`
}

func readyByHand(id, book, copy, user string) string {
	return `INSERT INTO holds (id, book_id, book_title, user_id, state, copy_id, until_at, created_at)
		VALUES ('` + id + `', '` + book + `', '', '` + user + `', 'ready', '` + copy + `', 9, 1)`
}

func waitingByHand(id, book, user string) string {
	return `INSERT INTO holds (id, book_id, book_title, user_id, state, created_at)
		VALUES ('` + id + `', '` + book + `', '', '` + user + `', 'waiting', 1)`
}

// TestSchemaRefuses shows that the rules of lending hold against any program.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	refused := []struct{ rule, text string }{
		{"1: a copy has one open loan", loanByHand("x", "b", "c1", "u3")},
		{"2: a person has one open loan of a book", loanByHand("x", "b", "c3", "u1")},
		{"2: a person has one active hold of a book", waitingByHand("x", "d", "u1")},
		{"2: a person with a ready hold does not wait", waitingByHand("x", "b", "u2")},
		{"3: a copy is set aside for one hold", readyByHand("x", "b", "c2", "u3")},
		{"3: a ready hold has a copy", `UPDATE holds SET copy_id = NULL WHERE id = 'h2'`},
		{"3: a ready hold has an end", `UPDATE holds SET until_at = NULL WHERE id = 'h2'`},
		{"3: a hold that waits has no copy", `UPDATE holds SET state = 'waiting' WHERE id = 'h2'`},
		{"4: what is set aside is not lent to others", loanByHand("x", "b", "c2", "u3")},
		{"4: a loan does not move to what is set aside", `UPDATE loans SET copy_id = 'c2' WHERE id = 'l1'`},
		{"4: a past loan is not opened again with what is set aside", `UPDATE loans SET copy_id = 'c2', returned_at = NULL WHERE id = 'old'`},
		{"4: what is lent is not set aside", readyByHand("x", "b", "c1", "u3")},
		{"4: a hold does not move to what is lent", `UPDATE holds SET copy_id = 'c1' WHERE id = 'h2'`},
		{"4: a hold that waits does not get what is lent", `UPDATE holds SET state = 'ready', copy_id = 'd1', until_at = 9 WHERE id = 'h1'`},
		{"4: a hold for somebody else's loan", `UPDATE holds SET user_id = 'u3', copy_id = 'c1' WHERE id = 'h2'`},
		{"a loan is of a copy of its book", loanByHand("x", "d", "c3", "u3")},
		{"a hold is of a copy of its book", readyByHand("x", "d", "c3", "u3")},
		{"an open loan has a copy", `INSERT INTO loans (id, book_id, book_title, user_id, borrowed_at) VALUES ('x', 'b', '', 'u3', 1)`},
		{"an open loan has a book", `UPDATE loans SET book_id = NULL WHERE id = 'l1'`},
		{"an open loan has a borrower", `UPDATE loans SET user_id = NULL WHERE id = 'l1'`},
		{"a lent copy stays", `DELETE FROM copies WHERE id = 'c1'`},
		{"a copy that is set aside stays", `DELETE FROM copies WHERE id = 'c2'`},
		{"a lent book stays", `DELETE FROM books WHERE id = 'b'`},
		{"a borrower stays", `DELETE FROM users WHERE id = 'u1'`},
		{"who has a hold stays", `DELETE FROM users WHERE id = 'u2'`},
		{"an ended hold has an end", `UPDATE holds SET state = 'cancelled' WHERE id = 'h1'`},
		{"an active hold has no end", `UPDATE holds SET ended_at = 5 WHERE id = 'h1'`},
		{"a hold has a known state", `UPDATE holds SET state = 'lost' WHERE id = 'h1'`},
		{"a copy has a known state", `UPDATE copies SET state = 'eaten' WHERE id = 'c3'`},
		{"a barcode is one copy's", `UPDATE copies SET barcode = '1'`},
		{"a card is one person's", `UPDATE users SET card = '1'`},
		{"there is one policy", `INSERT INTO policy (number) VALUES (2)`},
		{"a book begins with no more than 999 copies", `UPDATE books SET first_copies = 1000`},
	}
	allowed := []string{
		loanByHand("own", "b", "c2", "u2"), // set aside for this very person
		`UPDATE holds SET state = 'fulfilled', copy_id = NULL, until_at = NULL, ended_at = 5 WHERE id = 'h2'`,
		`UPDATE loans SET returned_at = 5 WHERE id = 'l2'`,
		`UPDATE holds SET state = 'ready', copy_id = 'd1', until_at = 9 WHERE id = 'h1'`,
	}
	withLendingByHand(t, func(t *testing.T, store *sqlstore.Store) {
		for _, r := range refused {
			if err := sqlstore.TryExec(t, store, r.text); err == nil {
				t.Errorf("%s: the schema accepted %s", r.rule, r.text)
			}
		}
		for _, text := range allowed {
			sqlstore.Exec(t, store, text)
		}
	})
}

// TestACopyIsNotLentAndSetAsideAtOnce lets two transactions take a copy at the
// same time, past the lock of the book that all programs take first.
func TestACopyIsNotLentAndSetAsideAtOnce(t *testing.T) {
	t.Parallel()
	lend := loanByHand("x", "b", "c3", "u3")
	setAside := `UPDATE holds SET copy_id = 'c3' WHERE id = 'h2'`
	for name, order := range map[string][2]string{"lent first": {lend, setAside}, "set aside first": {setAside, lend}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := databases["postgres"](t)
			store := open(t, address)
			for _, text := range lendingByHand {
				sqlstore.Exec(t, store, text)
			}
			pair := hands(t, address, 2)
			testdb.Exec(t, pair[0], order[0])
			second := make(chan error, 1)
			go func() {
				_, err := pair[1].ExecContext(t.Context(), order[1])
				second <- err
			}()
			select {
			case err := <-second:
				t.Errorf("the second did not wait for the first: %v", err)
				second <- err
			case <-time.After(100 * time.Millisecond):
			}
			testkit.NoError(t, pair[0].Commit())
			if err := <-second; err == nil {
				t.Error("the copy is lent to one and set aside for another")
			}
		})
	}
}
