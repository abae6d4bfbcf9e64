package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest/fixture"
)

// TestLendingSurvivesACrash kills a program in which readers borrow, return,
// reserve and cancel, again and again. Afterwards everybody has what the answers
// said that they have, the queue is as it was answered, and no copy is lost
// between a hold and the shelf.
func TestLendingSurvivesACrash(t *testing.T) {
	t.Parallel()
	const kills = 6
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := address(t)
			store := open(t, address)
			books := prepareLending(t, store)
			for n := range kills {
				before := holdings(t, store, books)
				answered := killLending(t, address, 30+17*n)
				awaitServer(t, store, books)
				after := holdings(t, store, books)
				for _, b := range books {
					fixture.WantConsistent(t, store, b)
				}
				wantAnswered(t, before, after, answered)
				wantOrder(t, store, books, answered)
			}
			sqlstore.CheckIntegrity(t, store)
		})
	}
}

// prepareLending adds readers, and books of two copies.
func prepareLending(t *testing.T, store library.Store) (books []string) {
	t.Helper()
	err := store.Tx(t.Context(), func(tx library.Tx) error {
		books = nil
		for range 2 {
			b := book("Emma")
			b.Stock = library.Stock{Copies: 2, Available: 2}
			books = append(books, b.ID)
			if err := tx.AddBook(t.Context(), b); err != nil {
				return err
			}
		}
		for i := range 6 {
			u := library.User{ID: library.NewID(), Version: "1", UserFields: library.UserFields{
				Email: fmt.Sprintf("reader%d@example.com", i), FirstName: "First", LastName: "Last", Roles: []library.Role{library.RoleUser},
			}}
			if err := tx.AddUser(t.Context(), u); err != nil {
				return err
			}
		}
		return nil
	})
	testkit.NoError(t, err)
	return books
}

// lendUntilKilled lets every reader do something all the time, and prints what
// they ask for and what the answer is.
func lendUntilKilled(ctx context.Context, store library.Store) error {
	users, err := store.Users(ctx, library.UserQuery{})
	if err != nil {
		return err
	}
	books, err := store.Books(ctx, library.BookQuery{})
	if err != nil {
		return err
	}
	lib := service.New(store)
	var (
		all   sync.WaitGroup
		print sync.Mutex
	)
	say := func(words ...any) {
		print.Lock()
		defer print.Unlock()
		fmt.Println(words...)
	}
	for _, u := range users {
		all.Go(func() {
			reader := library.Actor{User: u, Authorities: u.Authorities()}
			for {
				b, act := books[rand.IntN(len(books))].ID, pickAct()
				say("ask", u.ID, b, act)
				say("answered", u.ID, b, act, perform(ctx, lib, reader, b, act), "end")
			}
		})
	}
	all.Wait()
	return nil
}

func pickAct() string {
	acts := []string{"borrow", "borrow", "return", "hold", "hold", "hold", "cancel"}
	return acts[rand.IntN(len(acts))]
}

// perform returns "done", or the code of the refusal.
func perform(ctx context.Context, s *service.Service, reader library.Actor, bookID, act string) string {
	var err error
	switch act {
	case "borrow":
		_, err = s.Borrow(ctx, reader, bookID)
	case "return":
		_, err = s.Return(ctx, reader, bookID)
	case "hold":
		_, err = s.PlaceHold(ctx, reader, bookID)
	case "cancel":
		b, looked := s.Book(ctx, reader, bookID)
		if looked != nil || b.Hold == nil {
			return "nothing"
		}
		err = s.CancelHold(ctx, reader, b.Hold.ID)
	}
	var refusal *library.Error
	switch {
	case errors.As(err, &refusal):
		return refusal.Code
	case err != nil:
		return "failed"
	}
	return "done"
}

// lendingLine is a request of a reader, or the answer to it.
type lendingLine struct{ word, reader, book, act, answer string }

// killLending starts the program, kills it after n answers and returns what it
// said until then.
func killLending(t *testing.T, address string, n int) (lines []lendingLine) {
	t.Helper()
	cmd := child(t, "lend", address)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	testkit.NoError(t, err)
	testkit.NoError(t, cmd.Start())
	answers := 0
	for scanner := bufio.NewScanner(out); scanner.Scan(); {
		words := strings.Fields(scanner.Text())
		switch {
		case len(words) == 4 && words[0] == "ask":
			lines = append(lines, lendingLine{words[0], words[1], words[2], words[3], ""})
		case len(words) == 6 && words[0] == "answered" && words[5] == "end": // the last line may be cut
			lines = append(lines, lendingLine{words[0], words[1], words[2], words[3], words[4]})
			if words[4] == "failed" {
				t.Errorf("%v", words)
			}
			if answers++; answers == n {
				cmd.Process.Kill()
			}
		}
	}
	cmd.Wait()
	if answers < n {
		t.Fatalf("the program stopped by itself after %d answers", answers)
	}
	return lines
}

// awaitServer waits for what the database had been asked to do before its client
// was killed.
func awaitServer(t *testing.T, store library.Store, books []string) {
	t.Helper()
	for _, b := range books {
		err := store.Tx(t.Context(), func(tx library.Tx) error {
			_, _, err := tx.Load(t.Context(), library.Load{Book: b, Now: time.Now()})
			return err
		})
		testkit.NoError(t, err)
	}
}

// holding is what a reader has of a book: a loan, a hold or nothing.
type holding struct{ reader, book string }

func holdings(t *testing.T, store library.Store, books []string) map[holding]string {
	t.Helper()
	found := make(map[holding]string)
	for _, b := range books {
		loans, err := store.Loans(t.Context(), library.LoanQuery{Filter: library.OpenLoans, BookID: b})
		testkit.NoError(t, err)
		for _, l := range loans {
			found[holding{l.Borrower.ID, b}] = "loan"
		}
		for _, h := range activeHolds(t, store, b) {
			if of := (holding{h.Holder.ID, b}); found[of] == "" {
				found[of] = "hold"
			} else {
				t.Errorf("somebody has a %s and a hold", found[of])
			}
		}
	}
	return found
}

func activeHolds(t *testing.T, store library.Store, bookID string) []library.Hold {
	t.Helper()
	holds, err := store.Holds(t.Context(), library.HoldQuery{Filter: library.ActiveHolds, BookID: bookID})
	testkit.NoError(t, err)
	return holds
}

// wantAnswered checks that everybody has what the answers said. Only those who asked
// for something and got no answer may have it or not.
func wantAnswered(t *testing.T, before, after map[holding]string, lines []lendingLine) {
	t.Helper()
	effect := map[string]string{"borrow": "loan", "return": "", "hold": "hold", "cancel": ""}
	has, asking := before, make(map[holding]string)
	for _, l := range lines {
		of := holding{l.reader, l.book}
		switch {
		case l.word == "ask":
			asking[of] = l.act
			continue
		case l.answer == "done":
			has[of] = effect[l.act]
		}
		delete(asking, of)
	}
	for _, l := range lines {
		of := holding{l.reader, l.book}
		act, unheard := asking[of]
		if after[of] != has[of] && !(unheard && after[of] == effect[act]) {
			t.Errorf("the last answer to a reader was %q, the last request was to %q, and the reader has %q", has[of], act, after[of])
		}
	}
}

// wantOrder checks that a reader who was given a place before another one asked for
// one is before that one.
func wantOrder(t *testing.T, store library.Store, books []string, lines []lendingLine) {
	t.Helper()
	type place struct{ asked, answered int } // by line
	asked, given := make(map[holding]int), make(map[holding]place)
	for i, l := range lines {
		of := holding{l.reader, l.book}
		switch {
		case l.word == "ask":
			asked[of] = i
		case l.answer == "done" && l.act == "hold":
			given[of] = place{asked[of], i}
		case l.answer == "done":
			delete(given, of)
		}
	}
	for _, b := range books {
		queue := activeHolds(t, store, b)
		for i, h := range queue {
			for _, other := range queue[i+1:] {
				before, known := given[holding{h.Holder.ID, b}]
				after, alsoKnown := given[holding{other.Holder.ID, b}]
				if known && alsoKnown && after.answered < before.asked {
					t.Errorf("somebody has overtaken: asked in line %d, before one who was answered in line %d", before.asked, after.answered)
				}
			}
		}
	}
}
