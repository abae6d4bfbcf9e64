package linearizability

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// copies are the open loans of a book of three copies, in the order of the copies.
type copies [3]lentCopy

// lentCopy is a loan and its person; zero for a free copy.
type lentCopy struct{ loan, who string }

// copiesModel is the rules for copies in somebody's hand, for one book.
var copiesModel = porcupine.Model{
	Partition: partition(func(input any) string { return input.(handling).book }),
	Init:      func() any { return copies{} },
	Step: func(state, input, output any) (bool, any) {
		s, answer := state.(copies), output.(string)
		want := s.step(input.(handling), answer)
		return want == answer, s
	},
}

// step changes the loans and returns the right answer. The identifier of a new loan is taken from the
// given answer.
func (s *copies) step(in handling, given string) string {
	switch in.act {
	case "look":
		return fmt.Sprint(*s)
	case "borrow":
		own, free := s.of(in.who), s.free()
		switch {
		case own >= 0:
			return described(s[own].loan, own, false)
		case free < 0:
			return "already_borrowed"
		}
		return s.open(free, in.who, given, false)
	case "take", "lend":
		return s.lend(in, given)
	case "return":
		return s.giveBack(in.who)
	case "move":
		return s.move(s.with(in.loan), in.copy, in.swap)
	case "claim":
		if s.with(in.loan) < 0 {
			return "not_open"
		}
		return s.end(s.with(in.loan), in.copy, "copy_on_loan")
	case "receive":
		return s.end(s.with(s[in.copy].loan), in.copy, "")
	case "bring":
		return s.end(s.of(in.who), in.copy, "not_yours")
	}
	return "unknown act"
}

// lend lends the copy in hand: at the desk perhaps by a swap.
func (s *copies) lend(in handling, given string) string {
	free, isLent := s.free(), s[in.copy].loan != ""
	switch {
	case s.of(in.who) >= 0:
		return "has_it"
	case isLent && (in.act == "take" || !in.swap || free < 0):
		return "copy_on_loan"
	case isLent:
		s[free] = s[in.copy]
	}
	return s.open(in.copy, in.who, given, isLent)
}

func (s *copies) open(i int, who, given string, swapped bool) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(given, "loan "), ",")
	s[i] = lentCopy{id, who}
	return described(id, i, swapped)
}

func (s *copies) giveBack(who string) string {
	own := s.of(who)
	switch {
	case own >= 0:
		s[own] = lentCopy{}
		return ""
	case *s == copies{}:
		return "not_borrowed"
	}
	return "not_your_loan"
}

// end ends the loan of one copy with another in hand. others is the answer if the copy in hand has
// another loan.
func (s *copies) end(lent, inHand int, others string) string {
	switch {
	case s[inHand].loan != "" && lent != inHand:
		return others
	case lent < 0:
		return "not_borrowed"
	}
	answer := described(s[lent].loan, inHand, lent != inHand)
	s[lent] = lentCopy{}
	return answer
}

func (s *copies) move(from, to int, swap bool) string {
	switch {
	case from < 0:
		return "not_open"
	case from != to && s[to].loan != "" && !swap:
		return "copy_on_loan"
	}
	s[from], s[to] = s[to], s[from]
	return described(s[to].loan, to, false)
}

func (s *copies) find(is func(lentCopy) bool) int {
	for i, c := range s {
		if is(c) {
			return i
		}
	}
	return -1
}

func (s *copies) free() int { return s.find(func(c lentCopy) bool { return c.loan == "" }) }

func (s *copies) of(who string) int {
	return s.find(func(c lentCopy) bool { return c.who == who })
}

// with returns the place of a loan, -1 for none.
func (s *copies) with(loan string) int {
	return s.find(func(c lentCopy) bool { return loan != "" && c.loan == loan })
}
