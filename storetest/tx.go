package storetest

import (
	"context"
	"errors"
	"io"
	"testing"

	"example.org/library"
)

func txRollsBackOnError(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	errStop := errors.New("stop")
	f.txFails(t, errStop, func(tx library.Tx) error {
		changeEverything(t, f, tx, b, u)
		return errStop
	})
	wantUntouched(t, f, b, u)
}

func txRollsBackOnPanic(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		f.tx(t, func(tx library.Tx) error {
			changeEverything(t, f, tx, b, u)
			panic("stop")
		})
	}()
	wantUntouched(t, f, b, u)
}

func changeEverything(t *testing.T, f fixture, tx library.Tx, b library.Book, u library.User) {
	t.Helper()
	second := newBook(library.BookFields{Title: "Persuasion"})
	lend := func(b library.Book) error { _, err := f.borrow(tx, b, u); return err }
	u.LastName = "Changed"
	err := errors.Join(
		tx.AddBook(f.ctx, second), lend(second), tx.DeleteBook(f.ctx, b.ID),
		tx.AddUser(f.ctx, newUser("new@example.com")), tx.UpdateUser(f.ctx, u),
	)
	if err != nil {
		t.Errorf("change everything: %v", err)
	}
}

// wantUntouched also shows that the next transaction is not in anybody's way.
func wantUntouched(t *testing.T, f fixture, b library.Book, u library.User) {
	t.Helper()
	books, err := f.Books(f.ctx, library.BookQuery{})
	wantError(t, err, nil)
	wantEqual(t, books, []library.Book{b})
	users, err := f.Users(f.ctx, library.UserQuery{})
	wantError(t, err, nil)
	wantEqual(t, users, []library.User{u})
	f.addBook(t, "Sanditon")
}

func contextEnds(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	ended, cancel := context.WithCancel(f.ctx)
	cancel()
	errs := make(map[string]error)
	_, _, errs["UserByEmail"] = f.UserByEmail(ended, u.Email)
	_, errs["Book"] = f.Book(ended, b.ID, "")
	_, errs["Books"] = f.Books(ended, library.BookQuery{})
	_, errs["CountBooks"] = f.CountBooks(ended, library.BookQuery{})
	_, errs["User"] = f.User(ended, u.ID)
	_, errs["Users"] = f.Users(ended, library.UserQuery{})
	_, errs["LastChange"] = f.LastChange(ended)
	_, errs["Changes"] = f.Changes(ended, library.Position{}, 1)
	errs["Tx"] = f.Tx(ended, func(library.Tx) error { return nil })
	errs["Ping"] = f.Ping(ended)

	during, cancel := context.WithCancel(f.ctx)
	errs["Tx during"] = f.Tx(during, func(tx library.Tx) error {
		err := tx.DeleteBook(during, b.ID)
		cancel()
		return err
	})
	errs["statement in Tx"] = f.Tx(f.ctx, func(tx library.Tx) error {
		_, _, err := tx.Load(ended, library.Load{Book: b.ID, Now: epoch})
		return err
	})
	for what, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v, want one that is context.Canceled", what, err)
		}
	}
	wantEqual(t, f.book(t, b.ID), b)
}

func closedStore(t *testing.T, f fixture) {
	b, u := f.addBook(t, "Emma"), f.addUser(t, "jane@example.com")
	store := f.open(t)
	closer, ok := store.(io.Closer)
	if !ok {
		t.Fatal("the store cannot be closed")
	}
	if _, _, err := store.UserByEmail(f.ctx, u.Email); err != nil {
		t.Fatal(err)
	}
	if err := closer.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	errs := make(map[string]error)
	_, _, errs["UserByEmail"] = store.UserByEmail(f.ctx, u.Email)
	_, errs["Book"] = store.Book(f.ctx, b.ID, "")
	_, errs["Books"] = store.Books(f.ctx, library.BookQuery{})
	_, errs["LastChange"] = store.LastChange(f.ctx)
	_, errs["Changes"] = store.Changes(f.ctx, library.Position{}, 1)
	errs["Tx"] = store.Tx(f.ctx, func(library.Tx) error { return nil })
	errs["Ping"] = store.Ping(f.ctx)
	for what, err := range errs {
		if err == nil {
			t.Errorf("%s: succeeded on a closed store", what)
		}
	}
	wantEqual(t, f.book(t, b.ID), b) // the other handle is not concerned
}
