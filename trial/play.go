package trial

import (
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
)

// play is a policy with its decisions so far: many loans have the same.
type play struct {
	policy  library.Policy
	zone    *time.Location
	of      map[string]library.Policy // by category
	decided map[situation]*decision
}

// situation decides about everything but limits.
type situation struct {
	category, kind string
	day            library.Date
}

type decision struct {
	library.Terms
	due library.Date // zero for never
}

func newPlay(p library.Policy) *play {
	return &play{policy: p, zone: p.Zone(), of: make(map[string]library.Policy), decided: make(map[situation]*decision)}
}

// at returns the decision about a loan or a hold that began at an instant.
func (p *play) at(category, kind string, began time.Time) *decision {
	s := situation{category, kind, calendar.DateOf(began.In(p.zone))}
	d := p.decided[s]
	if d == nil {
		policy := p.about(category)
		terms := policy.Terms(category, kind, s.day)
		d = &decision{terms, policy.DueDay(terms, s.day).Value}
		p.decided[s] = d
	}
	return d
}

// about returns the policy with the rules for a category alone, so that its many names are compared once.
func (p *play) about(category string) library.Policy {
	policy, known := p.of[category]
	if !known {
		policy = p.policy
		policy.Rules = rulesAbout(category, policy.Rules)
		p.of[category] = policy
	}
	return policy
}

func rulesAbout(category string, rules []library.PolicyRule) (about []library.PolicyRule) {
	for _, r := range rules {
		for _, c := range r.Categories {
			if category != "" && library.SameWord(c, category) {
				r.Categories = []string{category}
				about = append(about, r)
				break
			}
		}
		if len(r.Categories) == 0 {
			about = append(about, r)
		}
	}
	return about
}

// isBefore reports whether the due day is before another one; without a day it is never.
func (d *decision) isBefore(other *decision) bool {
	never := library.Date{}
	return d.due != never && (other.due == never || d.due.Compare(other.due) < 0)
}

// daysBetween returns the days from one day to another, 0 where one of them is never.
func daysBetween(from, to library.Date) int {
	if never := (library.Date{}); from == never || to == never {
		return 0
	}
	return int(to.Begin(time.UTC).Sub(from.Begin(time.UTC)) / (24 * time.Hour))
}
