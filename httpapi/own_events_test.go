package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/testkit"
)

// anyLending waits for the next event other than an added book: while others are
// writing to the same PostgreSQL server, a stream may begin before the last of
// the sample books.
func (l *listener) anyLending() testkit.StreamEvent {
	l.t.Helper()
	for {
		if e := l.any(); e.Event != "added" {
			return e
		}
	}
}

// summary is an event in short: what it is, and of what.
func (l *listener) summary() string {
	l.t.Helper()
	e := l.anyLending()
	switch e.Event {
	case "loan":
		var loan api.Loan
		l.decode(e, &loan)
		return fmt.Sprintf("loan of %s, %d renewals, returned: %t", loan.Book.Title, loan.Renewals, loan.ReturnedAt != "")
	case "hold":
		var hold api.Hold
		l.decode(e, &hold)
		return fmt.Sprintf("hold of %s, %s", hold.Book.Title, hold.State)
	case "ready", "reset":
		return e.Event
	}
	var c api.Change
	l.decode(e, &c)
	return fmt.Sprintf("%s, borrowed: %t, available: %d", e.Event, c.Borrowed, c.Available)
}

func (l *listener) decode(e testkit.StreamEvent, into any) {
	l.t.Helper()
	testkit.NoError(l.t, json.Unmarshal([]byte(e.Data), into))
}

// receives waits for events, in whatever order those of one change come.
func (l *listener) receives(changes ...[]string) {
	l.t.Helper()
	for _, want := range changes {
		missing := map[string]bool{}
		for _, event := range want {
			missing[event] = true
		}
		for range want {
			got := l.summary()
			if !missing[got] {
				l.t.Fatalf("received %q, want one of %v", got, missing)
			}
			delete(missing, got)
		}
	}
}

// TestEverybodyHearsOfBooksAndOnlyThePersonOfLoansAndHolds lets things happen
// while three people listen, and lets them listen to all of it again later.
func TestEverybodyHearsOfBooksAndOnlyThePersonOfLoansAndHolds(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			listeners := map[string]*listener{}
			beginnings := map[string]string{}
			for _, who := range []string{bruceWayne, bruceBanner, peterParker} {
				l := s.listen(t, request{as: who})
				l.wantBare("ready")
				listeners[who], beginnings[who] = l, l.Last
			}
			for _, st := range []step{
				{rule: "borrowed", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
				{rule: "renewed", at: "2026-03-03T10:00:00Z", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 200},
				{rule: "reserved", as: bruceBanner, ask: "POST /books/{clean}/holds", status: 201, keep: "hold"},
				{rule: "returned", as: peterParker, ask: "POST /loans/{loan}/return", status: 200},
				{rule: "cancelled", as: bruceBanner, ask: "DELETE /holds/{hold}", status: 204},
				{rule: "a copy more", as: peterParker, ask: "POST /books/{clean}/copies", body: `{}`, status: 201, keep: "copy"},
				{rule: "a copy fewer", as: peterParker, ask: "DELETE /copies/{copy}", status: 204},
			} {
				s.make(t, st)
			}
			// Records are as they are when they are sent, so while they change it
			// depends on the moment what is sent; afterwards it does not.
			all := map[string][][]string{
				bruceWayne: {
					{"borrowed, borrowed: true, available: 0", "loan of Clean Code, 1 renewals, returned: true"},
					{"changed, borrowed: true, available: 0", "loan of Clean Code, 1 renewals, returned: true"}, // it is due on another day
					{"changed, borrowed: true, available: 0"},
					{"returned, borrowed: false, available: 0", "loan of Clean Code, 1 renewals, returned: true"},
					{"changed, borrowed: false, available: 1"}, {"changed, borrowed: false, available: 2"}, {"changed, borrowed: false, available: 1"},
				},
				bruceBanner: {
					{"borrowed, borrowed: true, available: 0"},
					{"changed, borrowed: true, available: 0"},
					{"changed, borrowed: true, available: 0", "hold of Clean Code, cancelled"},
					{"returned, borrowed: false, available: 0", "hold of Clean Code, cancelled"},
					{"changed, borrowed: false, available: 1", "hold of Clean Code, cancelled"},
					{"changed, borrowed: false, available: 2"}, {"changed, borrowed: false, available: 1"},
				},
				peterParker: {
					{"borrowed, borrowed: true, available: 0"}, {"changed, borrowed: true, available: 0"}, {"changed, borrowed: true, available: 0"}, {"returned, borrowed: false, available: 0"},
					{"changed, borrowed: false, available: 1"}, {"changed, borrowed: false, available: 2"}, {"changed, borrowed: false, available: 1"},
				},
			}
			for who, want := range all {
				again := s.resume(t, who, beginnings[who])
				again.receives(want...)
				listeners[who].wantAsMany(want)
				again.close()
				again.WantEnd()
			}
		})
	}
}

// wantAsMany expects as many events, each at a position of its own.
func (l *listener) wantAsMany(changes [][]string) {
	l.t.Helper()
	seen := map[string]bool{}
	for _, events := range changes {
		for range events {
			if e := l.anyLending(); seen[e.ID] {
				l.t.Errorf("two events at one position: %v", e)
			} else {
				seen[e.ID] = true
			}
		}
	}
	l.close()
	for e := range l.Come {
		l.t.Errorf("one event more: %v", e)
	}
}

// TestAMoveIsToldToThePersonWhoseCopyItIs lets copies be swapped and put right while everybody listens.
func TestAMoveIsToldToThePersonWhoseCopyItIs(t *testing.T) {
	t.Parallel()
	const moved, returned = "loan of Emma, 0 renewals, returned: false", "loan of Emma, 0 renewals, returned: true"
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			before := s.listen(t, request{as: bruceWayne})
			before.wantBare("ready")
			for _, st := range twoCopies(step{as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","barcode":"LIB-1"}`, status: 201, keep: "wayne's"}) {
				s.make(t, st)
			}
			for awaited := map[string]bool{"borrowed": true, "loan": true}; len(awaited) > 0; { // a stream may begin with events just before it
				delete(awaited, before.any().Event)
			}
			for _, c := range []struct {
				rule          string
				do            step
				book          string
				wayne, banner []string
			}{
				{"a move alone", step{as: peterParker, ask: "POST /loans/{wayne's}/move", body: `{"barcode":"LIB-2"}`, status: 200},
					"changed, borrowed: false, available: 1", []string{moved}, nil},
				{"to its own copy is no event, and then a swap at the desk", step{as: peterParker, ask: "POST /loans", body: `{"user":"{banner}","barcode":"LIB-2","swap":true}`, status: 201, keep: "banner's"},
					"borrowed, borrowed: true, available: 0", []string{moved}, []string{moved}},
				{"an exchange", step{as: peterParker, ask: "POST /loans/{wayne's}/move", body: `{"barcode":"LIB-2","swap":true}`, status: 200},
					"changed, borrowed: true, available: 0", []string{moved}, []string{moved}},
				{"a return", step{as: bruceBanner, ask: "POST /returns", body: `{"barcode":"LIB-1"}`, status: 200},
					"returned, borrowed: false, available: 1", nil, []string{returned}},
				{"a return of another copy than the records say", step{as: bruceWayne, ask: "POST /returns", body: `{"barcode":"LIB-1"}`, status: 200, want: facts{"swapped": true}},
					"returned, borrowed: false, available: 2", []string{returned}, nil},
			} {
				t.Run(c.rule, func(t *testing.T) {
					listeners := map[string]*listener{}
					for _, who := range []string{bruceWayne, bruceBanner, peterParker} {
						listeners[who] = s.listen(t, request{as: who})
						listeners[who].wantBare("ready")
					}
					if strings.HasPrefix(c.rule, "to its own copy") {
						s.make(t, step{as: peterParker, ask: "POST /loans/{wayne's}/move", body: `{"barcode":"LIB-2"}`, status: 200})
					}
					s.make(t, c.do)
					for who, own := range map[string][]string{bruceWayne: c.wayne, bruceBanner: c.banner, peterParker: nil} {
						want := append([]string{c.book}, own...)
						listeners[who].receives(want)
						listeners[who].close()
						for e := range listeners[who].Come {
							t.Errorf("%s receives one event more: %v", who, e)
						}
					}
				})
			}
		})
	}
}

func TestAnEventOfALoanIsTheLoan(t *testing.T) {
	t.Parallel()
	s := newStory(t, "sqlite")
	l := s.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	s.make(t, step{as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"})
	var loan api.Loan
	for loan.Identifier == "" {
		if e := l.any(); e.Event == "loan" {
			l.decode(e, &loan)
		}
	}
	s.make(t, step{as: bruceWayne, ask: "GET /loans/{loan}", status: 200, then: func(t *testing.T, _ *story, a reply) {
		if diff := cmp.Diff(decode[api.Loan](t, a), loan); diff != "" {
			t.Errorf("the loan (-read +sent)\n%s", diff)
		}
	}})
}

func TestNothingIsSentOfWhatIsForgotten(t *testing.T) {
	t.Parallel()
	for database := range databases {
		for _, way := range []string{"forgotten", "removed"} {
			if database == "postgres" && way == "removed" {
				continue // who has left and come back may be shown out once more there
			}
			t.Run(database+", "+way, func(t *testing.T) {
				t.Parallel()
				s := newStory(t, database)
				l := s.listen(t, request{as: bruceBanner})
				l.wantBare("ready")
				l.close()
				for _, st := range []step{
					{as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
					{as: bruceBanner, ask: "POST /books/{clean}/return", status: 200},
				} {
					s.make(t, st)
				}
				if way == "forgotten" {
					s.make(t, step{as: bruceBanner, ask: "DELETE /me/history", status: 204})
				} else { // and back again, with another record
					s.make(t, step{as: clarkKent, ask: "DELETE /users/{banner}", status: 204})
					s.make(t, step{as: clarkKent, ask: "POST /users", status: 201,
						body: `{"identifier":"{banner}","email":"bruce.banner@example.com","firstName":"B","lastName":"B"}`})
				}
				again := s.resume(t, bruceBanner, l.Last)
				again.receives([]string{"borrowed, borrowed: true, available: 0"}, []string{"returned, borrowed: false, available: 1"})
				again.close()
				for e := range again.Come {
					t.Errorf("one event more: %v", e)
				}
				if text := again.Text.String(); strings.Contains(text, "event: loan") {
					t.Errorf("the stream has a loan in it: %s", text)
				}
			})
		}
	}
}

// recordsGone is a store that has lost a loan between the event and its sending.
type recordsGone struct{ library.Store }

func (recordsGone) Loan(context.Context, string, time.Time) (library.Loan, error) {
	return library.Loan{}, library.ErrLoanNotFound
}

func TestAnEventWhoseRecordIsGoneIsSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.store = func(inner library.Store) library.Store { return recordsGone{inner} } })
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	lent(cleanCode, bruceWayne)(t, w)
	l.receives([]string{"borrowed, borrowed: true, available: 0"})
	returned(cleanCode, bruceWayne)(t, w)
	l.receives([]string{"returned, borrowed: false, available: 1"})
}
