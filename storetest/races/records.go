// Package races tests that a store keeps its promises when several callers change the
// same records at the same time, through two handles. Start reading at [Rules].
package races

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// Rules are about callers who change the same records at once.
var Rules = []fixture.Rule{
	{"who waited for a book sees what happened meanwhile", waitedForBook},
	{"transactions that block each other both succeed", deadlockIsRepeated},
	{"of many who borrow a book at once one gets it", raceForOneBook},
	{"a reader who borrows twice at once succeeds twice", raceWithOneself},
	{"a book is never lent and deleted at once", raceLendDeleteBook},
	{"a user never borrows and is deleted at once", raceLendDeleteUser},
	{"a caller who is removed while waiting for a book is not found", callerRemovedMeanwhile},
	{"a caller whose record changes while waiting for a book is seen as it is then", callerEditedMeanwhile},
	{"a caller stays as long as the transaction", callerIsHeld},
	{"of two admins who remove each other one remains", raceToRemoveAdmins},
	{"of admins who give up the role at once one remains", raceToDemoteAdmins},
	{"a thousand first logins at once make one record", raceToArrive},
	{"of two subjects with one address at once one keeps the record", raceForOneRecord},
	{"of two subjects who take over one address at once one gets it, and both keep their records", raceForOneAddress},
	{"several programs may fill an empty library", raceToPrepare},
	{"of fifty loans of one reader at once there are as many as are allowed", raceForMaxLoans},
	{"of fifty holds of one reader at once there are as many as are allowed", raceForMaxHolds},
	{"the same holds for the loans of a rule for kinds of books", raceForLoansOfKinds},
	{"and for its holds", raceForHoldsOfKinds},
	{"of a renewal and a new hold one comes first, and both are told so", raceRenewHold},
	{"a hold that ends when it is fetched has one outcome", raceFetchExpire},
	{"each loan follows one policy", racePolicy},
	{"a new limit counts the loans that are under way", newLimitCountsLoans},
	{"a new limit is known to the loans that wait for their reader", newLimitWhileWaiting},
	{"a user never holds a book and is deleted at once", raceRemoveUserHold},
	{"a copy is never lent and removed at once", raceRemoveCopyBorrow},
}

// waitedForBook lends a book to a user who did not exist when the other transaction
// began to wait.
func waitedForBook(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), fixture.NewUser("jane@example.com")
	other := f.Open(t)
	var (
		seen    library.Circulation
		waiting sync.WaitGroup
	)
	f.InTx(t, func(tx library.Tx) error {
		if _, err := f.Load(tx, b.ID); err != nil {
			return err
		}
		waiting.Go(func() {
			err := other.Tx(f.Ctx, func(tx library.Tx) (err error) { seen, err = f.Load(tx, b.ID); return err })
			if err != nil {
				t.Errorf("the waiting transaction: %v", err)
			}
		})
		time.Sleep(100 * time.Millisecond) // let it begin to wait
		if err := tx.AddUser(f.Ctx, u); err != nil {
			return err
		}
		_, err := f.Borrow(tx, b, u)
		return err
	})
	waiting.Wait()
	if l := seen.Copies[0].Loan; l == nil || l.Borrower.ID != u.ID {
		t.Errorf("got the loan %+v, want one to %s", l, u.ID)
	}
}

// deadlockIsRepeated locks two books in opposite orders.
func deadlockIsRepeated(t *testing.T, f fixture.Store) {
	books := []library.Book{f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")}
	fixture.Concurrently(2, func(i int) {
		err := f.Tx(f.Ctx, func(tx library.Tx) error {
			if _, err := f.Load(tx, books[i].ID); err != nil {
				return err
			}
			time.Sleep(100 * time.Millisecond) // until the other one has its book
			_, err := f.Load(tx, books[1-i].ID)
			return err
		})
		if err != nil {
			t.Errorf("transaction %d: %v", i, err)
		}
	})
}

func raceForOneBook(t *testing.T, f fixture.Store) {
	const readers = 200
	b := f.AddBook(t, "Emma")
	users := []library.User{f.AddUser(t, "jane@example.com")}
	for i := range readers - 1 {
		users = append(users, fixture.NewUser(fmt.Sprintf("reader%d@example.com", i)))
	}
	f.AddUsers(t, users[1:]...)
	stores := []library.Store{f.Store, f.Open(t)}
	var lent atomic.Int32
	fixture.Concurrently(readers, func(i int) {
		err := stores[i%2].Tx(f.Ctx, func(tx library.Tx) error { _, err := f.Borrow(tx, b, users[i]); return err })
		switch {
		case err == nil:
			lent.Add(1)
		case !errors.Is(err, library.ErrBookBorrowed):
			t.Errorf("Borrow: %v", err)
		}
	})
	if n := lent.Load(); n != 1 {
		t.Errorf("%d of %d got the book", n, readers)
	}
}

func raceWithOneself(t *testing.T, f fixture.Store) {
	reader := f.AddReaders(t, 1)[0]
	services := f.TwoServices(t)
	for range 10 {
		b := f.AddBook(t, "Emma")
		fixture.Concurrently(4, func(i int) {
			got, err := services[i%2].Borrow(f.Ctx, reader, b.ID)
			if err != nil || got.Loan == nil || got.Loan.Borrower.ID != reader.User.ID {
				t.Errorf("Borrow: got %+v and error %v", got.Loan, err)
			}
		})
	}
}

func raceLendDeleteBook(t *testing.T, f fixture.Store) {
	readers := f.AddReaders(t, 2)
	services := f.TwoServices(t)
	for range 15 {
		b := f.AddBook(t, "Emma")
		var borrowed, deleted error
		fixture.Concurrently(2, func(i int) {
			if i == 0 {
				_, borrowed = services[0].Borrow(f.Ctx, readers[0], b.ID)
			} else {
				deleted = services[1].DeleteBook(f.Ctx, readers[1], b.ID, nil)
			}
		})
		switch {
		case borrowed == nil && errors.Is(deleted, library.ErrBookOnLoan):
			if f.ReadBook(t, b.ID).Loan == nil {
				t.Error("the loan is lost")
			}
		case deleted == nil && errors.Is(borrowed, library.ErrBookNotFound):
		default:
			t.Errorf("Borrow: %v; DeleteBook: %v", borrowed, deleted)
		}
	}
}

func raceLendDeleteUser(t *testing.T, f fixture.Store) {
	admin := f.AddReaders(t, 1)[0]
	services := f.TwoServices(t)
	b := f.AddBook(t, "Emma")
	for range 15 {
		reader := admin
		reader.User = f.AddUser(t, "jane@example.com")
		var borrowed, removed error
		fixture.Concurrently(2, func(i int) {
			if i == 0 {
				_, borrowed = services[0].Borrow(f.Ctx, reader, b.ID)
			} else {
				removed = services[1].RemoveUser(f.Ctx, admin, reader.User.ID, nil)
			}
		})
		switch {
		case borrowed == nil && errors.Is(removed, library.ErrUserHasBooks):
			if _, err := services[0].Return(f.Ctx, reader, b.ID); err != nil {
				t.Fatalf("Return: %v", err)
			}
			f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, reader.User.ID) })
		case removed == nil && errors.Is(borrowed, library.ErrCallerGone):
		default:
			t.Fatalf("Borrow: %v; RemoveUser: %v", borrowed, removed)
		}
	}
}

func raceToPrepare(t *testing.T, f fixture.Store) {
	stores := []library.Store{f.Store, f.Open(t)}
	fixture.Concurrently(6, func(i int) {
		setup := service.Setup{Samples: sample.Lending, Admin: "root@example.com"}
		if err := service.New(stores[i%2]).Prepare(f.Ctx, setup); err != nil {
			t.Errorf("Prepare: %v", err)
		}
	})
	users, err := f.CountUsers(f.Ctx, library.UserQuery{})
	if users != 11 || err != nil {
		t.Errorf("got %d users and error %v, want 10 samples and an admin", users, err)
	}
	books, err := f.CountBooks(f.Ctx, library.BookQuery{})
	if books != 16 || err != nil {
		t.Errorf("got %d books and error %v, want 16 samples", books, err)
	}
}
