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

const (
	trialFor   = time.Minute           // the timeout for reading the loans of a year, and the same for the holds
	trialPause = 15 * time.Millisecond // after each thousand records, for lending: 100,000 loans take 1.5 s longer
)

// paced makes a pause after each thousand records.
func paced[T any](begin func() func(T)) func() func(T) {
	return func() func(T) {
		visit, n := begin(), 0
		return func(record T) {
			visit(record)
			if n++; n%1000 == 0 {
				time.Sleep(trialPause)
			}
		}
	}
}

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
	if err := s.store.PastLoans(ctx, since, paced(t.Loans)); err != nil {
		return Trial{}, err
	}
	if err := s.store.PastHolds(ctx, since, paced(t.Holds)); err != nil {
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
