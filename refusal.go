package library

import (
	"fmt"
	"strings"
	"time"
)

// Refusals that say what the reader can do instead.

// with is the error with another sentence.
func (e *Error) with(format string, args ...any) error {
	worded := *e
	worded.Message = fmt.Sprintf(format, args...)
	return &worded
}

func loanLimit(p Policy) error {
	return ErrLoanLimit.with("You may have %s at a time; return one first.", count(p.MaxLoans, "book", "books"))
}

// SelfBorrow returns nil if readers borrow without the desk.
func (p Policy) SelfBorrow() error {
	if p.DeskLends {
		return ErrDeskOnly.with("Books are lent at the desk here; please take it there.")
	}
	return nil
}

// SelfReturn returns nil if readers give back without the desk.
func (p Policy) SelfReturn() error {
	if p.DeskTakesBack {
		return ErrDeskOnly.with("Books are given back at the desk here; please bring it there.")
	}
	return nil
}

// ByOneself is a rule for readers without the desk. Whether the policy lets them
// comes before all that the rule itself could refuse.
func ByOneself(allowed func(Policy) error, r Rule) Rule {
	return func(c Circulation, now time.Time) (Decision, error) {
		if err := allowed(c.Policy); err != nil {
			return Decision{}, err
		}
		return r(c, now)
	}
}

// onShelf is why a book is not reserved: a copy is there.
func onShelf(p Policy) error {
	if p.DeskLends {
		return ErrAvailable.with("A copy is available; you can borrow it at the desk.")
	}
	return ErrAvailable
}

func holdLimit(p Policy) error {
	return ErrHoldLimit.with("You may reserve %s at a time; cancel a reservation first.", count(p.MaxHolds, "book", "books"))
}

func stillWaiting(place int) error {
	if place == 1 {
		return ErrReserved.with("You are next in the queue for this book; it will be set aside for you when a copy comes back.")
	}
	return ErrReserved.with("You are number %d in the queue for this book; a copy will be set aside for you when it is your turn.", place)
}

// allLent says no more than it always did while there is one copy and nobody
// waits: the contract has that sentence.
func allLent(s Stock, p Policy, now time.Time) error {
	switch {
	case s.Copies == 1 && s.Waiting == 0:
		return ErrBookBorrowed
	case s.Due.Before(now): // or there is no date
		return ErrBookBorrowed.with("The book is already borrowed; you can reserve it.")
	}
	return ErrBookBorrowed.with("The book is already borrowed; the next copy is due on %s. You can reserve it.", p.SayDay(s.Due))
}

func renewalLimit(l Loan, p Policy) error {
	if p.Renewals == 0 {
		return ErrRenewalLimit.with("Loans are not renewed here; %s.", keep(l, p))
	}
	return ErrRenewalLimit.with("The loan was renewed %s already; %s.", count(l.Renewals, "time", "times"), keep(l, p))
}

func awaited(l Loan, p Policy) error {
	people := count(l.Awaited, "person is", "people are")
	return ErrAwaited.with("%s waiting for this book; %s.", strings.ToUpper(people[:1])+people[1:], keep(l, p))
}

func tooEarly(l Loan, p Policy) error {
	from := l.renewableFrom(p)
	if from.IsZero() {
		return ErrTooEarly.with("The loan has no due date, so there is nothing to renew.")
	}
	return ErrTooEarly.with("Today a renewal would not move the due date, %s; it does from %s on.", p.SayDay(l.Due), p.SayDay(from))
}

// keep says until when the borrower may keep the copy.
func keep(l Loan, p Policy) string {
	switch {
	case l.Overdue:
		return "it was due on " + p.SayDay(l.Due) + ", please return it"
	case l.Due.IsZero():
		return "please return it when you have read it"
	}
	return "you can keep it until " + p.SayDay(l.Due)
}

var numbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// count is a number and what is counted, in words while it is small.
func count(n int, one, many string) string {
	word := many
	if n == 1 {
		word = one
	}
	if n < len(numbers) {
		return numbers[n] + " " + word
	}
	return fmt.Sprintf("%d %s", n, word)
}
