package library

import (
	"cmp"
	"slices"
	"time"

	"example.org/library/internal/fulltext"
)

// Stock says how many copies of a book there are and how many can be had. It is
// computed from the copies, loans and holds whenever one of them changes, and
// stored with the book, so that lists need not count.
type Stock struct {
	Copies    int       // that can be lent at all
	Available int       // that may be borrowed by somebody who has no hold
	Waiting   int       // people whose hold is waiting
	Lent      int       // open loans, of copies in whatever state
	Ready     int       // copies that are set aside
	Borrowed  bool      // there is a lendable copy, and each of them is with somebody
	Due       time.Time // when the next lent copy is due; zero while a copy is available, or if none has a date
}

// Stock is how many copies there are, as things stand.
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

// earlier is the earlier of two instants, of which the zero one is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// shelves is where the lendable copies stand.
func (c Circulation) shelves() []string {
	var shelves []string
	for _, copy := range c.Copies {
		if copy.State == Lendable && copy.Shelf != "" {
			shelves = append(shelves, copy.Shelf)
		}
	}
	return OrderShelves(shelves)
}

// OrderShelves leaves each shelf once, in the order of titles: case and accents
// folded, then byte by byte.
func OrderShelves(shelves []string) []string {
	if len(shelves) < 2 {
		return shelves
	}
	slices.SortFunc(shelves, func(a, b string) int {
		return cmp.Or(cmp.Compare(fulltext.Fold(a), fulltext.Fold(b)), cmp.Compare(a, b))
	})
	return slices.Compact(shelves)
}
