package linearizability

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"example.org/library"
)

// shelf is the state of a book with two copies. It can be compared, as the
// checker needs it.
type shelf struct {
	loans [2]struct {
		who, id  string
		renewals int
	}
	holds [8]struct { // those who asked first come first
		who, id string
		ready   bool
	}
}

// queueModel is the rules of lending and waiting for one book of two copies.
var queueModel = porcupine.Model{
	Partition: partition(func(input any) string { return input.(queued).book }),
	Init:      func() any { return shelf{} },
	Step: func(state, input, output any) (bool, any) {
		s, answer := state.(shelf), output.(string)
		want := s.step(input.(queued), answer)
		return want == answer, s
	},
}

// step changes the shelf and returns the right answer. The identifier of a new
// loan or hold is taken from the answer that was given.
func (s *shelf) step(in queued, given string) string {
	switch in.act {
	case "borrow":
		return s.borrow(in.me, given)
	case "return":
		return s.giveBack(in.me)
	case "renew":
		return s.renew(in.id)
	case "hold":
		return s.hold(in.me, given)
	case "cancel":
		return s.cancel(in.id)
	default:
		return s.look(in.me)
	}
}

func (s *shelf) borrow(me, given string) string {
	if i := s.loanOf(me); i >= 0 {
		return "loan " + s.loans[i].id
	}
	switch i := s.holdOf(me); {
	case i >= 0 && !s.holds[i].ready:
		return "reserved"
	case i >= 0:
		s.drop(i)
	case s.free() == 0 && s.ready() > 0:
		return "reserved"
	case s.free() == 0:
		return "already_borrowed"
	}
	for i := range s.loans {
		if s.loans[i].who == "" {
			s.loans[i].who, s.loans[i].id, s.loans[i].renewals = me, strings.TrimPrefix(given, "loan "), 0
			break
		}
	}
	s.serve()
	i := s.loanOf(me)
	return "loan " + s.loans[i].id
}

func (s *shelf) giveBack(me string) string {
	i := s.loanOf(me)
	switch {
	case i >= 0:
		s.loans[i].who, s.loans[i].id, s.loans[i].renewals = "", "", 0
		s.serve()
		return ""
	case s.lent() > 0:
		return "not_your_loan"
	}
	return "not_borrowed"
}

func (s *shelf) renew(id string) string {
	for i, l := range s.loans {
		switch {
		case l.id != id:
		case l.renewals >= library.DefaultPolicy().Renewals:
			return "renewal_limit"
		case s.waiting() > 0:
			return "awaited"
		default:
			s.loans[i].renewals++
			return fmt.Sprint("renewals ", s.loans[i].renewals)
		}
	}
	return "not_open"
}

func (s *shelf) hold(me, given string) string {
	switch {
	case s.loanOf(me) >= 0:
		return "has_it"
	case s.holdOf(me) >= 0:
		return "already_held"
	case s.free() > 0:
		return "available"
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(given, "hold "), " ")
	for i := range s.holds {
		if s.holds[i].who == "" {
			s.holds[i].who, s.holds[i].id = me, id
			break
		}
	}
	return fmt.Sprintf("hold %s place %d", id, s.waiting())
}

func (s *shelf) cancel(id string) string {
	for i, h := range s.holds {
		if h.id == id {
			s.drop(i)
			s.serve()
			return ""
		}
	}
	return "not_active"
}

func (s *shelf) look(me string) string {
	var b library.Book
	b.Stock.Available, b.Stock.Waiting = s.free(), s.waiting()
	if i := s.loanOf(me); i >= 0 {
		b.Loan = &library.Loan{ID: s.loans[i].id, Borrower: library.Person{ID: me}}
	}
	if i := s.holdOf(me); i >= 0 {
		b.Hold = &library.Hold{ID: s.holds[i].id, State: library.Ready}
		if !s.holds[i].ready {
			b.Hold.State = library.Waiting
			for _, h := range s.holds[:i+1] {
				if !h.ready {
					b.Hold.Position++
				}
			}
		}
	}
	return look(b, me)
}

// serve gives free copies to those who wait, the first first.
func (s *shelf) serve() {
	for i, h := range s.holds {
		if h.who != "" && !h.ready && s.free() > 0 {
			s.holds[i].ready = true
		}
	}
}

// drop takes a hold out; the others keep their order.
func (s *shelf) drop(i int) {
	copy(s.holds[i:], s.holds[i+1:])
	last := &s.holds[len(s.holds)-1]
	last.who, last.id, last.ready = "", "", false
}

func (s *shelf) free() int { return len(s.loans) - s.lent() - s.ready() }

func (s *shelf) lent() (n int) {
	for _, l := range s.loans {
		if l.who != "" {
			n++
		}
	}
	return n
}

func (s *shelf) ready() (n int) {
	for _, h := range s.holds {
		if h.ready {
			n++
		}
	}
	return n
}

func (s *shelf) waiting() (n int) {
	for _, h := range s.holds {
		if h.who != "" && !h.ready {
			n++
		}
	}
	return n
}

func (s *shelf) loanOf(me string) int {
	for i, l := range s.loans {
		if l.who == me {
			return i
		}
	}
	return -1
}

func (s *shelf) holdOf(me string) int {
	for i, h := range s.holds {
		if h.who == me {
			return i
		}
	}
	return -1
}
