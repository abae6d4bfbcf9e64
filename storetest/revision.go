package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.org/library"
)

// revisionStays tries more than once: a database may count what others do on
// the same server.
func revisionStays(t *testing.T, f fixture) {
	u := f.addUser(t, "jane@example.com")
	deadline := time.Now().Add(20 * time.Second)
	for {
		before := f.revision(t, f, u.Email)
		if _, err := f.Books(f.ctx, library.BookQuery{}); err != nil {
			t.Fatal(err)
		}
		if before == f.revision(t, f, u.Email) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the revision changes all the time")
		}
	}
}

func revisionChanges(t *testing.T, f fixture) {
	observer := f.addUser(t, "jane@example.com")
	b, u := newBook(library.BookFields{Title: "Emma"}), newUser("john@example.com")
	edited, renamed := b, u
	edited.Title, renamed.LastName = "Persuasion", "Renamed"
	type change struct {
		name string
		fn   func(library.Tx) error
	}
	changes := func() []change {
		return []change{
			{"AddBook", func(tx library.Tx) error { return tx.AddBook(f.ctx, b) }},
			{"UpdateBook", func(tx library.Tx) error { return tx.UpdateBook(f.ctx, edited) }},
			{"AddUser", func(tx library.Tx) error { return tx.AddUser(f.ctx, u) }},
			{"UpdateUser", func(tx library.Tx) error { return tx.UpdateUser(f.ctx, renamed) }},
			{"a loan", func(tx library.Tx) error { _, err := f.borrow(tx, b, u); return err }},
			{"a hold", func(tx library.Tx) error {
				_, err := f.decide(tx, b.ID, observer.ID, borrowed, library.Circulation.PlaceHold)
				return err
			}},
			{"no hold", func(tx library.Tx) error {
				_, err := f.decide(tx, b.ID, observer.ID, borrowed, library.Circulation.CancelHolds)
				return err
			}},
			{"a return", func(tx library.Tx) error { return f.giveBack(tx, b, u) }},
			{"SavePolicy", func(tx library.Tx) error {
				p := library.DefaultPolicy()
				p.Version = library.NewID()
				return tx.SavePolicy(f.ctx, p)
			}},
			{"Forget", func(tx library.Tx) error {
				_, err := tx.Forget(f.ctx, u.ID, borrowed.Add(24*time.Hour), 10)
				return err
			}},
			{"DeleteBook", func(tx library.Tx) error { return tx.DeleteBook(f.ctx, b.ID) }},
			{"DeleteUser", func(tx library.Tx) error { return tx.DeleteUser(f.ctx, u.ID) }},
		}
	}
	other := f.open(t)
	for writer, store := range map[string]library.Store{"this handle": f.Store, "another handle": other} {
		seen := map[library.Revision]string{f.revision(t, f, observer.Email): "the beginning"}
		for _, change := range changes() {
			if err := store.Tx(f.ctx, change.fn); err != nil {
				t.Fatalf("%s: %v", change.name, err)
			}
			at := f.revision(t, f, observer.Email)
			if former, ok := seen[at]; ok {
				t.Errorf("%s by %s: the revision is that of %s", change.name, writer, former)
			}
			seen[at] = change.name
		}
	}
}

// callerNeverStale changes a user through one handle and looks through both,
// while others look all the time and fill whatever memory a store may have.
func callerNeverStale(t *testing.T, f fixture) {
	const rounds = 60
	u := f.addUser(t, "jane@example.com")
	stores := []library.Store{f.Store, f.open(t)}
	stop := make(chan struct{})
	var lookers sync.WaitGroup
	for _, store := range stores {
		lookers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					store.UserByEmail(f.ctx, u.Email)
				}
			}
		})
	}
	defer lookers.Wait()
	defer close(stop)
	for i := range rounds {
		u.LastName = fmt.Sprintf("Name %d", i)
		err := stores[i%2].Tx(f.ctx, func(tx library.Tx) error { return tx.UpdateUser(f.ctx, u) })
		if err != nil {
			t.Fatal(err)
		}
		for _, store := range stores {
			got, _, err := store.UserByEmail(f.ctx, u.Email)
			if err != nil || got.LastName != u.LastName {
				t.Fatalf("round %d: got %q and error %v, want %q", i, got.LastName, err, u.LastName)
			}
		}
	}
	f.tx(t, func(tx library.Tx) error { return tx.DeleteUser(f.ctx, u.ID) })
	for _, store := range stores {
		_, _, err := store.UserByEmail(f.ctx, u.Email)
		wantError(t, err, library.ErrUserNotFound)
	}
}

func countsNeverStale(t *testing.T, f fixture) {
	stores := []library.Store{f.Store, f.open(t)}
	for i := range 20 {
		f.Store = stores[i%2]
		f.addBook(t, "Emma")
		for _, store := range stores {
			for _, q := range []library.BookQuery{{}, {Terms: library.ParseTerms("emma")}} {
				n, err := store.CountBooks(f.ctx, q)
				if n != i+1 || err != nil {
					t.Fatalf("CountBooks: got %d and error %v, want %d", n, err, i+1)
				}
			}
		}
	}
}
