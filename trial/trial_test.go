package trial_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/trial"
)

var categories = []string{"", "pupil", "PUPIL", "teacher", "parent"}

// randomPolicy makes a policy with few words and values, so that its rules meet often.
func randomPolicy(t *testing.T, r *rand.Rand, today library.Date) library.Policy {
	t.Helper()
	some := func(words ...string) []string {
		return slices.DeleteFunc(words, func(string) bool { return r.IntN(3) > 0 })
	}
	p := library.DefaultPolicy()
	p.LoanDays, p.Renewals, p.MaxLoans, p.MaxHolds = r.IntN(30), r.IntN(3), r.IntN(4), r.IntN(4)
	p.TimeZone = []string{"UTC", "Europe/Berlin", "Pacific/Kiritimati"}[r.IntN(3)]
	for range r.IntN(3) {
		p.ClosedWeekdays = append(p.ClosedWeekdays, time.Weekday(r.IntN(7)))
		p.ClosedDates = append(p.ClosedDates, today.AddDays(-r.IntN(300)))
	}
	for i := range r.IntN(6) {
		rule := library.PolicyRule{Name: fmt.Sprint("Rule ", i), Categories: some("pupil", "Teacher", "guest"), Kinds: some("book", "film", "game")}
		if len(rule.Categories)+len(rule.Kinds) == 0 {
			rule.Categories = []string{"Pupil"}
		}
		for _, n := range []**int{&rule.LoanDays, &rule.Renewals, &rule.MaxLoans, &rule.MaxHolds} {
			if r.IntN(3) == 0 {
				*n = new(r.IntN(5))
			}
		}
		if r.IntN(3) == 0 {
			rule.Until = new(today.AddDays(r.IntN(300) - 250))
		}
		rule.Holds = new(r.IntN(3) > 0)
		p.Rules = append(p.Rules, rule)
	}
	testkit.NoError(t, p.Normalize())
	return p
}

type history struct {
	loans []library.PastLoan
	holds []library.PastHold
}

func randomHistory(r *rand.Rand, since time.Time) (h history) {
	kinds := []string{"book", "film", "game", ""}
	at := since.Add(-20 * 24 * time.Hour)
	for i := range 150 {
		at = at.Add(time.Duration(r.IntN(50)) * time.Hour)
		who := r.IntN(len(categories) + 1)
		user, category := "", ""
		if who < len(categories) {
			user, category = fmt.Sprint("user ", who), categories[who]
		}
		var ended time.Time
		if user == "" || r.IntN(5) > 0 {
			ended = at.Add(time.Duration(r.IntN(400)) * time.Hour)
		}
		h.loans = append(h.loans, library.PastLoan{ID: fmt.Sprint("loan ", i), User: user, Category: category, Kind: kinds[r.IntN(4)],
			Since: at, Returned: ended, Renewals: r.IntN(4), DueGiven: r.IntN(10) == 0})
		h.holds = append(h.holds, library.PastHold{User: user, Category: category, Kind: kinds[r.IntN(4)], Created: at, Ended: ended})
	}
	return h
}

func (h history) tried(now, tried library.Policy, since time.Time, today library.Date) trial.Answer {
	t := trial.New(now, tried, since)
	for range 2 { // a database may ask for a second time
		loans := t.Loans()
		for _, l := range h.loans {
			loans(l)
		}
		holds := t.Holds()
		for _, h := range h.holds {
			holds(h)
		}
	}
	return t.Answer(today)
}

// slowly plays loans or holds under one policy: it counts what the person has anew each time.
func slowly(p library.Policy, since time.Time, n int, at func(i int) library.PastLoan, refuse func(library.Terms, int, map[string]int) error) []*library.Error {
	refused := make([]*library.Error, n)
	for i := range n {
		l := at(i)
		if l.Since.Before(since) {
			continue
		}
		all, ofKind := 0, map[string]int{}
		for j := range i {
			if other := at(j); other.User == l.User && l.User != "" && refused[j] == nil && (other.Returned.IsZero() || other.Returned.After(l.Since)) {
				all++
				ofKind[other.Kind]++
			}
		}
		if err := refuse(p.Terms(l.Category, l.Kind, p.Day(l.Since)), all, ofKind); err != nil {
			refused[i] = err.(*library.Error)
		}
	}
	return refused
}

func (h history) slowly(now, tried library.Policy, since time.Time) (a trial.Answer) {
	a.From = now.Day(since)
	loanAt := func(i int) library.PastLoan { return h.loans[i] }
	holdAt := func(i int) library.PastLoan {
		h := h.holds[i]
		return library.PastLoan{User: h.User, Category: h.Category, Kind: h.Kind, Since: h.Created, Returned: h.Ended}
	}
	refuseHold := func(t library.Terms, n int, ofKind map[string]int) error {
		if !t.Holds.Value {
			return &library.Error{Code: "not_reservable", Rule: t.Holds.Rule}
		}
		return t.HoldLimit(n, ofKind)
	}
	was, is := slowly(now, since, len(h.loans), loanAt, library.Terms.LoanLimit), slowly(tried, since, len(h.loans), loanAt, library.Terms.LoanLimit)
	closed := tried
	closed.ClosedWeekdays, closed.ClosedDates = now.ClosedWeekdays, now.ClosedDates
	for i, l := range h.loans {
		switch {
		case l.Since.Before(since):
			continue
		case was[i] == nil && is[i] != nil:
			count(&a.Refused, is[i], l.Category)
			a.Examples = append([]trial.Example{{Loan: l.ID, Code: is[i].Code, Rule: is[i].Rule}}, a.Examples...)
		case was[i] == nil && is[i] == nil:
			compareSlowly(&a, l, now, tried, closed)
		}
		a.Loans++
	}
	a.Examples = a.Examples[:min(20, len(a.Examples))]
	was, is = slowly(now, since, len(h.holds), holdAt, refuseHold), slowly(tried, since, len(h.holds), holdAt, refuseHold)
	for i, hold := range h.holds {
		if !hold.Created.Before(since) {
			a.Holds++
			if was[i] == nil && is[i] != nil {
				count(&a.HoldsRefused, is[i], hold.Category)
			}
		}
	}
	return a
}

// count adds a refusal. Answers are compared after sorting.
func count(r *trial.Refusals, why *library.Error, category string) {
	r.Count++
	for i, by := range r.By {
		if by.Code == why.Code && by.Rule == why.Rule && strings.EqualFold(by.Category, category) {
			r.By[i].Count++
			return
		}
	}
	r.By = append(r.By, trial.Refusal{Code: why.Code, Rule: why.Rule, Category: category, Count: 1})
}

func compareSlowly(a *trial.Answer, l library.PastLoan, now, tried, closed library.Policy) {
	due := func(p library.Policy) (library.Date, library.Terms) {
		t := p.Terms(l.Category, l.Kind, p.Day(l.Since))
		return p.DueDay(t, p.Day(l.Since)).Value, t
	}
	was, before := due(now)
	is, after := due(tried)
	a.RenewalsRefused += max(0, max(0, l.Renewals-after.Renewals.Value)-max(0, l.Renewals-before.Renewals.Value))
	if was == is || l.DueGiven {
		return
	}
	if same, _ := due(closed); same == was {
		a.OnClosedDays++
	}
	never := library.Date{}
	switch {
	case was == never:
		a.DueEarlier.Count++
	case is == never:
		a.DueLater.Count++
	default:
		days := 0
		for day := was; day != is; days++ {
			day = day.AddDays(is.Compare(was))
		}
		shift := &a.DueLater
		if is.Compare(was) < 0 {
			shift = &a.DueEarlier
		}
		shift.Count++
		shift.Days = max(shift.Days, days)
	}
}

var sorted = cmpopts.SortSlices(func(a, b trial.Refusal) bool { return fmt.Sprint(a) < fmt.Sprint(b) })

func TestEveryCountIsThatOfPlayingSlowly(t *testing.T) {
	t.Parallel()
	r, since := rand.New(rand.NewPCG(3, 4)), testkit.Instant(t, "2025-11-19T10:00:00Z")
	today := library.DefaultPolicy().Day(since.Add(trial.Window))
	var total trial.Answer
	for range 150 {
		now, tried, h := randomPolicy(t, r, today), randomPolicy(t, r, today), randomHistory(r, since)
		got := h.tried(now, tried, since, today)
		want := h.slowly(now, tried, since)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(trial.Answer{}, "Dead"), cmpopts.EquateEmpty(), sorted); diff != "" {
			t.Fatalf("from %+v to %+v (-want +got)\n%s", now, tried, diff)
		}
		if !slices.IsSortedFunc(got.Refused.By, func(a, b trial.Refusal) int { return b.Count - a.Count }) {
			t.Errorf("not the highest first: %+v", got.Refused.By)
		}
		total.Refused.Count += got.Refused.Count
		total.HoldsRefused.Count += got.HoldsRefused.Count
		total.RenewalsRefused += got.RenewalsRefused
		total.OnClosedDays += got.OnClosedDays
		total.DueEarlier.Count += got.DueEarlier.Count
		total.DueLater.Count += got.DueLater.Count
	}
	if total.Refused.Count == 0 || total.HoldsRefused.Count == 0 || total.RenewalsRefused == 0 || total.OnClosedDays == 0 || total.DueEarlier.Count == 0 || total.DueLater.Count == 0 {
		t.Errorf("something never happened: %+v", total)
	}
}

func TestUnchangedRulesGiveNoDifference(t *testing.T) {
	t.Parallel()
	r, since := rand.New(rand.NewPCG(5, 6)), testkit.Instant(t, "2025-11-19T10:00:00Z")
	today := library.DefaultPolicy().Day(since.Add(trial.Window))
	for range 150 {
		p, h := randomPolicy(t, r, today), randomHistory(r, since)
		got := h.tried(p, p, since, today)
		want := trial.Answer{From: got.From, Loans: got.Loans, Holds: got.Holds, Dead: got.Dead}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || got.Loans == 0 {
			t.Fatalf("under %+v (-want +got)\n%s", p, diff)
		}
	}
}
