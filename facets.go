package library

import (
	"cmp"
	"context"
	"maps"
	"slices"
)

// Limits of facets.
const (
	MaxFacetValues = 20     // of each kind
	MaxFacetBooks  = 10_000 // that are looked at
)

// Facets say what the books of a query are about, so that it can be narrowed.
type Facets struct {
	Total     int  // books that match
	Exact     bool // the counts are those of all of them, not of MaxFacetBooks
	Subjects  []FacetCount[string]
	Languages []FacetCount[string]
	Decades   []FacetCount[int] // the first year of each, the newest first

	Available, Unavailable int
}

// FacetCount is how many books have a value.
type FacetCount[T any] struct {
	Value T
	Count int
}

// FacetTally counts what books are about.
type FacetTally struct {
	Books     int
	available int
	languages map[string]int
	decades   map[int]int
	subjects  map[string]*facetSubject // by their keys
	keys      map[string]string        // of subjects that were seen before
}

// facetSubject is a subject. Spellings that differ in case and accents alone are one.
type facetSubject struct {
	books     int
	spellings map[string]int
}

// NewFacetTally returns an empty tally.
func NewFacetTally() *FacetTally {
	return &FacetTally{languages: map[string]int{}, decades: map[int]int{}, subjects: map[string]*facetSubject{}, keys: map[string]string{}}
}

// Another is an empty tally that knows the subjects of this one, so that each is folded once.
func (t *FacetTally) Another() *FacetTally {
	another := NewFacetTally()
	another.keys = t.keys
	return another
}

// Add counts a book.
func (t *FacetTally) Add(language string, published int, subjects []string, isAvailable bool) {
	t.Books++
	if isAvailable {
		t.available++
	}
	if language != "" {
		t.languages[language]++
	}
	if published > 0 {
		t.decades[published/10*10]++
	}
	for _, subject := range subjects {
		key, known := t.keys[subject]
		if !known {
			key = SubjectKey(subject)
			t.keys[subject] = key
		}
		s := t.subjects[key]
		if s == nil {
			s = &facetSubject{spellings: map[string]int{}}
			t.subjects[key] = s
		}
		s.books++
		s.spellings[subject]++
	}
}

// Facets are the counts. Total is how many books match; not all of them may have been counted.
func (t *FacetTally) Facets(total int) Facets {
	subjects := make([]facetValue, 0, len(t.subjects))
	for key, s := range t.subjects {
		subjects = append(subjects, facetValue{key, s.books})
	}
	languages := make([]facetValue, 0, len(t.languages))
	for code, books := range t.languages {
		languages = append(languages, facetValue{code, books})
	}
	decades := []FacetCount[int]{}
	for _, decade := range slices.Backward(slices.Sorted(maps.Keys(t.decades))) {
		decades = append(decades, FacetCount[int]{decade, t.decades[decade]})
	}
	return Facets{
		Total: total, Exact: total == t.Books,
		Subjects:  mostCounted(subjects, func(key string) string { return t.subjects[key].usual() }),
		Languages: mostCounted(languages, func(code string) string { return code }),
		Decades:   decades[:min(len(decades), MaxFacetValues)], Available: t.available, Unavailable: t.Books - t.available,
	}
}

// usual is the spelling that most books have.
func (s *facetSubject) usual() (value string) {
	most := 0
	for spelled, books := range s.spellings {
		if books > most || books == most && spelled < value {
			value, most = spelled, books
		}
	}
	return value
}

// facetValue is the key of a value, and how many books have it.
type facetValue struct {
	key   string
	books int
}

// mostCounted are the values with the highest counts, then by the alphabet. They are compared by
// their keys: there may be thousands.
func mostCounted(all []facetValue, shown func(key string) string) []FacetCount[string] {
	slices.SortFunc(all, func(a, b facetValue) int {
		return cmp.Or(cmp.Compare(b.books, a.books), cmp.Compare(a.key, b.key))
	})
	most := make([]FacetCount[string], 0, MaxFacetValues)
	for _, v := range all[:min(len(all), MaxFacetValues)] {
		most = append(most, FacetCount[string]{shown(v.key), v.books})
	}
	return most
}

// FacetStore is what a store knows of facets.
type FacetStore interface {
	// Facets counts what the books of a query are about, whatever q.Limit and q.After.
	Facets(ctx context.Context, q BookQuery) (Facets, error)
}

// Facets says what the books of a query are about.
func (s *Service) Facets(ctx context.Context, a Actor, q BookQuery) (Facets, error) {
	if err := a.Authorize(Browse); err != nil {
		return Facets{}, err
	}
	q.Stranger = a.Stranger
	return s.store.Facets(ctx, q)
}
