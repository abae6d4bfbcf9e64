package linearizability

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// queueIsLinearizable records what several readers were answered while they borrowed,
// returned, renewed, reserved, cancelled and looked at the same books, of two
// copies each, through two handles, and checks that some order of it all explains
// every answer.
func queueIsLinearizable(t *testing.T, f fixture.Store) {
	const readers, books, steps = 5, 2, 40
	actors := f.AddReaders(t, readers)
	// Each renewal is a day later than the last, so that it moves the due date; and no
	// hold expires during the test.
	var days atomic.Int64
	clock := service.WithClock(func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) })
	services := f.TwoServices(t, clock)
	f.SetPolicy(t, services[0], actors[0], func(p *library.Policy) { p.HoldDays = library.MaxHoldDays })
	ids := make([]string, books)
	for i := range ids {
		ids[i] = f.AddBookWithCopies(t, services[0], actors[0], 2)
	}
	h := history{start: time.Now()}
	fixture.Concurrently(readers, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		c := queuer{f: f, service: services[i%2], me: actors[i], known: map[string]string{}, days: &days}
		for range steps {
			in := c.choose(r, ids[r.IntN(books)])
			do := func() (out string, err error) {
				err = fixture.RetryUnavailable(func() error { out, err = c.do(in); return err })
				return out, err
			}
			if !h.do(t, i, in, do) {
				return
			}
		}
	})
	h.check(t, queueModel)
}

// queued is one thing that a reader does.
type queued struct {
	act, book, me string
	id            string // of the loan or the hold
}

// queuer is a reader who remembers the identifiers of loans and holds.
type queuer struct {
	f       fixture.Store
	service *service.Service
	me      library.Actor
	known   map[string]string // by act and book
	days    *atomic.Int64     // by which the clock is ahead
}

func (c queuer) choose(r *rand.Rand, book string) queued {
	acts := []string{"borrow", "borrow", "return", "renew", "hold", "hold", "cancel", "look", "look"}
	in := queued{act: acts[r.IntN(len(acts))], book: book, me: c.me.User.ID}
	in.id = c.known[in.act+book]
	if in.id == "" && (in.act == "renew" || in.act == "cancel") {
		in.act = "look"
	}
	return in
}

// do performs an act and returns the answer: the code of a refusal, or what the
// reader gets.
func (c queuer) do(in queued) (answer string, err error) {
	ctx, s := c.f.Ctx, c.service
	switch in.act {
	case "borrow":
		var b library.Book
		if b, err = s.Borrow(ctx, c.me, in.book); err == nil {
			c.known["renew"+in.book] = b.Loan.ID
			answer = "loan " + b.Loan.ID
		}
	case "return":
		_, err = s.Return(ctx, c.me, in.book)
	case "renew":
		c.days.Add(1)
		var l library.Loan
		l, err = s.Renew(ctx, c.me, in.id)
		answer = fmt.Sprint("renewals ", l.Renewals)
	case "hold":
		var h library.Hold
		if h, err = s.PlaceHold(ctx, c.me, in.book, ""); err == nil {
			c.known["cancel"+in.book] = h.ID
			answer = fmt.Sprintf("hold %s place %d", h.ID, h.Position)
		}
	case "cancel":
		err = s.CancelHold(ctx, c.me, in.id)
	case "look":
		var b library.Book
		b, err = s.Book(ctx, c.me, in.book)
		answer = look(b, in.me)
	}
	if refusal, ok := errors.AsType[*library.Error](err); ok && !errors.Is(err, library.ErrUnavailable) {
		return refusal.Code, nil
	}
	return answer, err
}

// look is what a reader sees of a book.
func look(b library.Book, me string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d available, %d waiting", b.Stock.Available, b.Stock.Waiting)
	if l := b.OwnLoan(me); l != nil {
		fmt.Fprintf(&s, ", loan %s", l.ID)
	}
	if b.Hold != nil {
		fmt.Fprintf(&s, ", hold %s %s %d", b.Hold.ID, b.Hold.State, b.Hold.Position)
	}
	return s.String()
}
