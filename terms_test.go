package library

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

// slowTerms is Terms as regulations say it: for each value, look through the rules in their order.
func slowTerms(p Policy, category, kind string, today Date) Terms {
	var order []PolicyRule
	for _, class := range []struct{ categories, kinds bool }{{true, true}, {false, true}, {true, false}} {
		for _, r := range p.Rules {
			isAbout := func(c string) bool { return strings.EqualFold(c, category) && category != "" }
			switch {
			case (len(r.Categories) > 0) != class.categories || (len(r.Kinds) > 0) != class.kinds:
			case class.categories && !slices.ContainsFunc(r.Categories, isAbout), class.kinds && !slices.Contains(r.Kinds, kind):
			default:
				order = append(order, r)
			}
		}
	}
	t := Terms{
		LoanDays: first(order, Ruled[int]{Value: p.LoanDays}, func(r PolicyRule) *int { return r.LoanDays }),
		Renewals: first(order, Ruled[int]{Value: p.Renewals}, func(r PolicyRule) *int { return r.Renewals }),
		Until: first(order, Ruled[Date]{}, func(r PolicyRule) *Date {
			if r.Until != nil && r.Until.Compare(today) >= 0 {
				return r.Until
			}
			return nil
		}),
		SelfBorrow: first(order, Ruled[bool]{Value: !p.DeskLends}, func(r PolicyRule) *bool { return r.SelfBorrow }),
		Holds:      first(order, Ruled[bool]{Value: true}, func(r PolicyRule) *bool { return r.Holds }),
		Lend:       first(order, Ruled[bool]{Value: true}, func(r PolicyRule) *bool { return r.Lend }),
		MaxLoans:   first(order, Ruled[int]{Value: p.MaxLoans}, general(func(r PolicyRule) *int { return r.MaxLoans })),
		MaxHolds:   first(order, Ruled[int]{Value: p.MaxHolds}, general(func(r PolicyRule) *int { return r.MaxHolds })),
	}
	for _, r := range order {
		if len(r.Kinds) > 0 && r.MaxLoans != nil && t.MaxLoansOfKinds == nil {
			t.MaxLoansOfKinds = &KindsLimit{Ruled[int]{*r.MaxLoans, r.Name}, r.Kinds}
		}
		if len(r.Kinds) > 0 && r.MaxHolds != nil && t.MaxHoldsOfKinds == nil {
			t.MaxHoldsOfKinds = &KindsLimit{Ruled[int]{*r.MaxHolds, r.Name}, r.Kinds}
		}
	}
	return t
}

func first[T any](order []PolicyRule, policy Ruled[T], value func(PolicyRule) *T) Ruled[T] {
	for _, r := range order {
		if v := value(r); v != nil {
			return Ruled[T]{*v, r.Name}
		}
	}
	return policy
}

// general is a limit of rules without kinds.
func general(limit func(PolicyRule) *int) func(PolicyRule) *int {
	return func(r PolicyRule) *int {
		if len(r.Kinds) > 0 {
			return nil
		}
		return limit(r)
	}
}

// randomRules makes rules with few words and values, so that they meet often.
func randomRules(r *rand.Rand, n int, today Date) (rules []PolicyRule) {
	some := func(words ...string) []string {
		return slices.DeleteFunc(words, func(string) bool { return r.IntN(3) > 0 })
	}
	for len(rules) < n {
		rule := PolicyRule{Name: fmt.Sprint("Rule ", len(rules)), Categories: some("pupil", "Teacher", "guest"), Kinds: some("book", "film", "game")}
		for _, n := range []**int{&rule.LoanDays, &rule.Renewals, &rule.MaxLoans, &rule.MaxHolds} {
			if r.IntN(4) == 0 {
				*n = new(r.IntN(9))
			}
		}
		for _, b := range []**bool{&rule.SelfBorrow, &rule.Holds, &rule.Lend} {
			if r.IntN(4) == 0 {
				*b = new(r.IntN(2) == 0)
			}
		}
		if r.IntN(4) == 0 {
			rule.Until = new(today.AddDays(r.IntN(9) - 3))
		}
		if rule.hasValue() && len(rule.Categories)+len(rule.Kinds) > 0 {
			rules = append(rules, rule)
		}
	}
	return rules
}

func TestEachValueIsThatOfTheFirstRuleWithIt(t *testing.T) {
	t.Parallel()
	r, today := rand.New(rand.NewPCG(1, 2)), onDay(2026, 11, 19)
	for range 300 {
		p := DefaultPolicy()
		p.Rules = randomRules(r, 1+r.IntN(6), today)
		if wrong := p.Check(); wrong != nil {
			t.Fatalf("%+v: %v", p.Rules, wrong)
		}
		for _, category := range []string{"", "PUPIL", "teacher", "guest", "parent"} {
			for _, kind := range BookKinds {
				if diff := cmp.Diff(slowTerms(p, category, kind, today), p.Terms(category, kind, today)); diff != "" {
					t.Fatalf("a %s for a %q under %+v (-want +got)\n%s", kind, category, p.Rules, diff)
				}
			}
		}
	}
}

func TestUntilIsTheLastDueDay(t *testing.T) {
	t.Parallel()
	now := testkit.Instant(t, "2026-11-19T10:00:00Z") // a Thursday
	for _, c := range []struct {
		rule    string
		days    int // of the rule Pupils
		until   string
		closed  []time.Weekday
		due     string
		decides string
	}{
		{"an until cuts a loan short", 14, "2026-11-25", nil, "2026-11-25", "Summer"},
		{"a later one does not", 14, "2026-12-25", nil, "2026-12-03", "Pupils"},
		{"on the same day the length decides", 14, "2026-12-03", nil, "2026-12-03", "Pupils"},
		{"without a length it is the until", 0, "2027-07-02", nil, "2027-07-02", "Summer"},
		{"on a closed day it is the last open day before", 14, "2026-11-22", []time.Weekday{time.Saturday, time.Sunday}, "2026-11-20", "Summer"},
		{"unless there is none from today on", 14, "2026-11-20", []time.Weekday{time.Thursday, time.Friday}, "2026-11-20", "Summer"},
		{"a due day that closed days move beyond the until is cut", 2, "2026-11-22", []time.Weekday{time.Saturday, time.Sunday}, "2026-11-20", "Summer"},
		{"today has not passed", 14, "2026-11-19", nil, "2026-11-19", "Summer"},
		{"yesterday has", 14, "2026-11-18", nil, "2026-12-03", "Pupils"},
	} {
		p := DefaultPolicy()
		p.ClosedWeekdays = c.closed
		var until Date
		testkit.NoError(t, until.UnmarshalText([]byte(c.until)))
		p.Rules = []PolicyRule{
			{Name: "Pupils", Categories: []string{"pupil"}, LoanDays: &c.days},
			{Name: "Summer", Categories: []string{"pupil"}, Until: &until},
		}
		due := p.DueDate(p.Terms("pupil", "book", p.Day(now)), now)
		if got := p.Day(due.Value).String(); got != c.due || due.Rule != c.decides {
			t.Errorf("%s: due %s by %q, want %s by %q", c.rule, got, due.Rule, c.due, c.decides)
		}
	}
}
