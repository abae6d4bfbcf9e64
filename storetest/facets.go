package storetest

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/storetest/fixture"
)

// FacetsByHand computes the facets by looking at every book.
func FacetsByHand(books []library.Book, q library.BookQuery) search.Facets {
	found := find(books, q)
	out := search.Facets{Total: len(found), Exact: true, Decades: []search.FacetCount[int]{}}
	subjects, languages, kinds := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, b := range found {
		if b.Stock.Available > 0 {
			out.Available++
		} else {
			out.Unavailable++
		}
		for _, s := range b.Subjects {
			subjects[fulltext.Fold(s)] = append(subjects[fulltext.Fold(s)], s)
		}
		kinds[b.Kind] = append(kinds[b.Kind], b.Kind)
		if b.Language != "" {
			languages[b.Language] = append(languages[b.Language], b.Language)
		}
	}
	for decade := 9990; decade >= 0 && len(out.Decades) < 20; decade -= 10 {
		n := 0
		for _, b := range found {
			if b.Published > 0 && b.Published >= decade && b.Published < decade+10 {
				n++
			}
		}
		if n > 0 {
			out.Decades = append(out.Decades, search.FacetCount[int]{Value: decade, Count: n})
		}
	}
	out.Subjects, out.Languages, out.Kinds = mostByHand(subjects), mostByHand(languages), mostByHand(kinds)
	return out
}

// mostByHand are the values with the most spellings, each shown as it is spelled most often.
func mostByHand(values map[string][]string) []search.FacetCount[string] {
	out := []search.FacetCount[string]{}
	for _, spellings := range values {
		slices.Sort(spellings)
		usual, most := "", 0
		for _, s := range spellings {
			n := 0
			for _, other := range spellings {
				if other == s {
					n++
				}
			}
			if n > most {
				usual, most = s, n
			}
		}
		out = append(out, search.FacetCount[string]{Value: usual, Count: len(spellings)})
	}
	slices.SortFunc(out, func(a, b search.FacetCount[string]) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(fulltext.Fold(a.Value), fulltext.Fold(b.Value)))
	})
	return out[:min(len(out), 20)]
}

// facetsOfRandomBooks compares a store with the model, for every filter.
func facetsOfRandomBooks(t *testing.T, f fixture.Store) {
	r := rand.New(rand.NewPCG(8, uint64(testkit.Enough(4))))
	books := randomBooks(r, 200)
	f.AddBooks(t, books...)
	yes, no := true, false
	for range testkit.Enough(100) {
		q := library.BookQuery{}
		for _, set := range []func(){
			func() { q.Terms = library.ParseTerms(someText(r, 1)) },
			func() { q.Authors = library.ParseTerms(someText(r, 1)) },
			func() { q.Language = "de" },
			func() { q.Kind = library.BookKinds[r.IntN(4)] },
			func() { q.Subjects = []string{fulltext.Fold(someText(r, 1))} },
			func() { q.Series = fulltext.Fold(someText(r, 1)) },
			func() { q.From = 1 + r.IntN(2000) },
			func() { q.To = 1 + r.IntN(2000) },
			func() { q.Available = []*bool{&yes, &no}[r.IntN(2)] },
			func() { q.Borrowed = []*bool{&yes, &no}[r.IntN(2)] },
		} {
			if r.IntN(5) == 0 {
				set()
			}
		}
		got, err := f.Search.Facets(f.Ctx, q)
		testkit.NoError(t, err)
		if want := FacetsByHand(books, q); !reflect.DeepEqual(got, want) {
			t.Fatalf("for %+v:\ngot  %+v\nwant %+v", q, got, want)
		}
	}
}
