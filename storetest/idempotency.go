package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// responseAt is a response to a user under a key, a number of seconds after the epoch.
func responseAt(u library.User, key string, second int) library.SavedResponse {
	return library.SavedResponse{
		Key: sha256.Sum256([]byte(u.ID + key)), Caller: u.ID, Fingerprint: sha256.Sum256([]byte("request " + key)),
		Role: library.RoleCurator, ForStaff: true, Response: []byte("answer \x00\xff " + key),
		At: fixture.Epoch.Add(time.Duration(second) * time.Second),
	}
}

const manyResponses = 1000

// longAgo is before every response of these tests.
var longAgo = fixture.Epoch.Add(-time.Hour)

func saveResponses(t testing.TB, f fixture.Store, after time.Time, most int, answers ...library.SavedResponse) {
	t.Helper()
	f.InTx(t, func(tx library.Tx) error {
		for _, k := range answers {
			if err := tx.ClaimKey(f.Ctx, k.Key, after); err != nil {
				return err
			}
			if err := tx.SaveResponse(f.Ctx, k, after, most); err != nil {
				return err
			}
		}
		return nil
	})
}

// savedResponses reads responses, and leaves out missing ones.
func savedResponses(t testing.TB, f fixture.Store, after time.Time, answers ...library.SavedResponse) (found []library.SavedResponse) {
	t.Helper()
	for _, k := range answers {
		got, err := f.SavedResponse(f.Ctx, k.Key, after)
		testkit.NoError(t, err)
		if got != nil {
			found = append(found, *got)
		}
	}
	return found
}

func answerRoundTrip(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	first := responseAt(u, "a", 0)
	fixture.WantEqual(t, len(savedResponses(t, f, longAgo, first)), 0)
	saveResponses(t, f, longAgo, manyResponses, first)
	fixture.WantEqual(t, savedResponses(t, f, longAgo, first), []library.SavedResponse{first})
	fixture.WantEqual(t, len(savedResponses(t, f, first.At, first)), 0) // too old

	again := first
	again.Response, again.Fingerprint, again.Role, again.ForStaff, again.At = []byte("other"), sha256.Sum256(nil), "", false, fixture.Epoch.Add(time.Hour)
	f.TxFails(t, library.ErrKeyInUse, func(tx library.Tx) error {
		if err := tx.ClaimKey(f.Ctx, again.Key, longAgo); err != nil {
			return err
		}
		_, err := tx.User(f.Ctx, u.ID)
		return err
	})
	f.TxFails(t, library.ErrKeyInUse, func(tx library.Tx) error { return tx.SaveResponse(f.Ctx, again, longAgo, manyResponses) })
	fixture.WantEqual(t, savedResponses(t, f, longAgo, first), []library.SavedResponse{first})
	saveResponses(t, f, first.At, manyResponses, again) // the first is too old
	fixture.WantEqual(t, savedResponses(t, f, longAgo, first), []library.SavedResponse{again})
}

func answersGoWithTheChange(t *testing.T, f fixture.Store) {
	u, b := f.AddUser(t, "jane@example.com"), fixture.NewBook(library.BookFields{Title: "Emma"})
	k, stop := responseAt(u, "a", 0), errors.New("stop")
	for _, want := range []error{stop, nil} {
		err := f.Tx(f.Ctx, func(tx library.Tx) error {
			if err := tx.ClaimKey(f.Ctx, k.Key, longAgo); err != nil {
				return err
			}
			if err := tx.AddBook(f.Ctx, b); err != nil {
				return err
			}
			if err := tx.SaveResponse(f.Ctx, k, longAgo, manyResponses); err != nil {
				return err
			}
			return want
		})
		fixture.WantError(t, err, want)
		_, err = f.Store.Book(f.Ctx, b.ID, "")
		fixture.WantEqual(t, err == nil, want == nil)
		fixture.WantEqual(t, len(savedResponses(t, f, longAgo, k)) == 1, want == nil)
	}
	// Nothing remains of a change whose response cannot be saved.
	other := fixture.NewBook(library.BookFields{Title: "Persuasion"})
	f.TxFails(t, library.ErrKeyInUse, func(tx library.Tx) error {
		if err := tx.AddBook(f.Ctx, other); err != nil {
			return err
		}
		return tx.SaveResponse(f.Ctx, k, longAgo, manyResponses)
	})
	_, err := f.Store.Book(f.Ctx, other.ID, "")
	fixture.WantError(t, err, library.ErrBookNotFound)
}

func newestAnswersStay(t *testing.T, f fixture.Store) {
	jane, mary := f.AddUser(t, "jane@example.com"), f.AddUser(t, "mary@example.com")
	var answers []library.SavedResponse
	for i := range 10 {
		answers = append(answers, responseAt(jane, fmt.Sprint(i), i))
	}
	others := responseAt(mary, "0", 0)
	saveResponses(t, f, longAgo, 4, others)
	for _, k := range answers {
		saveResponses(t, f, longAgo, 4, k)
	}
	fixture.WantEqual(t, savedResponses(t, f, longAgo, answers...), answers[6:])
	fixture.WantEqual(t, savedResponses(t, f, longAgo, others), []library.SavedResponse{others})
}

func answersAreDropped(t *testing.T, f fixture.Store) {
	jane, mary := f.AddUser(t, "jane@example.com"), f.AddUser(t, "mary@example.com")
	var answers []library.SavedResponse
	for i := range 5 {
		answers = append(answers, responseAt(jane, fmt.Sprint(i), i))
	}
	of := responseAt(mary, "0", 9)
	saveResponses(t, f, longAgo, manyResponses, append(answers, of)...)
	drop := func(want int) {
		t.Helper()
		f.InTx(t, func(tx library.Tx) error {
			n, err := tx.DeleteResponses(f.Ctx, answers[2].At, 2)
			fixture.WantEqual(t, n, want)
			return err
		})
	}
	drop(2)
	fixture.WantEqual(t, savedResponses(t, f, longAgo, answers...), answers[2:])
	drop(1)
	drop(0)
	fixture.WantEqual(t, savedResponses(t, f, longAgo, answers...), answers[3:])

	f.InTx(t, func(tx library.Tx) error { return tx.DeleteUser(f.Ctx, jane.ID) })
	fixture.WantEqual(t, len(savedResponses(t, f, longAgo, answers...)), 0)
	fixture.WantEqual(t, savedResponses(t, f, longAgo, of), []library.SavedResponse{of})
}

// answersBecomeOld runs housekeeping when some responses are old enough.
func answersBecomeOld(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	old, young := responseAt(u, "old", 0), responseAt(u, "young", 1)
	saveResponses(t, f, longAgo, manyResponses, old, young)
	lib := service.New(f, service.WithClock(func() time.Time { return fixture.Epoch.Add(service.ResponseRetention) }))
	done, err := lib.RunHousekeeping(f.Ctx)
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, done.Dropped, 1)
	fixture.WantEqual(t, savedResponses(t, f, longAgo, old, young), []library.SavedResponse{young})
}

func raceForOneKey(t *testing.T, f fixture.Store) {
	u := f.AddUser(t, "jane@example.com")
	stores := []library.Store{f.Store, f.Open(t)}
	for round := range 5 {
		k := responseAt(u, fmt.Sprint(round), round)
		var made atomic.Int32
		fixture.Concurrently(20, func(i int) {
			err := stores[i%2].Tx(f.Ctx, func(tx library.Tx) error {
				if err := tx.ClaimKey(f.Ctx, k.Key, longAgo); err != nil {
					return err
				}
				if _, err := tx.User(f.Ctx, u.ID); err != nil {
					return err
				}
				if err := tx.AddBook(f.Ctx, fixture.NewBook(library.BookFields{Title: "Emma"})); err != nil {
					return err
				}
				return tx.SaveResponse(f.Ctx, k, longAgo, manyResponses)
			})
			switch {
			case err == nil:
				made.Add(1)
			case !errors.Is(err, library.ErrKeyInUse):
				t.Errorf("transaction: %v", err)
			}
		})
		fixture.WantEqual(t, made.Load(), 1)
	}
	n, err := f.CountBooks(f.Ctx, library.BookQuery{})
	fixture.WantEqual(t, n, 5)
	fixture.WantError(t, err, nil)
}

// callersAreBounded saves more responses for a caller than there may be: as many as there may be at once, and
// the others by one request each.
func callersAreBounded(t *testing.T, f fixture.Store) {
	curator := f.Curator(t)
	lib := service.New(f)
	const requests = 40
	began := time.Now().Add(-time.Hour)
	var digests []library.Digest
	earlier := make([]library.SavedResponse, service.MaxResponsesPerCaller)
	for i := range earlier {
		earlier[i] = responseAt(curator.User, fmt.Sprint("earlier ", i), i)
		earlier[i].At = began.Add(time.Duration(i) * time.Millisecond) // no two at once: they would be deleted together
		digests = append(digests, earlier[i].Key)
	}
	saveResponses(t, f, longAgo, 0, earlier...)
	book := f.AddBook(t, "Emma")
	add := func(key string) (saved []byte) {
		once := service.IdempotentRequest{Key: key, Response: func(any) ([]byte, error) { return []byte(key), nil }}
		saved, err := lib.DoIdempotent(f.Ctx, curator, &once, func(ctx context.Context) error {
			_, err := lib.AddCopy(ctx, curator, book.ID, "", library.CopyFields{State: library.Lost})
			if errors.Is(err, library.ErrTooManyCopies) {
				book = f.AddBook(t, "Emma")
				_, err = lib.AddCopy(ctx, curator, book.ID, "", library.CopyFields{State: library.Lost})
			}
			return err
		})
		fixture.WantError(t, err, nil)
		return saved
	}
	for i := range requests {
		key := fmt.Sprint("key ", i)
		if saved := add(key); saved != nil {
			t.Fatalf("%s was saved before", key)
		}
		digests = append(digests, sha256.Sum256([]byte(curator.User.ID+"\x00"+key)))
	}
	last := fmt.Sprint("key ", requests-1)
	fixture.WantEqual(t, string(add(last)), last)
	saved := 0
	for _, digest := range digests {
		if k, err := f.SavedResponse(f.Ctx, digest, longAgo); err != nil || k != nil {
			fixture.WantError(t, err, nil)
			saved++
		}
	}
	if saved > service.MaxResponsesPerCaller || saved < service.MaxResponsesPerCaller-128 {
		t.Errorf("%d responses are saved", saved)
	}
}
