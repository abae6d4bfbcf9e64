package finding

import (
	"cmp"
	"maps"
	"slices"

	"example.org/library"
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

// FacetBook is what facets are counted of.
type FacetBook struct {
	Language  string   `json:"language,omitempty"`
	Published int      `json:"published,omitempty"`
	Subjects  []string `json:"subjects,omitempty"`
}

// FacetCounts are the counts of many books, in a form that can be kept.
type FacetCounts struct {
	Books     int            `json:"books"`
	Languages map[string]int `json:"languages"`
	Years     map[int]int    `json:"years"`
	Subjects  map[string]int `json:"subjects"` // spellings of the most common ones
	Rest      int            `json:"rest"`     // no other subject has more books
}

// FacetTally counts what books are about.
type FacetTally struct {
	Books, Unavailable int

	languages map[string]int
	years     map[int]int
	subjects  map[string]*facetSubject // by their keys
	keys      map[string]string        // of subjects that were seen before
	rest      int                      // see FacetCounts; 0 if all subjects are counted
}

// facetSubject is a subject. Spellings that differ in case and accents alone are one.
type facetSubject struct {
	books     int
	spellings map[string]int
	isPartial bool // only what was edited is counted
}

// NewFacetTally returns an empty tally.
func NewFacetTally() *FacetTally {
	return &FacetTally{languages: map[string]int{}, years: map[int]int{}, subjects: map[string]*facetSubject{}, keys: map[string]string{}}
}

// FacetTallyOf returns a tally that goes on from counts that were kept.
func FacetTallyOf(c FacetCounts) *FacetTally {
	t := NewFacetTally()
	t.Books = c.Books
	maps.Copy(t.languages, c.Languages)
	maps.Copy(t.years, c.Years)
	for spelling, books := range c.Subjects {
		t.countSubject(spelling, books)
	}
	t.rest = c.Rest
	return t
}

// Add counts a book.
func (t *FacetTally) Add(b FacetBook) { t.count(b, 1) }

// Remove takes back a book that was counted.
func (t *FacetTally) Remove(b FacetBook) { t.count(b, -1) }

func (t *FacetTally) count(b FacetBook, n int) {
	t.Books += n
	if b.Language != "" {
		t.languages[b.Language] += n
	}
	if b.Published > 0 {
		t.years[b.Published] += n
	}
	for _, subject := range b.Subjects {
		t.countSubject(subject, n)
	}
}

func (t *FacetTally) countSubject(subject string, n int) {
	key, known := t.keys[subject]
	if !known {
		key = library.SubjectKey(subject)
		t.keys[subject] = key
	}
	s := t.subjects[key]
	if s == nil {
		s = &facetSubject{spellings: map[string]int{}, isPartial: t.rest > 0}
		t.subjects[key] = s
	}
	s.books += n
	s.spellings[subject] += n
}

// CountFiltered is how many of the books a filter by language alone, or by years alone, leaves.
// It reports false for any other filter.
func (t *FacetTally) CountFiltered(q library.BookQuery) (n int, ok bool) {
	hasYears := q.From > 0 || q.To > 0
	if q.Series != "" || len(q.Subjects) > 0 || hasYears == (q.Language != "") {
		return 0, false
	}
	if !hasYears {
		return max(t.languages[q.Language], 0), true
	}
	for year, books := range t.years {
		if year >= q.From && (q.To == 0 || year <= q.To) {
			n += books
		}
	}
	return max(n, 0), true
}

// IsCertain reports whether no subject that was not kept with the counts can be among those
// that are shown.
func (t *FacetTally) IsCertain() bool {
	if t.rest == 0 {
		return true
	}
	var complete []int
	mostUnknown := t.rest
	for _, s := range t.subjects {
		if s.isPartial {
			mostUnknown = max(mostUnknown, t.rest+s.books)
		} else {
			complete = append(complete, s.books)
		}
	}
	slices.Sort(complete)
	return len(complete) >= MaxFacetValues && complete[len(complete)-MaxFacetValues] > mostUnknown
}

// Facets are the counts. Total is how many books match; not all of them may have been counted.
func (t *FacetTally) Facets(total int) Facets {
	subjects := make([]facetValue, 0, len(t.subjects))
	for key, s := range t.subjects {
		if s.books > 0 && !s.isPartial {
			subjects = append(subjects, facetValue{key, s.books})
		}
	}
	languages := make([]facetValue, 0, len(t.languages))
	for code, books := range t.languages {
		if books > 0 {
			languages = append(languages, facetValue{code, books})
		}
	}
	return Facets{
		Total: total, Exact: total == t.Books,
		Subjects:  mostCounted(subjects, func(key string) string { return t.subjects[key].usual() }),
		Languages: mostCounted(languages, func(code string) string { return code }),
		Decades:   t.decades(), Available: t.Books - t.Unavailable, Unavailable: t.Unavailable,
	}
}

// decades are the newest ones, the newest first.
func (t *FacetTally) decades() []FacetCount[int] {
	books := map[int]int{}
	for year, n := range t.years {
		books[year/10*10] += n
	}
	decades := []FacetCount[int]{}
	for _, decade := range slices.Backward(slices.Sorted(maps.Keys(books))) {
		if books[decade] > 0 && len(decades) < MaxFacetValues {
			decades = append(decades, FacetCount[int]{decade, books[decade]})
		}
	}
	return decades
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
