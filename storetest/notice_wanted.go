package storetest

import (
	"slices"
	"testing"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/storetest/fixture"
)

func borrowersAreToldThatSomebodyWaits(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	book, err := p.service.AddBook(p.Ctx, p.admin, "", library.BookFields{Title: "Emma"}, 2)
	p.must(err)
	emma, jane, jim, kate := book.ID, p.readers[0], p.readers[1], p.readers[2]
	borrow := func(a library.Actor) { _, err := p.service.Borrow(p.Ctx, a, emma); p.must(err) }
	giveBack := func(a library.Actor) { _, err := p.service.Return(p.Ctx, a, emma); p.must(err) }
	reserve := func(a library.Actor) library.Hold {
		h, err := p.service.PlaceHold(p.Ctx, a, emma, "")
		p.must(err)
		return h
	}
	cancel := func(a library.Actor, h library.Hold) { p.must(p.service.CancelHold(p.Ctx, a, h.ID)) }
	names := map[string]string{jane.User.ID: "jane", kate.User.ID: "kate"}
	// told compares the notices: to whom, and their state.
	told := func(rule string, want ...string) {
		t.Helper()
		list, err := p.Notices(p.Ctx, library.NoticeQuery{Kind: library.NoticeWanted})
		p.must(err)
		var got []string
		for _, n := range slices.Backward(list) {
			got = append(got, names[n.Person.ID]+" "+string(n.State))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", rule, got, want)
		}
	}
	send := func() (about []notice.Subject) {
		m, err := p.mails.Claim(p.Ctx, "sender")
		p.must(err)
		if m != nil {
			about = m.Subjects
			p.must(p.mails.End(p.Ctx, m, notice.Outcome{}))
		}
		return about
	}
	borrow(jane)
	p.at(3, "12:00")
	borrow(kate)
	cancel(jim, reserve(jim))
	told("nobody by default")
	p.rules(func(p *library.Policy) { p.NoticeWanted = true })
	h := reserve(jim)
	told("the first hold is told to the borrower whose loan is due first", "jane waiting")
	cancel(jim, h)
	if got := send(); len(got) > 0 {
		t.Errorf("nobody waits any more, and it is told: %+v", got)
	}
	told("what is no longer true is dropped", "jane dropped")
	h = reserve(jim)
	other := reserve(p.admin)
	if got := send(); len(got) != 1 || got[0].Kind != library.NoticeWanted || got[0].Book.Title != "Emma" {
		t.Errorf("the mail tells %+v", got)
	}
	told("a second hold says nothing", "jane sent")
	cancel(jim, h)
	cancel(p.admin, other)
	reserve(jim)
	told("once for each loan", "jane sent")
	giveBack(jane)
	reserve(jane)
	told("and then the other one", "jane sent", "kate waiting")
	giveBack(kate)
	if got := send(); slices.ContainsFunc(got, func(n notice.Subject) bool { return n.Kind == library.NoticeWanted }) {
		t.Errorf("the loan came back, and it is told: %+v", got)
	}
}
