package changes

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// revisionStays tries more than once: a revision may also count what others do on the
// same server.
func revisionStays(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	deadline := time.Now().Add(testkit.Timeout(t))
	for {
		before := f.RevisionOf(t, f, u.Email)
		testkit.NoError(t, testkit.Err(f.Books(f.Ctx, library.BookQuery{})))
		if before == f.RevisionOf(t, f, u.Email) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the revision changes all the time")
		}
	}
}

func revisionChanges(t *testing.T, f fixture.Store) {
	observer := f.AddUser(t, "jane@example.com")
	b, u := fixture.NewBook(library.BookFields{Title: "Emma"}), fixture.NewUser("john@example.com")
	edited, renamed := b, u
	edited.Title, renamed.LastName = "Persuasion", "Renamed"
	type change struct {
		name string
		fn   func(library.Tx) error
	}
	changes := func() []change {
		return []change{
			{"AddBook", func(tx library.Tx) error { return tx.AddBook(f.Ctx, b) }},
			{"UpdateBook", func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, edited) }},
			{"AddUser", func(tx library.Tx) error { return tx.AddUser(f.Ctx, u) }},
			{"UpdateUser", func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, renamed) }},
			{"a loan", func(tx library.Tx) error { _, err := f.Borrow(tx, b, u); return err }},
			{"a hold", func(tx library.Tx) error {
				_, err := f.Decide(tx, b.ID, observer.ID, fixture.BorrowedAt, library.Circulation.PlaceHold)
				return err
			}},
			{"no hold", func(tx library.Tx) error {
				_, err := f.Decide(tx, b.ID, observer.ID, fixture.BorrowedAt, library.Circulation.CancelHolds)
				return err
			}},
			{"a return", func(tx library.Tx) error { return f.GiveBack(tx, b, u) }},
			{"SavePolicy", func(tx library.Tx) error {
				p := library.DefaultPolicy()
				p.Version = library.NewID()
				return tx.SavePolicy(f.Ctx, p)
			}},
			{"Forget", func(tx library.Tx) error {
				_, err := tx.Forget(f.Ctx, u.ID, fixture.BorrowedAt.Add(24*time.Hour), 10)
				return err
			}},
			{"DeleteBook", func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) }},
			{"DeleteUser", func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) }},
		}
	}
	other := f.Open(t)
	for writer, store := range map[string]library.Store{"this handle": f.Store, "another handle": other} {
		revisions := map[library.Revision]string{f.RevisionOf(t, f, observer.Email): "the beginning"}
		for _, change := range changes() {
			if err := store.Tx(f.Ctx, change.fn); err != nil {
				t.Fatalf("%s: %v", change.name, err)
			}
			at := f.RevisionOf(t, f, observer.Email)
			if former, ok := revisions[at]; ok {
				t.Errorf("%s by %s: the revision is that of %s", change.name, writer, former)
			}
			revisions[at] = change.name
		}
	}
}

// callerNeverStale changes a user through one handle and looks through both,
// while others look all the time and fill any cache of the store.
func callerNeverStale(t *testing.T, f fixture.Store) {
	const rounds = 60
	u := f.AddUser(t, "jane@example.com")
	stores := []library.Store{f.Store, f.Open(t)}
	stop := make(chan struct{})
	var lookers sync.WaitGroup
	for _, store := range stores {
		lookers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					store.UserByEmail(f.Ctx, u.Email)
				}
			}
		})
	}
	defer lookers.Wait()
	defer close(stop)
	for i := range rounds {
		u.LastName = fmt.Sprintf("Name %d", i)
		err := stores[i%2].Tx(f.Ctx, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, u) })
		testkit.NoError(t, err)
		for _, store := range stores {
			got, _, err := store.UserByEmail(f.Ctx, u.Email)
			if err != nil || got.LastName != u.LastName {
				t.Fatalf("round %d: got %q and error %v, want %q", i, got.LastName, err, u.LastName)
			}
		}
	}
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) })
	for _, store := range stores {
		_, _, err := store.UserByEmail(f.Ctx, u.Email)
		fixture.WantError(t, err, library.ErrUserNotFound)
	}
}

func countsNeverStale(t *testing.T, f fixture.Store) {
	stores := []library.Store{f.Store, f.Open(t)}
	for i := range 20 {
		f.Store = stores[i%2]
		f.AddBook(t, "Emma")
		for _, store := range stores {
			for _, q := range []library.BookQuery{{}, {Terms: library.ParseTerms("emma")}} {
				n, err := store.CountBooks(f.Ctx, q)
				if n != i+1 || err != nil {
					t.Fatalf("CountBooks: got %d and error %v, want %d", n, err, i+1)
				}
			}
		}
	}
}
