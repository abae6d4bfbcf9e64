package library

import "context"

// DueDay is the day on which an open loan is due.
type DueDay struct {
	Loan Loan
	Day  Date
}

// DueDays are those of the actor's open loans, the earliest first. Loans without a due date
// have none.
func (s *Service) DueDays(ctx context.Context, a Actor) ([]DueDay, error) {
	p, err := s.store.Policy(ctx)
	if err != nil {
		return nil, err
	}
	loans, err := collect(s.Loans(ctx, a, LoanQuery{Filter: OpenLoans, UserID: a.User.ID}))
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
