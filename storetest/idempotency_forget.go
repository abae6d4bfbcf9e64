package storetest

import (
	"testing"
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// forgettings are the ways to forget a borrower.
func forgettings(f fixture.Store, b library.Book, reader library.User) []struct {
	how string
	fn  func(tx library.Tx) error
} {
	none, later := 0, fixture.BorrowedAt.Add(48*time.Hour)
	forget := func(userID string) func(tx library.Tx) error {
		return func(tx library.Tx) error {
			if err := f.GiveBack(tx, b, reader); err != nil {
				return err
			}
			_, err := tx.Forget(f.Ctx, userID, later, 10)
			return err
		}
	}
	return []struct {
		how string
		fn  func(tx library.Tx) error
	}{
		{"the reader forgets the history", forget(reader.ID)},
		{"the history is long enough", forget("")},
		{"no history is kept", func(tx library.Tx) error {
			_, err := f.Decide(tx, b.ID, reader.ID, later, func(c library.Circulation, now time.Time) (library.Decision, error) {
				c.Policy.HistoryDays = &none
				return c.Return(now)
			})
			return err
		}},
		{"the reader is removed", func(tx library.Tx) error {
			if err := f.GiveBack(tx, b, reader); err != nil {
				return err
			}
			return tx.DeleteUser(f.Ctx, reader.ID)
		}},
		{"the reader gets another address", func(tx library.Tx) error {
			renamed := reader
			renamed.Email = "other-" + reader.Email
			return tx.UpdateUser(f.Ctx, renamed)
		}},
		{"the reader gets another card", func(tx library.Tx) error {
			carded := reader
			carded.Card = reader.ID[:8]
			return tx.UpdateUser(f.Ctx, carded)
		}},
	}
}

// answersForget saves responses about a loan, and about the reader of another, and
// forgets the first. Its response goes in the same transaction, and its key stays.
func answersForget(t *testing.T, f fixture.Store) {
	curator, other := f.AddUser(t, "curator@example.com"), f.AddUser(t, "other@example.com")
	for i := range forgettings(f, library.Book{}, fixture.NewUser("")) {
		b, reader := f.AddBook(t, "Emma"), fixture.NewUser(library.NewID()+"@example.com")
		f.AddUsers(t, reader)
		loan := f.Lend(t, b, reader)
		named, unnamed, own := responseAt(curator, "named"+b.ID, i), responseAt(curator, "unnamed"+b.ID, i), responseAt(other, "own"+b.ID, i)
		named.About, unnamed.About, own.About = []string{f.ReadBook(t, b.ID).ID, loan.ID}, []string{library.NewID()}, nil
		saveResponses(t, f, longAgo, manyResponses, named, unnamed, own)

		c := forgettings(f, b, reader)[i]
		f.InTx(t, c.fn)
		got := savedResponses(t, f, longAgo, named)
		if len(got) != 1 || len(got[0].Response) != 0 || got[0].Fingerprint != (library.Digest{}) {
			t.Errorf("%s: the saved response is %+v", c.how, got)
		}
		f.TxFails(t, library.ErrKeyInUse, func(tx library.Tx) error { return tx.SaveResponse(f.Ctx, named, longAgo, manyResponses) })
		unnamed.About = nil // not returned
		fixture.WantEqual(t, savedResponses(t, f, longAgo, unnamed, own), []library.SavedResponse{unnamed, own})
	}
}

// answersStayUntilForgotten makes changes that forget no person.
func answersStayUntilForgotten(t *testing.T, f fixture.Store) {
	curator, reader, b := f.AddUser(t, "curator@example.com"), f.AddUser(t, "john@example.com"), f.AddBook(t, "Emma")
	loan := f.Lend(t, b, reader)
	k := responseAt(curator, "a", 0)
	k.About = []string{loan.ID, reader.ID}
	saveResponses(t, f, longAgo, manyResponses, k)
	f.InTx(t, func(tx library.Tx) error {
		reader.Locale, reader.Silent, reader.Roles, reader.Version = "de", true, nil, "v2"
		return tx.UpdateUser(f.Ctx, reader)
	})
	f.TakeBack(t, b, reader)
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, b.ID) })
	k.About = nil
	fixture.WantEqual(t, savedResponses(t, f, longAgo, k), []library.SavedResponse{k})
}
