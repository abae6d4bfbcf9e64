package races

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// whileWaiting runs a transaction that has to wait for a book, and meanwhile
// does something to the caller on whose behalf it runs.
func whileWaiting(t *testing.T, f fixture.Store, caller library.User, do func(library.Tx) error) (seen library.User, about *library.Circulation, failed error) {
	b, other := f.AddBook(t, "Emma"), f.Open(t)
	var waiting sync.WaitGroup
	f.InTx(t, func(tx library.Tx) error {
		if _, err := f.Load(tx, b.ID); err != nil {
			return err
		}
		waiting.Go(func() {
			failed = other.Tx(f.Ctx, func(tx library.Tx) (err error) {
				seen, about, err = tx.Load(f.Ctx, library.Load{Caller: caller.Email, Book: b.ID, Now: fixture.Epoch})
				return err
			})
		})
		time.Sleep(100 * time.Millisecond) // let it begin to wait
		return do(tx)
	})
	waiting.Wait()
	return seen, about, failed
}

func callerRemovedMeanwhile(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	_, _, err := whileWaiting(t, f, u, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) })
	fixture.WantError(t, err, library.ErrUserNotFound)
}

func callerEditedMeanwhile(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	edited := u
	edited.Roles, edited.LastName, edited.Version = nil, "Doe", "v2"
	seen, about, err := whileWaiting(t, f, u, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, edited) })
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, seen, edited)
	if about == nil || about.Book.Title != "Emma" {
		t.Errorf("the book is %+v", about)
	}
	edited.Email, edited.Version = "austen@example.com", "v3"
	_, _, err = whileWaiting(t, f, u, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, edited) })
	fixture.WantError(t, err, library.ErrUserNotFound) // nobody has the address any more
}

// callerIsHeld checks what Load returns when nothing is locked, and that a removal
// waits for the end of the transaction.
func callerIsHeld(t *testing.T, f fixture.Store) {
	u, b, other := f.AddUser(t, "jane@example.com"), f.AddBook(t, "Emma"), f.Open(t)
	l := f.Lend(t, b, f.AddUser(t, "emma@example.com"))
	f.TxFails(t, library.ErrUserNotFound, func(tx library.Tx) error {
		_, _, err := tx.Load(f.Ctx, library.Load{Caller: "nobody@example.com", Book: b.ID, Now: fixture.Epoch})
		return err
	})
	var removing sync.WaitGroup
	var over atomic.Bool
	f.InTx(t, func(tx library.Tx) error {
		for _, book := range []string{"", library.NewID(), b.ID} {
			caller, found, err := tx.Load(f.Ctx, library.Load{Caller: u.Email, Book: book, Now: fixture.Epoch})
			if err != nil || caller.Email != u.Email {
				t.Errorf("got %+v and error %v", caller, err)
			}
			if (found != nil) != (book == b.ID) || found != nil && found.Copies[0].Loan.ID != l.ID {
				t.Errorf("book %q: got %+v", book, found)
			}
		}
		removing.Go(func() {
			err := other.Tx(f.Ctx, func(tx library.Tx) error {
				err := tx.DeleteUser(f.Ctx, u.ID)
				if err == nil && !over.Load() {
					t.Error("the user was removed under the transaction")
				}
				return err
			})
			if err != nil {
				t.Errorf("DeleteUser: %v", err)
			}
		})
		time.Sleep(100 * time.Millisecond) // let it begin to wait
		over.Store(true)
		return nil
	})
	removing.Wait()
}

// addAdmins adds n users whose record makes them admins.
func addAdmins(t testing.TB, f fixture.Store, n int) []library.Actor {
	t.Helper()
	actors := f.AddReaders(t, n)
	for i := range actors {
		u := &actors[i].User
		u.Roles = []library.Role{library.RoleAdmin}
		f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, *u) })
		actors[i].Authorities, actors[i].FromRecord = u.Authorities(), true
	}
	return actors
}

func raceToRemoveAdmins(t *testing.T, f fixture.Store) {
	services := f.TwoServices(t)
	for range 10 {
		admins := addAdmins(t, f, 2)
		var failed [2]error
		fixture.Concurrently(2, func(i int) {
			failed[i] = services[i].RemoveUser(f.Ctx, admins[i], admins[1-i].User.ID, nil)
		})
		winner := 0
		if failed[0] != nil {
			winner = 1
		}
		if failed[winner] != nil || !errors.Is(failed[1-winner], library.ErrCallerGone) {
			t.Fatalf("the two removals: %v", failed)
		}
		f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, admins[winner].User.ID) })
	}
}

// raceToDemoteAdmins lets admins take the role from each other and from
// themselves, all at once.
func raceToDemoteAdmins(t *testing.T, f fixture.Store) {
	services := f.TwoServices(t)
	for round := range 10 {
		admins := addAdmins(t, f, 4)
		fixture.Concurrently(2*len(admins), func(i int) {
			actor := admins[i%len(admins)]
			target := admins[(i+round*(i/len(admins)))%len(admins)].User
			fields := target.UserFields
			fields.Roles = []library.Role{library.RoleUser}
			_, err := services[i%2].EditUser(f.Ctx, actor, target.ID, fields, nil)
			if err != nil && !errors.Is(err, library.ErrLastAdmin) && !errors.Is(err, library.ErrForbidden) {
				t.Errorf("EditUser: %v", err)
			}
		})
		left := 0
		for _, a := range admins {
			u, err := f.User(f.Ctx, a.User.ID)
			fixture.WantError(t, err, nil)
			if len(u.Roles) == 1 && u.Roles[0] == library.RoleAdmin {
				left++
			}
			f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, u.ID) })
		}
		if left != 1 {
			t.Fatalf("%d of %d admins are left", left, len(admins))
		}
	}
}
