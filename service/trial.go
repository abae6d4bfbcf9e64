package service

import (
	"cmp"
	"context"
	"time"

	"example.org/library"
	"example.org/library/trial"
)

// Trial has the differences a policy would have made.
type Trial struct {
	trial.Answer
	Examples []TrialExample // in the place of those of the answer
}

// TrialExample is a loan the policy would have refused.
type TrialExample struct {
	library.Loan
	Code, Rule string
}

// trialFor is the timeout for reading the loans of a year, and the same for the holds.
const trialFor = 15 * time.Second

// TryPolicy plays the last year under a policy, and changes nothing.
func (s *Service) TryPolicy(ctx context.Context, a library.Actor, p library.Policy) (Trial, error) {
	if err := cmp.Or(a.Authorize(library.Administer), p.Normalize()); err != nil {
		return Trial{}, err
	}
	before, err := s.store.Policy(ctx)
	now := s.now()
	if err == nil {
		err = p.CheckUntil(before, now)
	}
	if err != nil {
		return Trial{}, err
	}
	since := now.Add(-trial.Window)
	t := trial.New(before, p, since)
	ctx = library.WithStoreTimeout(ctx, trialFor)
	if err := s.store.PastLoans(ctx, since, t.Loans); err != nil {
		return Trial{}, err
	}
	if err := s.store.PastHolds(ctx, since, t.Holds); err != nil {
		return Trial{}, err
	}
	answer := Trial{Answer: t.Answer(p.Day(now))}
	for _, e := range answer.Answer.Examples {
		l, err := s.store.Loan(ctx, e.Loan, now)
		if err != nil {
			return Trial{}, err
		}
		if l.Borrower.ID != "" { // otherwise forgotten in the meantime
			answer.Examples = append(answer.Examples, TrialExample{l, e.Code, e.Rule})
		}
	}
	return answer, nil
}
