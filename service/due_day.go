package service

import (
	"context"

	"example.org/library"
)

// DueDay is the due date of an open loan.
type DueDay struct {
	Loan library.Loan
	Day  library.Date
}

// DueDays returns the due dates of the actor's open loans, the earliest first. It leaves out loans
// without one.
func (s *Service) DueDays(ctx context.Context, a library.Actor) ([]DueDay, error) {
	p, err := s.store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	loans, err := collect(s.Loans(ctx, a, library.LoanQuery{Filter: library.OpenLoans, UserID: a.User.ID}))
	if err != nil {
		return nil, err
	}
	var days []DueDay
	for _, l := range loans {
		if !l.Due.IsZero() {
			days = append(days, DueDay{l, p.Day(l.Due)})
		}
	}
	return days, nil
}
