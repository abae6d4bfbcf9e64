package trial

import (
	"maps"
	"slices"

	"example.org/library"
)

// Dead is a rule without any effect.
type Dead struct {
	Rule     string
	HiddenBy []string // the rules in its place; none if its only value is a last day in the past
}

// DeadRules returns the rules of a policy without any effect as of a day, for every category and kind. To other
// categories than those named in rules apply the same rules as to people without one, so they need no look.
func DeadRules(p library.Policy, today library.Date) (dead []Dead) {
	alive := make(map[string]bool)
	hidden := make(map[string]map[string]bool) // by others
	for _, category := range categoriesIn(p.Rules) {
		narrow := p
		narrow.Rules = rulesAbout(category, p.Rules)
		for _, kind := range library.BookKinds {
			terms := narrow.Terms(category, kind, today)
			for _, r := range narrow.Rules {
				if len(r.Kinds) > 0 && !slices.Contains(r.Kinds, kind) {
					continue
				}
				for _, by := range deciders(r, terms, today) {
					if by == r.Name {
						alive[r.Name] = true
					} else if hidden[r.Name] == nil {
						hidden[r.Name] = map[string]bool{by: true}
					} else {
						hidden[r.Name][by] = true
					}
				}
			}
		}
	}
	for _, r := range p.Rules {
		if !alive[r.Name] {
			d := Dead{Rule: r.Name}
			for _, other := range p.Rules {
				if hidden[r.Name][other.Name] {
					d.HiddenBy = append(d.HiddenBy, other.Name)
				}
			}
			dead = append(dead, d)
		}
	}
	return dead
}

// categoriesIn returns the categories in rules, and "" for people without one.
func categoriesIn(rules []library.PolicyRule) []string {
	all := map[string]bool{"": true}
	for _, r := range rules {
		for _, c := range r.Categories {
			all[library.CategoryKey(c)] = true
		}
	}
	return slices.Collect(maps.Keys(all))
}

// deciders returns the rules with the final say about the values of a rule, one for each value.
func deciders(r library.PolicyRule, t library.Terms, today library.Date) (names []string) {
	add := func(has bool, by string) {
		if has {
			names = append(names, by)
		}
	}
	add(r.LoanDays != nil, t.LoanDays.Rule)
	add(r.Until != nil && r.Until.Compare(today) >= 0, t.Until.Rule)
	add(r.Renewals != nil, t.Renewals.Rule)
	add(r.SelfBorrow != nil, t.SelfBorrow.Rule)
	add(r.Holds != nil, t.Holds.Rule)
	add(r.Lend != nil, t.Lend.Rule)
	loans, holds := t.MaxLoans.Rule, t.MaxHolds.Rule
	if len(r.Kinds) > 0 {
		loans, holds = ruleOf(t.MaxLoansOfKinds), ruleOf(t.MaxHoldsOfKinds)
	}
	add(r.MaxLoans != nil, loans)
	add(r.MaxHolds != nil, holds)
	return names
}

func ruleOf(l *library.KindsLimit) string {
	if l == nil {
		return ""
	}
	return l.Rule
}
