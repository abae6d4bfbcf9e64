package storetest

import (
	"context"
	"errors"
	"io"
	"testing"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

func txRollsBackOnError(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	errStop := errors.New("stop")
	f.TxFails(t, errStop, func(tx library.Tx) error {
		changeEverything(t, f, tx, b, u)
		return errStop
	})
	wantUntouched(t, f, b, u)
}

func txRollsBackOnPanic(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		f.InTx(t, func(tx library.Tx) error {
			changeEverything(t, f, tx, b, u)
			panic("stop")
		})
	}()
	wantUntouched(t, f, b, u)
}

func changeEverything(t *testing.T, f fixture.Store, tx library.Tx, b library.Book, u library.User) {
	t.Helper()
	second := fixture.NewBook(library.BookFields{Title: "Persuasion"})
	lend := func(b library.Book) error { _, err := f.Borrow(tx, b, u); return err }
	u.LastName = "Changed"
	err := errors.Join(
		tx.AddBook(f.Ctx, second), lend(second), tx.DeleteBook(f.Ctx, b.ID),
		tx.AddUser(f.Ctx, fixture.NewUser("new@example.com")), tx.UpdateUser(f.Ctx, u),
	)
	if err != nil {
		t.Errorf("change everything: %v", err)
	}
}

// wantUntouched also shows that the next transaction is not in anybody's way.
func wantUntouched(t *testing.T, f fixture.Store, b library.Book, u library.User) {
	t.Helper()
	books, err := f.Books(f.Ctx, library.BookQuery{})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, books, []library.Book{b})
	users, err := f.Users(f.Ctx, library.UserQuery{})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, users, []library.User{u})
	f.AddBook(t, "Sanditon")
}

func contextEnds(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	ended, cancel := context.WithCancel(f.Ctx)
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

	during, cancel := context.WithCancel(f.Ctx)
	errs["Tx during"] = f.Tx(during, func(tx library.Tx) error {
		err := tx.DeleteBook(during, b.ID)
		cancel()
		return err
	})
	errs["statement in Tx"] = f.Tx(f.Ctx, func(tx library.Tx) error {
		_, _, err := tx.Load(ended, library.Load{Book: b.ID, Now: fixture.Epoch})
		return err
	})
	for what, err := range errs {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v, want one that is context.Canceled", what, err)
		}
	}
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b)
}

func closedStore(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	store := f.Open(t)
	closer, ok := store.(io.Closer)
	if !ok {
		t.Fatal("the store cannot be closed")
	}
	if _, _, err := store.UserByEmail(f.Ctx, u.Email); err != nil {
		t.Fatal(err)
	}
	if err := closer.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	errs := make(map[string]error)
	_, _, errs["UserByEmail"] = store.UserByEmail(f.Ctx, u.Email)
	_, errs["Book"] = store.Book(f.Ctx, b.ID, "")
	_, errs["Books"] = store.Books(f.Ctx, library.BookQuery{})
	_, errs["LastChange"] = store.LastChange(f.Ctx)
	_, errs["Changes"] = store.Changes(f.Ctx, library.Position{}, 1)
	errs["Tx"] = store.Tx(f.Ctx, func(library.Tx) error { return nil })
	errs["Ping"] = store.Ping(f.Ctx)
	for what, err := range errs {
		if err == nil {
			t.Errorf("%s: succeeded on a closed store", what)
		}
	}
	fixture.WantEqual(t, f.ReadBook(t, b.ID), b) // the other handle is not concerned
}
