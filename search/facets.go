package search

import (
	"cmp"
	"maps"
	"slices"

	"example.org/library"
)

// Limits of facets.
const (
	MaxFacetValues = 20   // of each kind
	MaxFacetBooks  = 2000 // books counted, if the query has a condition
)

// Facets are counts for narrowing a query.
type Facets struct {
	Total     int  // books that match
	Exact     bool // all were counted, not a sample of MaxFacetBooks
	Subjects  []FacetCount[string]
	Languages []FacetCount[string]
	Kinds     []FacetCount[string]
	Decades   []FacetCount[int] // the first year of each, the newest first

	Available, Unavailable int
}

// FacetCount is a value and its number of books.
type FacetCount[T any] struct {
	Value T
	Count int
}

// FacetBook has the fields of a book for facets.
type FacetBook struct {
	Language  string
	Kind      string
	Published int
	Subjects  []string
}

// FacetTally counts facets of books.
type FacetTally struct {
	Books, Unavailable int

	languages map[string]int
	kinds     map[string]int
	years     map[int]int
	subjects  map[string]*facetSubject // by their keys
	keys      map[string]string        // of subjects seen before
}

// facetSubject is a subject, without regard to case and accents.
type facetSubject struct {
	books     int
	spellings map[string]int
}

// NewFacetTally returns an empty tally.
func NewFacetTally() *FacetTally {
	return &FacetTally{languages: map[string]int{}, kinds: map[string]int{}, years: map[int]int{}, subjects: map[string]*facetSubject{}, keys: map[string]string{}}
}

// Add counts a book.
func (t *FacetTally) Add(b FacetBook) {
	t.Books++
	if b.Language != "" {
		t.languages[b.Language]++
	}
	t.kinds[b.Kind]++
	if b.Published > 0 {
		t.years[b.Published]++
	}
	for _, subject := range b.Subjects {
		t.addSubject(subject)
	}
}

func (t *FacetTally) addSubject(subject string) {
	key, known := t.keys[subject]
	if !known {
		key = library.SubjectKey(subject)
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

// Facets returns the counts. Total is the number of matches. If only some of them were counted, the
// counts are scaled up.
func (t *FacetTally) Facets(total int) Facets {
	subjects := make([]facetValue, 0, len(t.subjects))
	for key, s := range t.subjects {
		subjects = append(subjects, facetValue{key, s.books})
	}
	facets := Facets{
		Total: total, Exact: total == t.Books,
		Subjects:    mostCounted(subjects, func(key string) string { return t.subjects[key].usual() }),
		Languages:   mostCounted(values(t.languages), itself),
		Kinds:       mostCounted(values(t.kinds), itself),
		Decades:     t.decades(),
		Unavailable: t.scaled(t.Unavailable, total),
	}
	facets.Available = total - facets.Unavailable
	for _, counts := range [][]FacetCount[string]{facets.Subjects, facets.Languages, facets.Kinds} {
		for i := range counts {
			counts[i].Count = t.scaled(counts[i].Count, total)
		}
	}
	for i := range facets.Decades {
		facets.Decades[i].Count = t.scaled(facets.Decades[i].Count, total)
	}
	return facets
}

// scaled returns a count of the tally, scaled up to all matches.
func (t *FacetTally) scaled(n, total int) int {
	if t.Books == 0 || t.Books == total {
		return n
	}
	return (n*total + t.Books/2) / t.Books
}

// decades returns the newest decades, the newest first.
func (t *FacetTally) decades() []FacetCount[int] {
	books := map[int]int{}
	for year, n := range t.years {
		books[year/10*10] += n
	}
	decades := []FacetCount[int]{}
	for _, decade := range slices.Backward(slices.Sorted(maps.Keys(books))) {
		if len(decades) < MaxFacetValues {
			decades = append(decades, FacetCount[int]{decade, books[decade]})
		}
	}
	return decades
}

// usual returns the most common spelling.
func (s *facetSubject) usual() (value string) {
	most := 0
	for spelled, books := range s.spellings {
		if books > most || books == most && spelled < value {
			value, most = spelled, books
		}
	}
	return value
}

// facetValue is the key of a value, and its number of books.
type facetValue struct {
	key   string
	books int
}

// values returns the counts of values that are their own keys.
func values(counts map[string]int) (all []facetValue) {
	for value, books := range counts {
		all = append(all, facetValue{value, books})
	}
	return all
}

func itself(key string) string { return key }

// mostCounted returns the values with the highest counts, then in alphabetical order. It compares
// keys, because there may be thousands.
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
