package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.org/library"
)

// Open opens an existing database: each call gives another, independent handle
// on the same one, as another process would have it.
type Open func(t testing.TB) library.Store

// fixture is an empty store and what tests do with it all the time.
type fixture struct {
	library.Store
	ctx  context.Context
	open Open
}

// newFixture opens an empty store.
func newFixture(t *testing.T, database Open) fixture {
	open := func(t testing.TB) library.Store { return patientStore{database(t)} }
	return fixture{Store: open(t), ctx: library.WithStoreTimeout(t.Context(), time.Minute), open: open}
}

// rule is a sentence about stores, and its test.
type rule struct {
	name string
	test func(*testing.T, fixture)
}

// epoch is when records are created, cut to what every store keeps.
var epoch = time.Date(2024, 2, 29, 23, 59, 59, 123456000, time.UTC)

// oneCopy is the stock of a new book.
var oneCopy = library.Stock{Copies: 1, Available: 1}

func (f fixture) tx(t testing.TB, fn func(library.Tx) error) {
	t.Helper()
	if err := f.Tx(f.ctx, fn); err != nil {
		t.Fatalf("transaction: %v", err)
	}
}

// txFails runs a transaction that must fail.
func (f fixture) txFails(t testing.TB, want error, fn func(library.Tx) error) {
	t.Helper()
	if err := f.Tx(f.ctx, fn); !errors.Is(err, want) {
		t.Fatalf("transaction: got error %v, want %v", err, want)
	}
}

func newBook(fields library.BookFields) library.Book {
	return library.Book{ID: library.NewID(), BookFields: fields, Created: epoch, Version: "v1", Stock: oneCopy}
}

func newUser(email string) library.User {
	return library.User{
		ID: library.NewID(), Created: epoch, Version: "v1",
		UserFields: library.UserFields{
			Email: email, FirstName: "First", LastName: "Last", Roles: []library.Role{library.RoleUser}, Locale: "en",
		},
	}
}

func (f fixture) addBooks(t testing.TB, books ...library.Book) {
	t.Helper()
	f.tx(t, func(tx library.Tx) error {
		for _, b := range books {
			if err := tx.AddBook(f.ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f fixture) addBook(t testing.TB, title string) library.Book {
	t.Helper()
	b := newBook(library.BookFields{Title: title})
	f.addBooks(t, b)
	return b
}

func (f fixture) addUsers(t testing.TB, users ...library.User) {
	t.Helper()
	f.tx(t, func(tx library.Tx) error {
		for _, u := range users {
			if err := tx.AddUser(f.ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f fixture) addUser(t testing.TB, email string) library.User {
	t.Helper()
	u := newUser(email)
	f.addUsers(t, u)
	return u
}

// addReaders adds n users and returns them as actors who may do everything.
func (f fixture) addReaders(t testing.TB, n int) []library.Actor {
	t.Helper()
	actors := make([]library.Actor, n)
	for i := range actors {
		actors[i].User = f.addUser(t, fmt.Sprintf("reader%d@example.com", i))
		for _, r := range library.Roles {
			actors[i].Authorities = append(actors[i].Authorities, r.Authority())
		}
	}
	return actors
}

// curator is one user who may change books, and nothing else.
func (f fixture) curator(t testing.TB) library.Actor {
	t.Helper()
	const email = "curator@example.com"
	u, _, err := f.UserByEmail(f.ctx, email)
	if errors.Is(err, library.ErrUserNotFound) {
		u, err = f.addUser(t, email), nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return library.Actor{User: u, Authorities: []string{library.RoleCurator.Authority()}}
}

func person(u library.User) library.Person {
	return library.Person{ID: u.ID, FirstName: u.FirstName, LastName: u.LastName, Version: u.Version}
}

func ref(b library.Book) library.BookRef {
	return library.BookRef{ID: b.ID, Title: b.Title, Authors: b.Authors}
}

func (f fixture) book(t testing.TB, id string) library.Book {
	t.Helper()
	b, err := f.Book(f.ctx, id, "")
	if err != nil {
		t.Fatalf("Book: %v", err)
	}
	return b
}

// revision is the store's revision. Somebody must be there to be looked up.
func (f fixture) revision(t testing.TB, store library.Store, email string) library.Revision {
	t.Helper()
	_, at, err := store.UserByEmail(f.ctx, email)
	if err != nil {
		t.Fatalf("UserByEmail: %v", err)
	}
	return at
}
