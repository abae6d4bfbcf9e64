package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
)

// fixture is an empty store and what tests do with it all the time.
type fixture struct {
	library.Store
	ctx  context.Context
	open Open
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

// load locks a book and loads its circulation, for the program itself.
func (f fixture) load(tx library.Tx, bookID string) (library.Circulation, error) {
	_, c, err := tx.Load(f.ctx, library.Load{Book: bookID, Now: epoch})
	if err == nil && c == nil {
		err = library.ErrBookNotFound
	}
	if err != nil {
		return library.Circulation{}, err
	}
	return *c, nil
}

// decide loads a book, asks a rule of lending as it would be asked for a reader,
// and saves the decision.
func (f fixture) decide(tx library.Tx, bookID, readerID string, now time.Time,
	rule func(library.Circulation, time.Time) (library.Decision, error)) (library.Decision, error) {
	_, c, err := tx.Load(f.ctx, library.Load{Book: bookID, Reader: readerID, Now: now})
	if err == nil && c == nil {
		err = library.ErrBookNotFound
	}
	if err != nil {
		return library.Decision{}, err
	}
	d, err := rule(*c, now)
	if err != nil {
		return d, err
	}
	return d, tx.Save(f.ctx, d)
}

// borrowed is when all loans begin.
var borrowed = epoch.Add(time.Hour)

func (f fixture) borrow(tx library.Tx, b library.Book, u library.User) (library.Loan, error) {
	d, err := f.decide(tx, b.ID, u.ID, borrowed, library.Circulation.Borrow)
	l := d.Loan
	l.Overdue, l.Renewable, l.BorrowerOverdue, l.RenewableFrom = false, false, false, time.Time{} // what is not kept
	return l, err
}

func (f fixture) giveBack(tx library.Tx, b library.Book, u library.User) error {
	_, err := f.decide(tx, b.ID, u.ID, borrowed.Add(time.Hour), library.Circulation.Return)
	return err
}

func (f fixture) lend(t testing.TB, b library.Book, u library.User) (l library.Loan) {
	t.Helper()
	f.tx(t, func(tx library.Tx) (err error) { l, err = f.borrow(tx, b, u); return err })
	return l
}

func (f fixture) takeBack(t testing.TB, b library.Book, u library.User) {
	t.Helper()
	f.tx(t, func(tx library.Tx) error { return f.giveBack(tx, b, u) })
}

// lentAs is a book with one copy, which is lent.
func lentAs(b library.Book, l library.Loan) library.Book {
	b.Loan, b.Stock = &l, library.Stock{Copies: 1, Lent: 1, Borrowed: true, Due: l.Due}
	b.Readers = []string{l.Borrower.ID}
	return b
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

func wantEqual[T any](t testing.TB, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("not as expected (-want +got):\n%s", diff)
	}
}

func wantError(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got error %v, want %v", got, want)
	}
}

func ids[T any](records []T, id func(T) string) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = id(r)
	}
	return out
}

func bookID(b library.Book) string { return b.ID }
func userID(u library.User) string { return u.ID }
