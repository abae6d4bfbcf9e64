package httpapi

import (
	"example.org/library/api"
	"example.org/library/service"
	"example.org/library/trial"
)

// tryPolicy says what a policy would have changed. It reads the same body as setPolicy.
func (s *Server) tryPolicy(x *exchange) error {
	p, err := x.policy()
	if err != nil {
		return err
	}
	t, err := s.service.TryPolicy(x.r.Context(), x.actor, p)
	return x.result(wireTrial(t), err)
}

func wireTrial(t service.Trial) api.PolicyTrial {
	return api.PolicyTrial{
		From: t.From.String(), Loans: t.Loans, Holds: t.Holds,
		Refused:    api.RefusedLoans{Refusals: wireRefusals(t.Refused), Examples: each(t.Examples, wireRefusedLoan)},
		DueEarlier: api.DueShift(t.DueEarlier), DueLater: api.DueShift(t.DueLater), RenewalsRefused: t.RenewalsRefused,
		HoldsRefused: wireRefusals(t.HoldsRefused), OnClosedDays: t.OnClosedDays,
		Dead: each(t.Dead, func(d trial.Dead) api.DeadRule {
			return api.DeadRule{Rule: d.Rule, HiddenBy: append([]string{}, d.HiddenBy...)}
		}),
	}
}

func wireRefusals(r trial.Refusals) api.Refusals {
	return api.Refusals{Count: r.Count, By: each(r.By, func(r trial.Refusal) api.RefusalCount { return api.RefusalCount(r) })}
}

func wireRefusedLoan(e service.TrialExample) api.RefusedLoan {
	return api.RefusedLoan{Loan: e.ID, Book: wireBookRef(e.Book), User: wirePerson(e.Borrower), BorrowedAt: instant(e.Since), Code: e.Code, Rule: e.Rule}
}
