package sqlstore_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// addOnce adds a book whose title is the key of the request, unless that was done
// before, and returns its identifier.
func addOnce(ctx context.Context, s *service.Service, curator library.Actor, key string) (string, error) {
	var added library.Book
	once := service.IdempotentRequest{Key: key, Fingerprint: sha256.Sum256([]byte(key)), Response: func(result any) ([]byte, error) {
		return []byte(result.(library.Book).ID), nil
	}}
	kept, err := s.DoIdempotent(ctx, curator, &once, func(ctx context.Context) (err error) {
		added, err = s.AddBook(ctx, curator, "", library.BookFields{Title: key}, 1)
		return err
	})
	if kept != nil {
		return string(kept), err
	}
	return added.ID, err
}

func theCurator(ctx context.Context, store library.Store) (library.Actor, error) {
	u, _, err := store.UserByEmail(ctx, "peter.parker@example.com")
	return library.Actor{User: u, Authorities: u.Authorities()}, err
}

// addUntilKilled adds books under keys of their own, and prints each key before
// and each identifier after.
func addUntilKilled(ctx context.Context, store library.Store) error {
	curator, err := theCurator(ctx, store)
	if err != nil {
		return err
	}
	lib := service.New(store)
	var all sync.WaitGroup
	var print sync.Mutex
	say := func(words ...any) {
		print.Lock()
		defer print.Unlock()
		fmt.Println(append(words, "end")...)
	}
	for range 4 {
		all.Go(func() {
			for {
				key := library.NewID()
				say("ask", key)
				id, err := addOnce(ctx, lib, curator, key)
				if err != nil {
					id = "failed"
				}
				say("answered", key, id)
			}
		})
	}
	all.Wait()
	return nil
}

// TestARepeatedRequestIsDoneOnceThoughTheProgramWasKilled kills a program while it
// adds books under keys, and then repeats all of its requests: each book is there
// once, and is the one that the answer named.
func TestARepeatedRequestIsDoneOnceThoughTheProgramWasKilled(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, address := t.Context(), address(t)
			store := open(t, address)
			lib := service.New(store)
			testkit.NoError(t, lib.Prepare(ctx, service.Setup{Samples: sample.Basic}))
			curator, err := theCurator(ctx, store)
			testkit.NoError(t, err)
			for round := range 5 {
				answered := killAdding(t, address, 20+13*round)
				for key, id := range answered {
					again, err := untilFree(func() (string, error) { return addOnce(ctx, lib, curator, key) })
					if err != nil || id != "" && again != id {
						t.Errorf("answered with %q, and then with %q and error %v", id, again, err)
					}
					books, err := store.Books(ctx, library.BookQuery{Terms: library.ParseTerms(key)})
					if err != nil || len(books) != 1 || books[0].ID != again {
						t.Errorf("there are %d books, error %v", len(books), err)
					}
				}
			}
		})
	}
}

// untilFree repeats a request as long as the server has not noticed that the
// program which sent it first is gone.
func untilFree(send func() (string, error)) (string, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		id, err := send()
		if !errors.Is(err, library.ErrKeyInUse) || time.Since(began) > testkit.Bound(20*time.Second) {
			return id, err
		}
	}
}

// killAdding starts the program, kills it after n answers and returns the
// identifier, or "", for each key.
func killAdding(t *testing.T, address string, n int) map[string]string {
	t.Helper()
	cmd := child(t, "once", address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	testkit.NoError(t, err)
	testkit.NoError(t, cmd.Start())
	answered, answers := map[string]string{}, 0
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		words := strings.Fields(scanner.Text())
		switch {
		case len(words) == 3 && words[0] == "ask":
			answered[words[1]] = ""
		case len(words) == 4 && words[3] == "end": // the last line may be cut
			if words[2] == "failed" {
				t.Errorf("%v", words)
			}
			answered[words[1]] = words[2]
			if answers++; answers == n {
				cmd.Process.Kill()
			}
		}
	}
	cmd.Wait()
	if answers < n {
		t.Fatalf("the program stopped by itself after %d answers", answers)
	}
	return answered
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
