package races

import (
	"errors"
	"testing"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// raceRemoveUserHold removes a user who at the same time places a hold, and for whom
// another book comes back.
func raceRemoveUserHold(t *testing.T, f fixture.Store) {
	services, actors := f.TwoServices(t), f.AddReaders(t, 2)
	admin, next := actors[0], actors[1]
	returned, wanted := f.AddBook(t, "Emma").ID, f.AddBook(t, "Persuasion").ID
	_, err := services[0].Borrow(f.Ctx, admin, wanted)
	fixture.WantError(t, err, nil)
	for range 12 {
		leaving := library.Actor{User: f.AddUser(t, "jane@example.com"), Authorities: admin.Authorities}
		_, err := services[0].Borrow(f.Ctx, admin, returned)
		fixture.WantError(t, err, nil)
		for _, a := range []library.Actor{leaving, next} {
			_, err := services[0].PlaceHold(f.Ctx, a, returned, "")
			fixture.WantError(t, err, nil)
		}
		var removed, placed, back error
		fixture.Concurrently(3, func(i int) {
			switch i {
			case 0:
				removed = services[0].RemoveUser(f.Ctx, admin, leaving.User.ID, nil)
			case 1:
				_, placed = services[1].PlaceHold(f.Ctx, leaving, wanted, "")
			case 2:
				_, back = services[1].Return(f.Ctx, admin, returned)
			}
		})
		if placed != nil && !errors.Is(placed, library.ErrCallerGone) {
			t.Fatalf("PlaceHold: %v", placed)
		}
		fixture.WantError(t, errors.Join(removed, back), nil)
		for _, book := range []string{returned, wanted} {
			fixture.WantConsistent(t, f, book)
		}
		got, err := services[0].Borrow(f.Ctx, next, returned) // it is set aside for the next reader
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, got.Stock.Waiting+got.Stock.Ready, 0)
		_, err = services[0].Return(f.Ctx, next, returned)
		fixture.WantError(t, err, nil)
	}
}

// raceRemoveCopyBorrow removes a copy while somebody borrows it.
func raceRemoveCopyBorrow(t *testing.T, f fixture.Store) {
	services, actors := f.TwoServices(t), f.AddReaders(t, 2)
	for range 15 {
		b := f.AddBook(t, "Emma")
		copies, err := services[0].Copies(f.Ctx, actors[0], b.ID)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, len(copies), 1)
		var borrowed, removed error
		fixture.Concurrently(2, func(i int) {
			if i == 0 {
				_, borrowed = services[0].Borrow(f.Ctx, actors[0], b.ID)
			} else {
				removed = services[1].RemoveCopy(f.Ctx, actors[1], copies[0].ID, nil)
			}
		})
		switch {
		case borrowed == nil && errors.Is(removed, library.ErrCopyOnLoan):
		case removed == nil && errors.Is(borrowed, library.ErrNotLendable):
		default:
			t.Fatalf("Borrow: %v; RemoveCopy: %v", borrowed, removed)
		}
		fixture.WantConsistent(t, f, b.ID)
	}
}
