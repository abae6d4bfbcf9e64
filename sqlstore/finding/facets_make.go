package finding

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"example.org/library/finding"
	"example.org/library/sqlstore/engine"
)

// The facets of hundreds of words are counted in one pass through all books. Each language, year
// and spelling of a subject has a number, and a word has a counter for each number.
//
// Most subjects are those of a few books, and there may be hundreds of thousands. Counters are for
// the common ones. Of the rest it is only known how many books a subject
// has at most: facets show the most common subjects of a word, and these are mostly above that.

const (
	maxFrequent    = 1 << 16 // subjects that are compared to find the common ones
	keptSubjects   = 64      // of a word, the most common ones
	maxFacetNumber = 1 << 14 // so that memory is bounded, whatever the books have
	restBuckets    = 1 << 16
)

// facetScan counts what books are about while they are read.
type facetScan struct {
	common map[string]bool // keys of the subjects that are counted; nil if no facets are wanted
	rest   restScan

	numbers   map[facetValue]uint32
	values    []facetValue // by their numbers
	isUnknown bool         // there are too many values, or a book's keys are not those of its subjects

	book []uint32 // numbers of the book that was read last
}

// facetValue is what a number stands for.
type facetValue struct {
	language string
	year     int
	spelling string
	key      string // of a subject
}

// commonSubjects finds the most common subjects, by their keys.
func (c *Catalogue) commonSubjects(ctx context.Context, most int) (map[string]bool, error) {
	hits := make(map[string]int)
	err := c.db.Read(ctx, engine.Reading{Doing: "read subjects", Text: `SELECT subject_keys FROM books WHERE subject_keys <> ''`, Scan: func(rows engine.Records) error {
		clear(hits) // the statement may be run again
		return engine.Each(func(r engine.Row) error {
			keys, err := engine.ScanText(r)
			for key := range strings.SplitSeq(strings.Trim(keys, "\n"), "\n") {
				countFrequent(hits, key)
			}
			return err
		})(rows)
	}})
	keys := slices.Collect(maps.Keys(hits))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(hits[b]-hits[a], strings.Compare(a, b)) })
	common := make(map[string]bool)
	for _, key := range keys[:min(len(keys), most)] {
		common[key] = true
	}
	return common, err
}

// countFrequent counts a key. When there are too many, each loses a hit, and those that have none left go
// (Misra and Gries): what is frequent stays.
func countFrequent(hits map[string]int, key string) {
	if _, known := hits[key]; known {
		hits[key]++
		return
	}
	if len(hits) < maxFrequent {
		hits[strings.Clone(key)] = 1
		return
	}
	for key := range hits {
		if hits[key]--; hits[key] == 0 {
			delete(hits, key)
		}
	}
}

// begin begins anew.
func (f *facetScan) begin() {
	*f = facetScan{common: f.common, rest: restScan{seed: maphash.MakeSeed()}, numbers: make(map[facetValue]uint32)}
}

// readBook takes the next book.
func (f *facetScan) readBook(language string, published int, list []byte, keys string) error {
	f.book = f.book[:0]
	if f.common == nil {
		return nil
	}
	if language != "" {
		f.note(facetValue{language: language})
	}
	if published > 0 {
		f.note(facetValue{year: published})
	}
	subjects, err := engine.ParseList[string](list)
	if strings.Count(keys, "\n") != len(subjects)+min(len(subjects), 1) { // there is one before and after each
		f.isUnknown = true
		return err
	}
	keys = strings.TrimPrefix(keys, "\n")
	for _, subject := range subjects {
		key, others, _ := strings.Cut(keys, "\n")
		if keys = others; f.common[key] {
			f.note(facetValue{spelling: subject, key: key})
		} else {
			f.rest.add(key)
		}
	}
	return err
}

// restScan finds out how many books a subject that is not common has at most, in little memory (a count-min
// sketch): subjects whose hash is the same are counted together, in two ways, and the lower count is taken.
type restScan struct {
	seed    maphash.Seed
	buckets [2][restBuckets]uint32
	most    uint32
}

func (r *restScan) add(key string) {
	hash := maphash.String(r.seed, key)
	first, second := &r.buckets[0][hash%restBuckets], &r.buckets[1][hash>>32%restBuckets]
	*first++
	*second++
	r.most = max(r.most, min(*first, *second))
}

// note adds a value to the book that is read.
func (f *facetScan) note(v facetValue) {
	number, known := f.numbers[v]
	if !known {
		if len(f.values) == maxFacetNumber {
			f.isUnknown = true
			return
		}
		// A part of a text keeps all of it in memory.
		v.language, v.spelling, v.key = strings.Clone(v.language), strings.Clone(v.spelling), strings.Clone(v.key)
		number = uint32(len(f.values))
		f.values, f.numbers[v] = append(f.values, v), number
	}
	f.book = append(f.book, number)
}

// addTo counts the book that was read last for a word.
func (f *facetScan) addTo(t *wordTally) {
	if !t.wantsFacets {
		return
	}
	for _, number := range f.book {
		for int(number) >= len(t.facets) {
			t.facets = append(t.facets, 0)
		}
		t.facets[number]++
	}
}

// format is what is kept of the facets of a word; "" if that is nothing.
func (f *facetScan) format(t *wordTally) string {
	if !t.wantsFacets || f.isUnknown {
		return ""
	}
	text, _ := json.Marshal(f.countsOf(t)) // texts and numbers always marshal
	return string(text)
}

func (f *facetScan) countsOf(t *wordTally) finding.FacetCounts {
	c := finding.FacetCounts{Books: t.books, Languages: map[string]int{}, Years: map[int]int{}, Subjects: map[string]int{}, Rest: int(f.rest.most)}
	subjects := make(map[string]int)
	for number, books := range t.facets {
		switch v := f.values[number]; {
		case books == 0:
		case v.language != "":
			c.Languages[v.language] = int(books)
		case v.year > 0:
			c.Years[v.year] = int(books)
		default:
			subjects[v.key] += int(books)
		}
	}
	maps.DeleteFunc(subjects, func(_ string, books int) bool { return books <= c.Rest })
	keys := slices.Collect(maps.Keys(subjects))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(subjects[b]-subjects[a], strings.Compare(a, b)) })
	kept := make(map[string]bool)
	for i, key := range keys {
		if i == keptSubjects {
			c.Rest = max(c.Rest, subjects[key])
			break
		}
		kept[key] = true
	}
	for number, books := range t.facets {
		if v := f.values[number]; books > 0 && v.spelling != "" && kept[v.key] {
			c.Subjects[v.spelling] += int(books)
		}
	}
	return c
}
