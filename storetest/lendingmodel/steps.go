package lendingmodel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"example.org/library/service"
)

// step is one thing that is done in a library. It names people and things by a number
// that is taken modulo what is there, so that a sequence remains valid when steps are
// left out.
type step struct {
	act            string
	who            int // the caller
	whom           int // a reader, at the desk
	book, ref      int // a book; a copy, loan or hold
	choice         int // of a variant
	view, viewedBy int // what is compared afterwards, with the book
}

func (s step) String() string {
	return fmt.Sprintf("{%q, %d, %d, %d, %d, %d, %d, %d}", s.act, s.who, s.whom, s.book, s.ref, s.choice, s.view, s.viewedBy)
}

// action is something that can be done, and how often it is.
type action struct {
	name   string
	weight int
	do     func(*world, step) outcome
}

var actions = []action{
	{"borrow", 20, (*world).borrow},
	{"return", 4, (*world).giveBack},
	{"return loan", 6, (*world).returnLoan},
	{"undo return", 5, (*world).undoReturn},
	{"renew", 9, (*world).renew},
	{"hold", 24, (*world).placeHold},
	{"hold at desk", 4, (*world).holdAtDesk},
	{"cancel", 4, (*world).cancel},
	{"fetch", 5, (*world).fetch},
	{"lend book", 3, (*world).lendBook},
	{"lend copy", 3, (*world).lendCopy},
	{"lend barcode", 4, (*world).lendBarcode},
	{"borrow copy", 5, (*world).borrowCopy},
	{"return copy", 7, (*world).returnCopy},
	{"move loan", 4, (*world).moveLoan},
	{"lend at station", 4, (*world).lendAtStation},
	{"return at station", 4, (*world).returnAtStation},
	{"add copy", 3, (*world).addCopy},
	{"edit copy", 7, (*world).editCopy},
	{"see copy", 4, (*world).seeCopy},
	{"claim", 5, (*world).claim},
	{"end claim", 4, (*world).endClaim},
	{"remove copy", 1, (*world).removeCopy},
	{"add book", 1, (*world).addBook},
	{"delete book", 1, (*world).deleteBook},
	{"add user", 1, (*world).addUser},
	{"remove user", 1, (*world).removeUser},
	{"set policy", 5, (*world).setPolicy},
	{"time passes", 14, (*world).timePasses},
	{"housekeeping", 6, (*world).housekeeping},
	{"block", 3, (*world).block},
	{"forget", 2, (*world).forgetHistory},
}

// randomSteps makes a sequence.
func randomSteps(r *rand.Rand, n int) []step {
	sum := 0
	for _, a := range actions {
		sum += a.weight
	}
	steps := make([]step, n)
	for i := range steps {
		const many = 1 << 20
		steps[i] = step{
			who: r.IntN(many), whom: r.IntN(many), book: r.IntN(many), ref: r.IntN(many), choice: r.IntN(many),
			view: r.IntN(many), viewedBy: r.IntN(many),
		}
		at := r.IntN(sum)
		for _, a := range actions {
			if at -= a.weight; at < 0 {
				steps[i].act = a.name
				break
			}
		}
	}
	return steps
}

// outcome is an answer of the service, and the answer of the model.
type outcome struct {
	err     error
	refusal string // the code of the refusal, "" for success
	got     any    // the answer of the service
	want    func() any
}

func (w *world) borrow(s step) outcome {
	p, b := w.readerOf(s), w.bookOf(s)
	got, err := w.service.Borrow(w.Ctx, p.Actor, b.id)
	newLoan := ""
	if got.Loan != nil {
		newLoan = got.Loan.ID
	}
	return outcome{err, w.model.borrow(p, b.id, newLoan), viewOfBook(got), func() any { return w.model.showBook(p, b) }}
}

func (w *world) giveBack(s step) outcome {
	p, b := w.readerOf(s), w.bookOf(s)
	got, err := w.service.Return(w.Ctx, p.Actor, b.id)
	return outcome{err, w.model.giveBack(p, b.id), viewOfBook(got), func() any { return w.model.showBook(p, b) }}
}

func (w *world) returnLoan(s step) outcome {
	l := w.loanOf(s)
	if l == nil {
		return outcome{}
	}
	p := w.concerned(s, l.who)
	borrower, copyID := l.who, l.copy
	got, err := w.service.ReturnLoan(w.Ctx, p.Actor, l.id)
	type answer struct {
		Loan loanView
		Hold *holdView
	}
	answered := answer{Loan: viewOfLoan(got.Loan)}
	if got.SetAside != nil {
		view := viewOfHold(*got.SetAside)
		answered.Hold = &view
	}
	return outcome{err, w.model.returnLoan(p, l.id), answered, func() any {
		want := answer{Loan: w.model.showLoan(*w.model.loan(l.id))}
		want.Loan.Who = borrower // this answer names the borrower, even if the loan has forgotten it
		if h := first(w.model.holds, func(h hold) bool { return h.copy == copyID }); h != nil && p.staff() {
			view := w.model.showHold(*h)
			want.Hold = &view
		}
		return want
	}}
}

// undoReturn undoes mostly the last return.
func (w *world) undoReturn(s step) outcome {
	l := w.loanOf(s)
	if l == nil {
		return outcome{}
	}
	if back := slices.MaxFunc(w.model.loans, func(a, b loan) int { return a.returned.Compare(b.returned) }); s.ref%4 > 0 {
		l = &back
	}
	p := w.staffOf(s)
	got, err := w.service.UndoReturn(w.Ctx, p.Actor, l.id)
	return outcome{err, w.model.undoReturn(p, l.id), viewOfLoan(got), func() any { return w.model.showLoan(*w.model.loan(l.id)) }}
}

func (w *world) renew(s step) outcome {
	l := w.loanOf(s)
	if l == nil {
		return outcome{}
	}
	p := w.concerned(s, l.who)
	got, err := w.service.Renew(w.Ctx, p.Actor, l.id)
	return outcome{err, w.model.renew(p, l.id), viewOfLoan(got), func() any { return w.model.showLoan(*w.model.loan(l.id)) }}
}

func (w *world) placeHold(s step) outcome {
	p, b := w.readerOf(s), w.bookOf(s)
	got, err := w.service.PlaceHold(w.Ctx, p.Actor, b.id, "")
	return outcome{err, w.model.placeHold(p, b.id, got.ID), viewOfHold(got), func() any { return w.model.showHold(*w.model.hold(got.ID)) }}
}

func (w *world) cancel(s step) outcome {
	h := w.holdOf(s)
	if h == nil {
		return outcome{}
	}
	p := w.concerned(s, h.who)
	return outcome{err: w.service.CancelHold(w.Ctx, p.Actor, h.id), refusal: w.model.cancel(p, h.id)}
}

func (w *world) fetch(s step) outcome {
	h := w.holdOf(s)
	if h == nil {
		return outcome{}
	}
	p, fetched := w.staffOf(s), s.choice/8%3 > 0
	got, err := w.service.FetchHold(w.Ctx, p.Actor, h.id, fetched)
	return outcome{err, w.model.fetch(p, h.id, fetched), viewOfHold(got), func() any { return w.model.showHold(*w.model.hold(h.id)) }}
}

func (w *world) lendBook(s step) outcome {
	b := w.bookOf(s)
	several := s.choice/8%2 > 0
	return w.lend(s, service.Lending{BookID: b.id, Several: several}, func(p member, who, newLoan string) string {
		return w.model.lendBook(p, who, b.id, several, newLoan)
	})
}

func (w *world) lendCopy(s step) outcome {
	id := w.copyOf(s).id
	several := s.choice/8%3 > 0
	return w.lend(s, service.Lending{CopyID: id, Several: several}, func(p member, who, newLoan string) string {
		return w.model.lendCopy(p, who, id, false, several, newLoan)
	})
}

func (w *world) lendBarcode(s step) outcome {
	c := w.copyOf(s)
	if c.barcode == "" {
		return outcome{}
	}
	swap := s.choice/8%2 > 0
	return w.lend(s, service.Lending{Barcode: c.barcode, Swap: swap}, func(p member, who, newLoan string) string {
		return w.model.lendCopy(p, who, c.id, swap, false, newLoan)
	})
}

func (w *world) lend(s step, what service.Lending, rule func(p member, who, newLoan string) string) outcome {
	p := w.desk
	if s.choice%8 == 0 {
		p = w.actor(s.who)
	}
	what.UserID = pick(w.model.people, s.whom).User.ID
	got, err := w.service.Lend(w.Ctx, p.Actor, what)
	return outcome{err, rule(p, what.UserID, got.ID), viewOfLoan(got.Loan), func() any { return w.model.showLoan(*w.model.loan(got.ID)) }}
}

func (w *world) borrowCopy(s step) outcome {
	p, id := w.readerOf(s), w.copyOf(s).id
	got, err := w.service.Lend(w.Ctx, p.Actor, service.Lending{CopyID: id})
	return outcome{err, w.model.borrowCopy(p, id, got.ID), viewOfLoan(got.Loan), func() any { return w.model.showLoan(*w.model.loan(got.ID)) }}
}

// returnCopy gives back a copy: by a reader, or at the desk, which sometimes says whose it is.
func (w *world) returnCopy(s step) outcome {
	p, id, named := w.readerOf(s), w.copyOf(s).id, ""
	if s.choice%3 > 0 {
		p = w.desk
	}
	if l := w.loanOf(step{ref: s.choice}); l != nil && s.choice%3 == 2 {
		named = l.id
	}
	got, err := w.service.ReturnCopy(w.Ctx, p.Actor, service.Returning{CopyID: id, LoanID: named})
	return outcome{err, w.model.returnCopy(p, id, named), viewOfLoan(got.Loan), func() any {
		want := w.model.showLoan(*w.model.loan(got.ID))
		if w.model.forgetsAtOnce() {
			want.Who = got.Borrower.ID // this answer names the borrower, whom the loan has forgotten
		}
		return want
	}}
}

func (w *world) moveLoan(s step) outcome {
	l := w.loanOf(s)
	if l == nil || len(w.model.copies) == 0 {
		return outcome{}
	}
	p, to, swap := w.staffOf(s), pick(w.model.copies, s.choice).id, s.choice/8%2 > 0
	if c := first(w.model.copies, func(c item) bool { return c.book == l.book && c.id != l.copy }); c != nil && s.whom%4 > 0 {
		to = c.id
	}
	got, err := w.service.MoveLoan(w.Ctx, p.Actor, l.id, service.Moving{CopyID: to, Swap: swap})
	return outcome{err, w.model.moveLoan(p, l.id, to, swap), viewOfLoan(got), func() any { return w.model.showLoan(*w.model.loan(l.id)) }}
}

// timePasses moves the clock by some time, to the next deadline, or right after it.
func (w *world) timePasses(s step) outcome {
	const day = 24 * time.Hour
	some := []time.Duration{
		time.Microsecond, time.Second, 10 * time.Minute, 20 * time.Minute, time.Hour, 7 * time.Hour, 7 * time.Hour, day, day, day + 5*time.Hour, 3 * day, 8 * day, 30 * day,
	}
	at := w.model.now.Add(pick(some, s.choice))
	if deadline, ok := w.nextDeadline(); ok && s.ref%2 == 0 {
		at = deadline.Add(time.Duration(s.choice%2) * time.Microsecond)
	}
	w.model.now = at
	return outcome{}
}

// nextDeadline is the next instant at which a loan is due or a hold ends.
func (w *world) nextDeadline() (next time.Time, ok bool) {
	note := func(at time.Time) {
		if at.After(w.model.now) && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	for _, l := range w.model.loans {
		if l.open() {
			note(l.due)
		}
	}
	for _, h := range w.model.holds {
		note(h.until)
	}
	return next, ok
}
