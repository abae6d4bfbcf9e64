package library

import (
	"cmp"
	"slices"
	"time"

	"example.org/library/internal/fulltext"
)

// Stock has the numbers of copies, loans and holds of a book. It is computed whenever one of them
// changes, and stored with the book, so lists need not count.
type Stock struct {
	Copies    int       // in the state Lendable
	Available int       // free for readers without a hold
	Waiting   int       // waiting holds
	Lent      int       // open loans, of copies in any state
	Ready     int       // copies set aside
	Borrowed  bool      // all lendable copies are lent, and there is at least one
	Due       time.Time // the earliest due date; zero while a copy is available, or if no loan has one
}

// Stock counts the copies, loans and holds.
func (c Circulation) Stock() Stock {
	s := Stock{Waiting: len(c.Queue)}
	lentLendable := 0
	for _, copy := range c.Copies {
		if copy.Loan != nil {
			s.Lent++
		}
		if copy.Hold != nil {
			s.Ready++
		}
		if copy.State != Lendable {
			continue
		}
		s.Copies++
		if copy.free() {
			s.Available++
		}
		if copy.Loan != nil {
			lentLendable++
			s.Due = earlier(s.Due, copy.Loan.Due)
		}
	}
	s.Borrowed = s.Copies > 0 && lentLendable == s.Copies
	if s.Available > 0 {
		s.Due = time.Time{}
	}
	return s
}

// earlier returns the earlier of two instants; zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// shelves returns the shelves of the lendable copies.
func (c Circulation) shelves() []string {
	var shelves []string
	for _, copy := range c.Copies {
		if copy.State == Lendable && copy.Shelf != "" {
			shelves = append(shelves, copy.Shelf)
		}
	}
	return OrderShelves(shelves)
}

// OrderShelves sorts shelves like titles and removes duplicates: case and accents folded, then byte by
// byte.
func OrderShelves(shelves []string) []string {
	if len(shelves) < 2 {
		return shelves
	}
	slices.SortFunc(shelves, func(a, b string) int {
		return cmp.Or(cmp.Compare(fulltext.Fold(a), fulltext.Fold(b)), cmp.Compare(a, b))
	})
	return slices.Compact(shelves)
}
