package storetest

import (
	"slices"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// expired lets a hold expire in a library that forgets its holder at once. That it was ready has never
// been told by then.
func (p *postOffice) expired(title string, of library.Actor) {
	p.t.Helper()
	book := p.book(title)
	p.rules(func(p *library.Policy) { p.HistoryDays = new(int) })
	_, err := p.service.Borrow(p.Ctx, p.readers[2], book)
	p.must(err)
	_, err = p.service.PlaceHold(p.Ctx, of, book, "")
	p.must(err)
	_, err = p.service.Return(p.Ctx, p.readers[2], book)
	p.must(err)
	p.now = p.now.AddDate(0, 0, 20)
	p.keepHouse()
}

// claim claims the next mail.
func (p *postOffice) claim(sender string) *notice.Mail {
	p.t.Helper()
	m, err := p.mails.Claim(p.Ctx, sender)
	p.must(err)
	if m == nil {
		p.t.Fatal("there is no mail")
	}
	return m
}

func noticesForgetWhenTheyEnd(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	jane := p.readers[0]
	want := []string{}
	for _, c := range []struct {
		state library.NoticeState
		end   func()
	}{
		{library.NoticeSent, func() { p.must(p.mails.End(p.Ctx, p.claim("me"), notice.Outcome{})) }},
		{library.NoticeFailed, func() {
			refused := notice.Outcome{Failure: &library.MailFailure{Stage: "data", Code: 554}, Final: true}
			p.must(p.mails.End(p.Ctx, p.claim("me"), refused))
		}},
		{library.NoticeDropped, func() { p.must(p.service.ForgetHistory(p.Ctx, jane)) }},
		{library.NoticeDropped, func() {
			off := false
			_, err := p.service.EditMe(p.Ctx, jane, library.Preferences{Reminders: &off})
			p.must(err)
		}},
	} {
		p.expired("Emma", jane)
		want = append(want, "hold_ready Emma dropped of nobody")
		p.want("what waits has its person", append(slices.Clone(want), "hold_expired Emma")...)
		c.end()
		want = append(want, "hold_expired Emma "+string(c.state)+" of nobody")
		p.want("what has ended about a hold that is forgotten forgets, too", slices.Clone(want)...)
	}
	list, err := p.Notices(p.Ctx, library.NoticeQuery{State: library.NoticeFailed})
	p.must(err)
	_, err = p.service.RetryNotice(p.Ctx, p.admin, list[0].ID)
	fixture.WantError(t, err, library.ErrNotFailed) // there is nobody to write to
}

func resumingWithoutMailKeepsTheGuard(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	sent := library.Outbox{From: "library@example.com", PublicURL: "https://library.example.com", HasSent: true}
	restored := sent
	restored.Paused = true
	f.InTx(t, func(tx library.Tx) error { return tx.SaveOutbox(f.Ctx, restored) })
	p.must(service.New(f.Store).ResumeMail(p.Ctx, p.admin))
	got, err := p.Outbox(p.Ctx)
	p.must(err)
	fixture.WantEqual(t, got, sent)
}

func aLostClaimEndsNothing(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	_, err := p.service.Borrow(p.Ctx, p.readers[0], p.book("Emma"))
	p.must(err)
	p.keepHouse()
	slow := p.claim("slow")
	p.now = p.now.Add(notice.ClaimLasts)
	next := p.claim("next")
	p.must(p.mails.End(p.Ctx, slow, notice.Outcome{Failure: &library.MailFailure{Stage: "connect"}}))
	p.now = p.now.Add(notice.ClaimLasts - time.Second)
	renewed, err := p.mails.Renew(p.Ctx, next)
	p.must(err)
	fixture.WantEqual(t, renewed, true)
	p.must(p.mails.End(p.Ctx, slow, notice.Outcome{})) // it has come through nevertheless
	p.want("a mail that was sent is sent, whoever has the claim", "due_soon Emma sent")
	p.must(p.mails.End(p.Ctx, next, notice.Outcome{}))
	p.want("once", "due_soon Emma sent")
}

func whatIsLongOverdueIsToldOnce(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	b, err := p.service.Borrow(p.Ctx, p.readers[0], p.book("Emma")) // due on the 3rd
	p.must(err)
	p.at(30, "12:00")
	p.keepHouse()
	p.must(p.mails.End(p.Ctx, p.claim("me"), notice.Outcome{}))
	p.want("it is told", "overdue 21 Emma sent")
	p.now = p.now.AddDate(0, 0, 91)
	p.keepHouse()
	p.want("the notice is gone after 90 days")
	if m, err := p.mails.Claim(p.Ctx, "me"); err != nil || m != nil {
		t.Errorf("it is told again: %+v, %v", m, err)
	}
	_, err = p.service.ReturnLoan(p.Ctx, p.readers[0], b.Loan.ID)
	p.must(err)
	p.keepHouse()
	n, err := p.CountNotices(p.Ctx, library.NoticeQuery{})
	p.must(err)
	fixture.WantEqual(t, n, 0)
}
