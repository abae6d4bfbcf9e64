package library

import (
	"slices"
	"time"

	"example.org/library/internal/validation"
)

// PolicyRule is an exception of the policy for some categories of people, some kinds of books, or both.
// It has at least one value; nil for none. See Terms for which rule wins.
type PolicyRule struct {
	Name       string   `json:"name"`
	Categories []string `json:"categories,omitempty"` // empty: any person
	Kinds      []string `json:"kinds,omitempty"`      // empty: any book

	LoanDays   *int  `json:"loanDays,omitempty"`
	Until      *Date `json:"until,omitempty"` // no due day is after it; counts until it has passed
	Renewals   *int  `json:"renewals,omitempty"`
	MaxLoans   *int  `json:"maxLoans,omitempty"` // with Kinds: of books of these kinds
	MaxHolds   *int  `json:"maxHolds,omitempty"` // the same
	SelfBorrow *bool `json:"selfBorrow,omitempty"`
	Holds      *bool `json:"holds,omitempty"` // may be reserved
	Lend       *bool `json:"lend,omitempty"`  // false: is neither lent nor reserved
}

// Limits of the rules of a policy.
const (
	MaxRules          = 50
	MaxRuleName       = 60
	MaxRuleCategories = 50 // of one rule
)

// SameWord reports whether two categories, or two names of rules, are the same but for ASCII case.
func SameWord(a, b string) bool { return lowerASCII(a) == lowerASCII(b) }

// appliesTo reports whether the rule is about a person of a category, "" for none, with a book of a kind.
func (r *PolicyRule) appliesTo(category, kind string) bool {
	isCategory := func(c string) bool { return category != "" && SameWord(c, category) }
	return (len(r.Categories) == 0 || slices.ContainsFunc(r.Categories, isCategory)) &&
		(len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind))
}

// rank is the place of the rule in the order: 0 goes first.
func (r *PolicyRule) rank() int {
	switch {
	case len(r.Kinds) == 0:
		return 2
	case len(r.Categories) == 0:
		return 1
	}
	return 0
}

// untilOn returns the rule's last due day, nil for none, as of a day.
func (r *PolicyRule) untilOn(today Date) *Date {
	if r.Until == nil || r.Until.Compare(today) < 0 {
		return nil
	}
	return r.Until
}

// hasValue reports whether the rule decides anything.
func (r *PolicyRule) hasValue() bool {
	return r.LoanDays != nil || r.Until != nil || r.Renewals != nil || r.MaxLoans != nil || r.MaxHolds != nil ||
		r.SelfBorrow != nil || r.Holds != nil || r.Lend != nil
}

// rules checks the rules of a policy. The list is never nil, so equal policies compare equal.
func (p *problems) rules(rules []PolicyRule) []PolicyRule {
	rules = append([]PolicyRule{}, rules...)
	if len(rules) > MaxRules {
		p.Add(validation.TooMany("rules", MaxRules))
		return rules
	}
	for i := range rules {
		field := indexed("rules", i)
		p.rule(field+".", &rules[i])
		if !rules[i].hasValue() {
			p.Add(Detail{Field: field, Code: validation.CodeRequired, Message: "needs at least one of loanDays, until, renewals, maxLoans, maxHolds, selfBorrow, holds and lend"})
		}
		isNamesake := func(r PolicyRule) bool { return SameWord(r.Name, rules[i].Name) }
		if rules[i].Name != "" && slices.ContainsFunc(rules[:i], isNamesake) {
			p.Add(Detail{Field: field + ".name", Code: validation.CodeDuplicate, Message: "is the name of another rule, too: " + rules[i].Name})
		}
	}
	return rules
}

func (p *problems) rule(prefix string, r *PolicyRule) {
	r.Name = p.RequiredLine(prefix+"name", r.Name, MaxRuleName)
	r.Categories = p.ruleCategories(prefix+"categories", r.Categories)
	for i, kind := range r.Kinds {
		if !slices.Contains(BookKinds, kind) {
			p.Add(validation.UnknownValue(indexed(prefix+"kinds", i), BookKinds))
		}
	}
	r.Kinds = distinct(r.Kinds, func(a, b string) bool { return a == b })
	if len(r.Categories)+len(r.Kinds) == 0 {
		p.Add(Detail{Field: prefix + "categories", Code: validation.CodeRequired, Message: "is required, or kinds in its place"})
	}
	within := func(name string, n *int, limit int) {
		if n != nil {
			p.Within(prefix+name, *n, 0, limit)
		}
	}
	within("loanDays", r.LoanDays, MaxLoanDays)
	within("renewals", r.Renewals, MaxRenewals)
	within("maxLoans", r.MaxLoans, MaxOfPerson)
	within("maxHolds", r.MaxHolds, MaxOfPerson)
	if r.Until != nil && !r.Until.IsReal() {
		p.Add(validation.NotADate(prefix + "until"))
	}
}

func (p *problems) ruleCategories(field string, categories []string) []string {
	var checked []string
	for i, c := range categories {
		checked = append(checked, p.RequiredLine(indexed(field, i), c, MaxCategory))
	}
	checked = distinct(checked, SameWord)
	if len(checked) > MaxRuleCategories {
		p.Add(validation.TooMany(field, MaxRuleCategories))
	}
	return checked
}

// distinct returns the list without entries that are there already, nil for an empty one.
func distinct(list []string, same func(a, b string) bool) (out []string) {
	for _, s := range list {
		if !slices.ContainsFunc(out, func(earlier string) bool { return same(earlier, s) }) {
			out = append(out, s)
		}
	}
	return out
}

// CheckUntil refuses a last due day that has passed, unless the rule had it before.
func (p Policy) CheckUntil(before Policy, now time.Time) error {
	var wrong problems
	for i, r := range p.Rules {
		had := func(old PolicyRule) bool {
			return SameWord(old.Name, r.Name) && old.Until != nil && *old.Until == *r.Until
		}
		if r.Until != nil && r.untilOn(p.Day(now)) == nil && !slices.ContainsFunc(before.Rules, had) {
			wrong.Add(Detail{Field: indexed("rules", i) + ".until", Code: validation.CodeOutOfRange, Message: "is in the past"})
		}
	}
	return wrong.err()
}
