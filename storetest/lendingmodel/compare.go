package lendingmodel

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/statistics"
	"example.org/library/storetest/fixture"
)

// comparisons are one per view that a person can ask for. Each compares what the
// service shows to that person with the model.
var comparisons = []func(w *world, p member, choice int) error{
	(*world).compareBooks, (*world).compareBooksOf, (*world).compareLoans, (*world).compareLoan, (*world).compareHolds, (*world).compareHold,
	(*world).compareCopies, (*world).compareReaders, (*world).compareCounts, (*world).compareExport, (*world).compareLoans, (*world).compareHolds,
}

func (w *world) compareBook(p member, b title) error {
	got, err := w.service.Book(w.Ctx, p.Actor, b.id)
	if w.model.book(b.id) == nil {
		return same("a book that was deleted", fixture.RefusalCode(err), "book_not_found")
	}
	if err != nil {
		return err
	}
	return same("the book as "+p.User.Email+" sees it", viewOfBook(got), w.model.showBook(p, b))
}

func (w *world) compareBooks(p member, choice int) error {
	yes := choice%2 == 0
	q, is := library.BookQuery{}, func(bookView) bool { return true }
	switch choice / 2 % 3 {
	case 1:
		q.Available, is = &yes, func(b bookView) bool { return b.Available > 0 == yes }
	case 2:
		q.Borrowed, is = &yes, func(b bookView) bool { return b.Borrowed == yes }
	}
	l, err := w.service.Books(w.Ctx, p.Actor, q)
	if err != nil {
		return err
	}
	return sameList(fmt.Sprintf("the books %+v as %s sees them", q, p.User.Email), l, viewOfBook, w.booksThat(p, is))
}

func (w *world) compareBooksOf(p member, _ int) error {
	l, err := w.service.BooksOf(w.Ctx, p.Actor)
	if err != nil {
		return err
	}
	mine := func(b bookView) bool { return b.Loan != nil && b.Loan.Who == p.User.ID }
	return sameList("the books of "+p.User.Email, l, viewOfBook, w.booksThat(p, mine))
}

func (w *world) booksThat(p member, is func(bookView) bool) (books []bookView) {
	for _, b := range w.model.books {
		if view := w.model.showBook(p, b); !b.deleted && is(view) {
			books = append(books, view)
		}
	}
	slices.SortFunc(books, func(a, b bookView) int { return cmp.Compare(a.Title, b.Title) })
	return books
}

// sameList compares a list that comes in one piece.
func sameList[T, S any](what string, l service.List[T], see func(T) S, want []S) error {
	var got []S
	for record, err := range l.All {
		if err != nil {
			return err
		}
		got = append(got, see(record))
	}
	if l.Total != len(want) {
		return fmt.Errorf("%s: the total is %d, want %d", what, l.Total, len(want))
	}
	return same(what, got, want)
}

func (w *world) compareLoan(p member, choice int) error {
	if len(w.model.loans) == 0 {
		return nil
	}
	l := pick(w.model.loans, choice)
	got, err := w.service.Loan(w.Ctx, p.Actor, l.id)
	if !p.staff() && l.who != p.User.ID {
		return same("somebody else's loan", fixture.RefusalCode(err), "loan_not_found")
	}
	if err != nil {
		return err
	}
	return same("the loan as "+p.User.Email+" sees it", viewOfLoan(got), w.model.showLoan(l))
}

func (w *world) compareHold(p member, choice int) error {
	if len(w.model.holds) == 0 {
		return nil
	}
	h := pick(w.model.holds, choice)
	got, err := w.service.Hold(w.Ctx, p.Actor, h.id)
	if !p.staff() && h.who != p.User.ID {
		return same("somebody else's hold", fixture.RefusalCode(err), "hold_not_found")
	}
	if err != nil {
		return err
	}
	return same("the hold as "+p.User.Email+" sees it", viewOfHold(got), w.model.showHoldTo(p, h))
}

func (w *world) compareCopies(p member, choice int) error {
	b := pick(w.model.books, choice)
	copies, err := w.service.Copies(w.Ctx, p.Actor, b.id)
	switch {
	case !p.staff():
		return same("the copies", fixture.RefusalCode(err), "role_missing")
	case w.model.book(b.id) == nil:
		return same("the copies of a book that was deleted", fixture.RefusalCode(err), "book_not_found")
	case err != nil:
		return err
	}
	var got, want []copyView
	for _, c := range copies {
		got = append(got, viewOfCopy(c))
	}
	for _, c := range w.model.copies {
		if c.book == b.id {
			want = append(want, w.model.showCopy(c))
		}
	}
	return same("the copies of "+b.title, got, want)
}

func (w *world) compareReaders(p member, _ int) error {
	l, err := w.service.Readers(w.Ctx, p.Actor, library.ReaderQuery{})
	if !p.curator {
		return same("the readers", fixture.RefusalCode(err), "role_missing")
	}
	if err != nil {
		return err
	}
	var want []readerView
	for _, reader := range w.model.people {
		if !reader.gone {
			want = append(want, w.model.showReader(reader))
		}
	}
	slices.SortFunc(want, func(a, b readerView) int { return cmp.Compare(a.ID, b.ID) }) // their names are equal
	return sameList("the readers", l, viewOfReader, want)
}

func (w *world) compareCounts(p member, _ int) error {
	got, err := statistics.New(w.Counts, w.service.Now).Report(w.Ctx, p.Actor, statistics.Query{})
	if !p.staff() {
		return same("the statistics", fixture.RefusalCode(err), "role_missing")
	}
	if err != nil {
		return err
	}
	return same("the statistics", viewOfCounts(got), w.model.counts())
}

func (w *world) compareExport(p member, _ int) error {
	got, err := w.service.Export(w.Ctx, p.Actor)
	if err != nil {
		return err
	}
	var loans, holds []string
	for _, l := range w.model.loans {
		if l.who == p.User.ID {
			loans = append(loans, l.id)
		}
	}
	for _, h := range w.model.holds {
		if h.who == p.User.ID {
			holds = append(holds, h.id)
		}
	}
	if err := same("the loans of an export", sortedIDs(got.Loans, func(l library.Loan) string { return l.ID }), slices.Sorted(slices.Values(loans))); err != nil {
		return err
	}
	return same("the holds of an export", sortedIDs(got.Holds, func(h library.Hold) string { return h.ID }), slices.Sorted(slices.Values(holds)))
}

func sortedIDs[T any](records []T, id func(T) string) []string {
	return slices.Sorted(slices.Values(fixture.IDs(records, id)))
}
