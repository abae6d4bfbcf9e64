package library

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheChangeOfABookIsToldUnlessItsLoanOrHoldSaysMore(t *testing.T) {
	records := map[string]HookRecord{"book": {BookID: "book", BookTitle: "Emma"}, "hold": {BookID: "book", BookTitle: "Emma"}, "loan": {BookID: "book", BookTitle: "Emma"},
		"past": {BookTitle: "Sanditon"}}
	for _, test := range []struct {
		name    string
		changes []Change
		want    []HookType
	}{
		{"a copy comes back and is set aside", []Change{{Kind: LoanChanged, ID: "loan", Step: LoanClosed}, {Kind: HoldChanged, ID: "hold", Step: HoldBecameReady}, {Kind: BookReturned, ID: "book"}},
			[]HookType{HookLoanReturned, HookHoldReady}},
		{"a hold goes back into the queue", []Change{{Kind: HoldChanged, ID: "hold", Step: OtherStep}, {Kind: BookChanged, ID: "book"}}, []HookType{HookBookEdited}},
		{"a hold of which nothing is known", []Change{{Kind: HoldChanged, ID: "gone", Step: HoldOver}, {Kind: BookChanged, ID: "book"}}, []HookType{HookBookEdited}},
		{"a loan is renewed, and with it the day on which the next copy is due", []Change{{Kind: LoanChanged, ID: "loan", Step: LoanRenewed}, {Kind: BookChanged, ID: "book"}},
			[]HookType{HookLoanRenewed}},
		{"a loan is renewed, then the book is edited", []Change{{Kind: LoanChanged, ID: "loan", Step: LoanRenewed}, {Kind: BookEdited, ID: "book"}},
			[]HookType{HookLoanRenewed, HookBookEdited}},
		{"a loan is renewed, then a copy is added", []Change{{Kind: LoanChanged, ID: "loan", Step: LoanRenewed}, {Kind: BookChanged, ID: "book", Available: 2}},
			[]HookType{HookLoanRenewed, HookBookEdited}},
		{"a loan of a book that was deleted since is renewed, then another book is changed", []Change{{Kind: LoanChanged, ID: "past", Step: LoanRenewed}, {Kind: BookChanged, ID: "book"}},
			[]HookType{HookLoanRenewed, HookBookEdited}},
		{"a copy is added", []Change{{Kind: BookChanged, ID: "book"}}, []HookType{HookBookEdited}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []HookType
			for _, e := range hookEvents(test.changes, records, time.Now()) {
				got = append(got, e.Type)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
