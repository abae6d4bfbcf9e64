package lendingmodel

import (
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/storetest/fixture"
)

// categories and kinds are those of the people and books of a world.
var (
	categories = []string{"pupil", "Teacher", ""}
	kinds      = []string{library.KindBook, library.KindFilm, library.KindGame}
)

// ruleSets are the rules of a policy that a world can have.
func ruleSets(now time.Time) [][]library.PolicyRule {
	until := calendar.DateOf(now.AddDate(0, 0, 5))
	pupil, teacher, film, game := []string{"PUPIL"}, []string{"teacher"}, []string{library.KindFilm}, []string{library.KindGame}
	return [][]library.PolicyRule{
		nil,
		{{Name: "Films", Kinds: film, LoanDays: new(3), MaxLoans: new(1), MaxHolds: new(1)}, {Name: "Pupils", Categories: pupil, LoanDays: new(7), MaxLoans: new(2), Renewals: new(1)}},
		{{Name: "Summer", Categories: pupil, Until: &until}, {Name: "Teachers", Categories: teacher, LoanDays: new(0), MaxLoans: new(0), SelfBorrow: new(true)}},
		{{Name: "Games", Kinds: game, Lend: new(false)}, {Name: "Games of teachers", Kinds: game, Categories: teacher, Lend: new(true), Holds: new(false)}},
		{{Name: "Desk", Categories: teacher, SelfBorrow: new(false), Renewals: new(0)}, {Name: "Both", Kinds: append(game, film...), MaxLoans: new(1), MaxHolds: new(1), Until: &until}},
	}
}

// rulesFor are the rules about a person and a book, the first to decide first.
func (m *model) rulesFor(who, book string) (order []library.PolicyRule) {
	category, kind := m.member(who).User.Category, first(m.books, func(b title) bool { return b.id == book }).kind
	for _, class := range [][2]bool{{true, true}, {false, true}, {true, false}} {
		for _, r := range m.policy.Rules {
			ofPerson := slices.ContainsFunc(r.Categories, func(c string) bool { return category != "" && library.SameWord(c, category) })
			ofBook := slices.Contains(r.Kinds, kind)
			if class == [2]bool{len(r.Categories) > 0, len(r.Kinds) > 0} && class == [2]bool{ofPerson, ofBook} {
				order = append(order, r)
			}
		}
	}
	return order
}

// ruled is a value of the first rule that has it, and the name of the rule.
func ruled[T any](rules []library.PolicyRule, otherwise T, value func(library.PolicyRule) *T) (T, string) {
	for _, r := range rules {
		if v := value(r); v != nil {
			return *v, r.Name
		}
	}
	return otherwise, ""
}

func (m *model) selfBorrow(who, book string) bool {
	self, _ := ruled(m.rulesFor(who, book), !m.policy.DeskLends, func(r library.PolicyRule) *bool { return r.SelfBorrow })
	return self
}

func (m *model) isForThem(who, book string) bool {
	lend, _ := ruled(m.rulesFor(who, book), true, func(r library.PolicyRule) *bool { return r.Lend })
	return lend
}

func (m *model) isReservable(who, book string) bool {
	holds, _ := ruled(m.rulesFor(who, book), true, func(r library.PolicyRule) *bool { return r.Holds })
	return holds
}

func (m *model) renewals(who, book string) int {
	n, _ := ruled(m.rulesFor(who, book), m.policy.Renewals, func(r library.PolicyRule) *int { return r.Renewals })
	return n
}

// isOver reports whether one more of a person's things, which are of these books, is above a limit of a rule or the
// policy.
func (m *model) isOver(who, book string, policy int, limit func(library.PolicyRule) *int, has []string) bool {
	for _, ofKinds := range []bool{true, false} {
		rules := slices.DeleteFunc(m.rulesFor(who, book), func(r library.PolicyRule) bool { return ofKinds != (len(r.Kinds) > 0) })
		most, name := ruled(rules, policy, limit)
		if ofKinds && name == "" {
			continue
		}
		counted := fixture.Count(has, func(id string) bool {
			b := first(m.books, func(b title) bool { return b.id == id })
			return !ofKinds || slices.Contains(first(rules, func(r library.PolicyRule) bool { return r.Name == name }).Kinds, b.kind)
		})
		if most > 0 && counted >= most {
			return true
		}
	}
	return false
}

func (m *model) isOverLoans(who, book string) bool {
	var has []string
	for _, l := range m.loans {
		if l.open() && l.who == who {
			has = append(has, l.book)
		}
	}
	return m.isOver(who, book, m.policy.MaxLoans, func(r library.PolicyRule) *int { return r.MaxLoans }, has)
}

func (m *model) isOverHolds(who, book string) bool {
	var has []string
	for _, h := range m.holds {
		if h.active() && h.who == who && !(h.state == library.Ready && m.now.After(h.until)) {
			has = append(has, h.book)
		}
	}
	return m.isOver(who, book, m.policy.MaxHolds, func(r library.PolicyRule) *int { return r.MaxHolds }, has)
}

// dueDate is when a loan is due that begins now, and the rule that says so.
func (m *model) dueDate(who, book string) (due time.Time, rule string) {
	rules := m.rulesFor(who, book)
	days, rule := ruled(rules, m.policy.LoanDays, func(r library.PolicyRule) *int { return r.LoanDays })
	if days > 0 {
		due = m.endOfDayIn(days)
	}
	year, month, day := m.now.In(m.zone()).Date()
	today := time.Date(year, month, day, 12, 0, 0, 0, time.UTC)
	noon := func(d calendar.Date) time.Time { return time.Date(d.Year, d.Month, d.Day, 12, 0, 0, 0, time.UTC) }
	until, cutting := ruled(rules, calendar.Date{}, func(r library.PolicyRule) *calendar.Date {
		if r.Until == nil || noon(*r.Until).Before(today) {
			return nil
		}
		return r.Until
	})
	if cutting == "" || !due.IsZero() && !due.After(m.endOfDay(noon(until))) {
		return due, rule
	}
	last := noon(until)
	for last.After(today) && m.isClosed(last) {
		last = last.Add(-24 * time.Hour)
	}
	if m.isClosed(last) {
		last = noon(until)
	}
	return m.endOfDay(last), cutting
}

func (m *model) isClosed(day time.Time) bool {
	return slices.Contains(m.policy.ClosedWeekdays, day.Weekday()) || slices.Contains(m.policy.ClosedDates, calendar.DateOf(day))
}
