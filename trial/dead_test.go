package trial_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/trial"
)

func TestADeadRuleIsNamedWithWhatHidesIt(t *testing.T) {
	t.Parallel()
	today := library.DefaultPolicy().Day(testkit.Instant(t, "2026-11-19T10:00:00Z"))
	yesterday, later := today.AddDays(-1), today.AddDays(9)
	films, pupils := []string{"film"}, []string{"pupil"}
	days := new(3)
	for _, c := range []struct {
		name  string
		rules []library.PolicyRule
		dead  []trial.Dead
	}{
		{"the first of two about the same", []library.PolicyRule{{Name: "A", Kinds: films, LoanDays: days}, {Name: "B", Kinds: films, LoanDays: new(7)}}, []trial.Dead{{Rule: "B", HiddenBy: []string{"A"}}}},
		{"it lives by another value", []library.PolicyRule{{Name: "A", Kinds: films, LoanDays: days}, {Name: "B", Kinds: films, LoanDays: days, Renewals: days}}, nil},
		{"or another kind", []library.PolicyRule{{Name: "A", Kinds: films, LoanDays: days}, {Name: "B", Kinds: []string{"film", "map"}, LoanDays: days}}, nil},
		{"or people without a category", []library.PolicyRule{{Name: "A", Kinds: films, Categories: pupils, LoanDays: days}, {Name: "B", Kinds: films, LoanDays: days}}, nil},
		{"a rule about kinds leaves other kinds", []library.PolicyRule{{Name: "A", Categories: pupils, LoanDays: days}, {Name: "B", Kinds: films, LoanDays: days}}, nil},
		{"all kinds are hidden by rules for each", []library.PolicyRule{{Name: "P", Categories: pupils, LoanDays: days}, {Name: "All", Kinds: library.BookKinds, LoanDays: days}}, []trial.Dead{{Rule: "P", HiddenBy: []string{"All"}}}},
		{"several hide one, in their order", []library.PolicyRule{{Name: "C", Kinds: []string{"film", "map"}, LoanDays: days},
			{Name: "B", Kinds: []string{"map"}, Categories: pupils, LoanDays: days}, {Name: "A", Kinds: []string{"film"}, LoanDays: days}, {Name: "D", Kinds: []string{"film", "map"}, Categories: []string{"PUPIL"}, LoanDays: days}},
			[]trial.Dead{{Rule: "A", HiddenBy: []string{"C", "D"}}}},
		{"limits, with any list", []library.PolicyRule{{Name: "A", Kinds: []string{"film", "map"}, MaxLoans: days}, {Name: "B", Kinds: films, MaxLoans: days}}, []trial.Dead{{Rule: "B", HiddenBy: []string{"A"}}}},
		{"a general limit is another one", []library.PolicyRule{{Name: "A", Kinds: library.BookKinds, MaxLoans: days}, {Name: "B", Categories: pupils, MaxLoans: days}}, nil},
		{"a last day that has passed", []library.PolicyRule{{Name: "A", Kinds: films, Until: &yesterday}, {Name: "B", Kinds: films, Until: &later}}, []trial.Dead{{Rule: "A"}}},
		{"the value of the policy is a decision", []library.PolicyRule{{Name: "A", Kinds: films, LoanDays: new(28)}}, nil},
	} {
		p := library.DefaultPolicy()
		p.Rules = c.rules
		testkit.NoError(t, p.Normalize())
		if diff := cmp.Diff(c.dead, trial.DeadRules(p, today), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

// A rule is dead if the terms of no category and kind, also of categories that no rule names, have it.
func TestTheDeadAreThoseThatNoTermsName(t *testing.T) {
	t.Parallel()
	r, today := rand.New(rand.NewPCG(7, 8)), library.DefaultPolicy().Day(testkit.Instant(t, "2026-11-19T10:00:00Z"))
	died := 0
	for range 500 {
		p := randomPolicy(t, r, today)
		taken := map[string]bool{}
		for _, category := range append(categories, "guest") {
			for _, kind := range library.BookKinds {
				terms := p.Terms(category, kind, today)
				for _, rule := range []string{terms.LoanDays.Rule, terms.Until.Rule, terms.Renewals.Rule, terms.SelfBorrow.Rule, terms.Holds.Rule, terms.Lend.Rule, terms.MaxLoans.Rule, terms.MaxHolds.Rule} {
					taken[rule] = true
				}
				for _, l := range []*library.KindsLimit{terms.MaxLoansOfKinds, terms.MaxHoldsOfKinds} {
					if l != nil {
						taken[l.Rule] = true
					}
				}
			}
		}
		dead := map[string]bool{}
		for _, d := range trial.DeadRules(p, today) {
			dead[d.Rule] = true
			died++
		}
		for _, rule := range p.Rules {
			if taken[rule.Name] == dead[rule.Name] {
				t.Fatalf("%s is dead: %t, under %+v", rule.Name, dead[rule.Name], p.Rules)
			}
		}
	}
	if died == 0 {
		t.Error("no rule was dead")
	}
}
