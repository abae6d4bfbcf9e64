package storetest

import (
	"errors"
	"testing"

	"example.org/library"
)

// raceRemoveUserHold removes somebody who places holds at the same time, and whose
// turn comes at the same time.
func raceRemoveUserHold(t *testing.T, f fixture) {
	services, actors := twoServices(t, f), f.addReaders(t, 2)
	admin, next := actors[0], actors[1]
	returned, wanted := f.addBook(t, "Emma").ID, f.addBook(t, "Persuasion").ID
	_, err := services[0].Borrow(f.ctx, admin, wanted)
	wantError(t, err, nil)
	for range 12 {
		leaving := library.Actor{User: f.addUser(t, "jane@example.com"), Authorities: admin.Authorities}
		_, err := services[0].Borrow(f.ctx, admin, returned)
		wantError(t, err, nil)
		for _, a := range []library.Actor{leaving, next} {
			_, err := services[0].PlaceHold(f.ctx, a, returned)
			wantError(t, err, nil)
		}
		var removed, placed, back error
		together(3, func(i int) {
			switch i {
			case 0:
				removed = services[0].RemoveUser(f.ctx, admin, leaving.User.ID, nil)
			case 1:
				_, placed = services[1].PlaceHold(f.ctx, leaving, wanted)
			case 2:
				_, back = services[1].Return(f.ctx, admin, returned)
			}
		})
		if placed != nil && !errors.Is(placed, library.ErrCallerGone) {
			t.Fatalf("PlaceHold: %v", placed)
		}
		wantError(t, errors.Join(removed, back), nil)
		for _, book := range []string{returned, wanted} {
			WantConsistent(t, f, book)
		}
		got, err := services[0].Borrow(f.ctx, next, returned) // it is set aside for who is next
		wantError(t, err, nil)
		wantEqual(t, got.Stock.Waiting+got.Stock.Ready, 0)
		_, err = services[0].Return(f.ctx, next, returned)
		wantError(t, err, nil)
	}
}

// raceRemoveCopyBorrow removes a copy while somebody borrows it.
func raceRemoveCopyBorrow(t *testing.T, f fixture) {
	services, actors := twoServices(t, f), f.addReaders(t, 2)
	for range 15 {
		b := f.addBook(t, "Emma")
		copies, err := services[0].Copies(f.ctx, actors[0], b.ID)
		wantError(t, err, nil)
		wantEqual(t, len(copies), 1)
		var borrowed, removed error
		together(2, func(i int) {
			if i == 0 {
				_, borrowed = services[0].Borrow(f.ctx, actors[0], b.ID)
			} else {
				removed = services[1].RemoveCopy(f.ctx, actors[1], copies[0].ID, nil)
			}
		})
		switch {
		case borrowed == nil && errors.Is(removed, library.ErrCopyOnLoan):
		case removed == nil && errors.Is(borrowed, library.ErrNotLendable):
		default:
			t.Fatalf("Borrow: %v; RemoveCopy: %v", borrowed, removed)
		}
		WantConsistent(t, f, b.ID)
	}
}
