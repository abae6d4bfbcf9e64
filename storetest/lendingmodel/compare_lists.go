package lendingmodel

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// chosen is the user and the book whose loans or holds a person asks for, and the
// refusal to expect. Staff never ask for all that has ended: the worlds before this
// one have left records of which its model does not know.
func (w *world) chosen(p member, choice int, over bool) (user, book, refusal string) {
	how := choice / 3 % 4
	if how == 0 && over && p.staff() {
		how = 3
	}
	switch how {
	case 1:
		user = p.User.ID
	case 2:
		if user = pick(w.model.people, choice).User.ID; user != p.User.ID && !p.staff() {
			refusal = "role_missing"
		}
	case 3:
		book = pick(w.model.books, choice).id
	}
	return user, book, refusal
}

func (w *world) compareLoans(p member, choice int) error {
	q := library.LoanQuery{Filter: pick(library.LoanFilters, choice), Limit: choice / 12 % 4}
	var refusal string
	q.UserID, q.BookID, refusal = w.chosen(p, choice, q.Filter == library.ReturnedLoans)
	what := fmt.Sprintf("the loans %+v as %s sees them", q, p.User.Email)
	var got []loanView
	for {
		l, err := w.service.Loans(w.Ctx, p.Actor, q)
		if fixture.RefusalCode(err) != refusal || refusal != "" {
			return same(what, fixture.RefusalCode(err), refusal)
		}
		for record, err := range l.All {
			if err != nil {
				return err
			}
			got = append(got, viewOfLoan(record))
		}
		if l.Next == "" {
			return sameInOrder(what, got, w.loansThat(p, q), l.Total, func(l loanView) string { return l.ID }, loanKey(q.Filter))
		}
		cursor, ok := library.ParseCursor(l.Next, q.Filter.Order())
		if !ok {
			return fmt.Errorf("%s: the cursor %q is not good", what, l.Next)
		}
		q.After = cursor
	}
}

// loanKey is what loans are sorted by: when they were returned, the newest first; when they were
// claimed; or when they are due.
func loanKey(filter library.LoanFilter) func(loanView) int64 {
	return func(l loanView) int64 {
		switch {
		case filter == library.ReturnedLoans:
			return -l.Returned.UnixMicro()
		case filter == library.ClaimedLoans:
			return l.Claimed.UnixMicro()
		case l.Due.IsZero():
			return 1 << 62
		}
		return l.Due.UnixMicro()
	}
}

func (w *world) loansThat(p member, q library.LoanQuery) (loans []loanView) {
	for _, l := range w.model.loans {
		is := map[library.LoanFilter]bool{library.OpenLoans: l.open(), library.OverdueLoans: w.model.isOverdue(l), library.ReturnedLoans: !l.open(),
			library.ClaimedLoans: l.open() && !l.claimed.IsZero()}
		if is[q.Filter] && (p.staff() || l.who == p.User.ID) && (q.UserID == "" || l.who == q.UserID) && (q.BookID == "" || l.book == q.BookID) {
			loans = append(loans, w.model.showLoan(l))
		}
	}
	return loans
}

// sameInOrder compares a sorted list in which records with the same sort key may
// come in any order.
func sameInOrder[S any](what string, got, want []S, total int, id func(S) string, key func(S) int64) error {
	if total != len(want) {
		return fmt.Errorf("%s: the total is %d, want %d", what, total, len(want))
	}
	if !slices.IsSortedFunc(got, func(a, b S) int { return cmp.Compare(key(a), key(b)) }) {
		return fmt.Errorf("%s: not in order: %+v", what, got)
	}
	byID := func(a, b S) int { return cmp.Compare(id(a), id(b)) }
	slices.SortFunc(got, byID)
	slices.SortFunc(want, byID)
	return same(what, got, want)
}

func (w *world) compareHolds(p member, choice int) error {
	q := library.HoldQuery{Filter: pick(library.HoldFilters, choice), Limit: choice / 12 % 4}
	var refusal string
	q.UserID, q.BookID, refusal = w.chosen(p, choice, q.Filter == library.EndedHolds)
	what := fmt.Sprintf("the holds %+v as %s sees them", q, p.User.Email)
	var got []holdView
	for {
		l, err := w.service.Holds(w.Ctx, p.Actor, q)
		if fixture.RefusalCode(err) != refusal || refusal != "" {
			return same(what, fixture.RefusalCode(err), refusal)
		}
		for record, err := range l.All {
			if err != nil {
				return err
			}
			got = append(got, viewOfHold(record))
		}
		if l.Next == "" {
			return w.sameHolds(what, p, q, got, l.Total)
		}
		cursor, ok := library.ParseCursor(l.Next, q.Filter.Order())
		if !ok {
			return fmt.Errorf("%s: the cursor %q is not good", what, l.Next)
		}
		q.After = cursor
	}
}

// sameHolds compares a list of holds: active ones are sorted by book and then by age,
// ended ones come the newest first.
func (w *world) sameHolds(what string, p member, q library.HoldQuery, got []holdView, total int) error {
	var want []holdView
	for _, h := range w.model.holds {
		is := map[library.HoldFilter]bool{library.ActiveHolds: h.active(), library.ReadyHolds: h.state == library.Ready, library.EndedHolds: !h.active()}
		if is[q.Filter] && (p.staff() || h.who == p.User.ID) && (q.UserID == "" || h.who == q.UserID) && (q.BookID == "" || h.book == q.BookID) {
			want = append(want, w.model.showHoldTo(p, h))
		}
	}
	if q.Filter == library.EndedHolds {
		newest := func(h holdView) int64 { return -h.Ended.UnixMicro() }
		return sameInOrder(what, got, want, total, func(h holdView) string { return h.ID }, newest)
	}
	slices.SortStableFunc(want, func(a, b holdView) int { return cmp.Compare(a.Book, b.Book) })
	if total != len(want) {
		return fmt.Errorf("%s: the total is %d, want %d", what, total, len(want))
	}
	return same(what, got, want)
}
