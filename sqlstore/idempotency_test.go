package sqlstore_test

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
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

func theCurator(ctx context.Context, store library.Store) (library.Actor, error) {
	u, _, err := store.UserByEmail(ctx, "peter.parker@example.com")
	return library.Actor{User: u, Authorities: u.Authorities()}, err
}

func borrowOnce(t *testing.T, s *service.Service, reader library.Actor, book, key string) (saved []byte, err error) {
	t.Helper()
	once := service.IdempotentRequest{Key: key, Response: func(result any) ([]byte, error) { return []byte(result.(library.Book).Loan.ID), nil }}
	return s.DoIdempotent(t.Context(), reader, &once, func(ctx context.Context) error {
		_, err := s.Borrow(ctx, reader, book)
		return err
	})
}

func TestAKeyTakesNoRoundTripOfItsOwn(t *testing.T) {
	t.Parallel()
	r, _, lib, reader, book := lentThrough(t)
	lend := func(key string) {
		t.Helper()
		testkit.NoError(t, testkit.Err(borrowOnce(t, lib, reader, book, key)))
		testkit.NoError(t, testkit.Err(lib.Return(t.Context(), reader, book)))
	}
	for i := range 60 { // the connection is to know every statement, also that which makes room for keys, and not to plan anew
		lend(fmt.Sprint("before ", i))
	}
	before := r.trips.Load()
	const times = 5
	for i := range times {
		lend(fmt.Sprint("after ", i))
	}
	if got := r.trips.Load() - before; got != 2*2*times {
		t.Errorf("%d loans and returns took %d round trips", 2*times, got)
	}
}

// TestALostCommitIsAnsweredAgain ends the connection when the server has committed,
// before the answer arrives: a repeated request gets the first answer.
func TestALostCommitIsAnsweredAgain(t *testing.T) {
	t.Parallel()
	r, store, lib, reader, book := lentThrough(t)
	if _, err := borrowOnce(t, lib, reader, book, "before"); err != nil { // the connection knows all statements now
		t.Fatal(err)
	}
	testkit.NoError(t, testkit.Err(lib.Return(t.Context(), reader, book)))
	var answers atomic.Int64
	lose := func() bool { return answers.Add(1) == 2 }
	r.lose.Store(&lose)
	_, err := borrowOnce(t, lib, reader, book, "k")
	r.lose.Store(nil)
	if !errors.Is(err, library.ErrOutcomeUnknown) {
		t.Fatalf("got error %v", err)
	}
	kept, err := borrowOnce(t, lib, reader, book, "k")
	b, looked := store.Book(t.Context(), book, reader.User.ID)
	if err != nil || looked != nil || b.Loan == nil || string(kept) != b.Loan.ID {
		t.Errorf("got %q and error %v; the loan is %+v", kept, err, b.Loan)
	}
}

// TestNobodyWaitsForAKey uses a key while another transaction, perhaps of another
// program, has not come to its end.
func TestNobodyWaitsForAKey(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), databases["postgres"](t)
	stores := []*sqlstore.Store{open(t, address), open(t, address)}
	testkit.NoError(t, service.New(stores[0]).Prepare(ctx, service.Setup{Samples: sample.Basic}))
	claim := func(tx library.Tx, key string) error {
		if err := tx.ClaimKey(ctx, sha256.Sum256([]byte(key)), time.Now().Add(-time.Hour)); err != nil {
			return err
		}
		_, _, err := tx.Empty(ctx) // together with this
		return err
	}
	err := stores[0].Tx(ctx, func(tx library.Tx) error {
		if err := claim(tx, "a"); err != nil {
			return err
		}
		for _, store := range stores {
			if err := store.Tx(ctx, func(tx library.Tx) error { return claim(tx, "a") }); !errors.Is(err, library.ErrKeyInUse) {
				t.Errorf("the same key: got error %v", err)
			}
			if err := store.Tx(ctx, func(tx library.Tx) error { return claim(tx, "b") }); err != nil {
				t.Errorf("another key: %v", err)
			}
		}
		return nil
	})
	testkit.NoError(t, err)
	if err := stores[1].Tx(ctx, func(tx library.Tx) error { return claim(tx, "a") }); err != nil {
		t.Errorf("after the end: %v", err)
	}
}
