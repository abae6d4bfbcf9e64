package webhook

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
)

func TestTheChangeOfABookIsToldUnlessItsLoanOrHoldSaysMore(t *testing.T) {
	records := map[string]Record{"book": {BookID: "book", BookTitle: "Emma"}, "hold": {BookID: "book", BookTitle: "Emma"}, "loan": {BookID: "book", BookTitle: "Emma"},
		"past": {BookTitle: "Sanditon"}}
	for _, test := range []struct {
		name    string
		changes []library.Change
		want    []Type
	}{
		{"a copy comes back and is set aside", []library.Change{{Kind: library.LoanChanged, ID: "loan", Step: library.LoanClosed}, {Kind: library.HoldChanged, ID: "hold", Step: library.HoldBecameReady}, {Kind: library.BookReturned, ID: "book"}},
			[]Type{LoanReturned, HoldReady}},
		{"a hold goes back into the queue", []library.Change{{Kind: library.HoldChanged, ID: "hold", Step: library.OtherStep}, {Kind: library.BookChanged, ID: "book"}}, []Type{BookEdited}},
		{"a hold of which nothing is known", []library.Change{{Kind: library.HoldChanged, ID: "gone", Step: library.HoldOver}, {Kind: library.BookChanged, ID: "book"}}, []Type{BookEdited}},
		{"a loan is renewed, and with it the day on which the next copy is due", []library.Change{{Kind: library.LoanChanged, ID: "loan", Step: library.LoanRenewed}, {Kind: library.BookChanged, ID: "book"}},
			[]Type{LoanRenewed}},
		{"a loan is renewed, then the book is edited", []library.Change{{Kind: library.LoanChanged, ID: "loan", Step: library.LoanRenewed}, {Kind: library.BookEdited, ID: "book"}},
			[]Type{LoanRenewed, BookEdited}},
		{"a loan is renewed, then a copy is added", []library.Change{{Kind: library.LoanChanged, ID: "loan", Step: library.LoanRenewed}, {Kind: library.BookChanged, ID: "book", Available: 2}},
			[]Type{LoanRenewed, BookEdited}},
		{"a loan of a book that was deleted since is renewed, then another book is changed", []library.Change{{Kind: library.LoanChanged, ID: "past", Step: library.LoanRenewed}, {Kind: library.BookChanged, ID: "book"}},
			[]Type{LoanRenewed, BookEdited}},
		{"a copy is added", []library.Change{{Kind: library.BookChanged, ID: "book"}}, []Type{BookEdited}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []Type
			for _, e := range eventsOf(test.changes, records, time.Now()) {
				got = append(got, e.Type)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
