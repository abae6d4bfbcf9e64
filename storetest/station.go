package storetest

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

func stationIsNoReader(t *testing.T, f fixture.Store) {
	b, u := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com")
	u.Station, u.Card, u.Version = true, "R-1", "v2"
	f.InTx(t, func(tx library.Tx) error { return tx.UpdateUser(f.Ctx, u) })
	for _, q := range []library.ReaderQuery{{}, {Card: "R-1"}} {
		readers, err := f.Readers(f.Ctx, q)
		fixture.WantError(t, err, nil)
		n, err := f.CountReaders(f.Ctx, q)
		fixture.WantError(t, err, nil)
		if len(readers)+n != 0 {
			t.Errorf("%+v finds %d readers", q, n)
		}
	}
	users, err := f.Users(f.Ctx, library.UserQuery{})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, users, []library.User{u})
	f.TxFails(t, library.ErrUserNotFound, func(tx library.Tx) error {
		_, err := f.Decide(tx, b.ID, u.ID, fixture.BorrowedAt, func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Lend(false, now) })
		return err
	})
}

func unknownCardsOfAStation(t *testing.T, f fixture.Store) {
	station, other := f.AddUser(t, "door@example.com"), f.AddUser(t, "back@example.com")
	begin := fixture.BorrowedAt
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	add := func(u library.User, seconds, before int) {
		f.InTx(t, func(tx library.Tx) error { return tx.AddUnknownCard(f.Ctx, u.ID, at(seconds), at(before)) })
	}
	want := func(u library.User, seconds ...int) {
		t.Helper()
		f.InTx(t, func(tx library.Tx) error {
			got, err := tx.UnknownCards(f.Ctx, u.ID)
			if len(got) != len(seconds) {
				t.Fatalf("%d unknown cards, want %d", len(got), len(seconds))
			}
			for i := range got {
				if !got[i].Equal(at(seconds[i])) {
					t.Errorf("the unknown card %d is at %v", i, got[i])
				}
			}
			return err
		})
	}
	want(station)
	for i := range 7 {
		add(station, i, -60)
	}
	add(other, 3, -60)
	want(station, 6, 5, 4, 3, 2)
	want(other, 3)
	add(station, 70, 10)
	want(station, 70)
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, station.ID) })
	want(station)
}

func hasBooks(t *testing.T, f fixture.Store) {
	b, jane, john := f.AddBook(t, "Emma"), f.AddUser(t, "jane@example.com"), f.AddUser(t, "john@example.com")
	want := func(u library.User, now time.Time, want bool) {
		t.Helper()
		f.InTx(t, func(tx library.Tx) error {
			got, err := tx.HasBooks(f.Ctx, u.ID, now)
			fixture.WantEqual(t, got, want)
			return err
		})
	}
	now := fixture.BorrowedAt
	want(jane, now, false)
	f.Lend(t, b, jane)
	want(jane, now, true)
	f.InTx(t, func(tx library.Tx) error {
		_, err := f.Decide(tx, b.ID, john.ID, now, library.Circulation.PlaceHold)
		return err
	})
	want(john, now, true)
	f.TakeBack(t, b, jane)
	want(jane, now, false)
	want(john, now, true)
	want(john, now.AddDate(1, 0, 0), false) // the copy was not fetched
}
