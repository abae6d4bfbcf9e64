package trial

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// record is a loan or a hold.
type record struct {
	user, category, kind string
	began, ended         time.Time
}

// verdict has the refusals of a record in both plays, nil where it was made.
type verdict struct{ now, tried error }

// kept is a record of a person, with the plays in which it was made.
type kept struct {
	kind       string
	ended      time.Time
	now, tried bool
}

// having is what people have, by their identifiers.
type having map[string][]kept

// take judges a record in both plays, and counts it for its person where it was made. Records from before the time of
// the trial were made.
func (h having) take(t *Trial, r record, refuse func(library.Terms, int, map[string]int) error) (v verdict) {
	isOver := func(k kept) bool { return !k.ended.IsZero() && !k.ended.After(r.began) }
	has := slices.DeleteFunc(h[r.user], isOver)
	if r.user == "" {
		has = nil // forgotten people have nothing else
	}
	if !r.began.Before(t.since) {
		v.now = judge(t.now, r, has, func(k kept) bool { return k.now }, refuse)
		v.tried = judge(t.tried, r, has, func(k kept) bool { return k.tried }, refuse)
	}
	if r.user != "" {
		h[r.user] = append(has, kept{r.kind, r.ended, v.now == nil, v.tried == nil})
	}
	return v
}

func judge(p *play, r record, has []kept, isMade func(kept) bool, refuse func(library.Terms, int, map[string]int) error) error {
	all, ofKind := 0, map[string]int{}
	for _, k := range has {
		if isMade(k) {
			all++
			ofKind[k.kind]++
		}
	}
	return refuse(p.at(r.category, r.kind, r.began).Terms, all, ofKind)
}

// tally counts refusals by reason. Categories with one meaning count together, as they are written first.
type tally map[Refusal]*Refusal

// add counts a refusal, and returns its reason.
func (t tally) add(err error, category string) *library.Error {
	why, _ := errors.AsType[*library.Error](err)
	by := Refusal{Code: why.Code, Rule: why.Rule, Category: library.CategoryKey(category)}
	r := t[by]
	if r == nil {
		r = &Refusal{why.Code, why.Rule, category, 0}
		t[by] = r
	}
	r.Count++
	return why
}

func (t tally) sum() (all Refusals) {
	for _, r := range t {
		all.Count += r.Count
		all.By = append(all.By, *r)
	}
	slices.SortFunc(all.By, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Category, b.Category))
	})
	return all
}
