package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Of a word that very many books have, facets are counted from some of them: those that were
// added first. They are counted when the titles are divided, and are as of that time. What is
// available is looked up, because every loan changes it.

// wordFacets are the facets of a word, as they are kept.
type wordFacets struct {
	Books int   `json:"books"` // that were counted
	UpTo  int64 `json:"upTo"`  // the seq of the last one
	library.Facets
}

// knownFacets are the facets of the only word of a query from when the titles were divided. It
// reports false if they are not known.
func (s *Store) knownFacets(ctx context.Context, q bookQuery, total, most int) (library.Facets, bool, error) {
	words, isPlain := plainWords(q)
	if !isPlain || len(words) != 1 || stockConditions(q) != nil {
		return library.Facets{}, false, nil
	}
	text, err := engine.ReadOne(ctx, s.db, "read facets", engine.ScanText, `SELECT facets FROM range_words WHERE word = $1`, words[0])
	if errors.Is(err, sql.ErrNoRows) || err == nil && text == "" {
		return library.Facets{}, false, nil
	}
	var known wordFacets
	if err == nil {
		err = json.Unmarshal([]byte(text), &known)
	}
	if err != nil || known.Books != most {
		return library.Facets{}, false, err
	}
	unavailable, ok, err := s.countUnavailable(ctx, q, known.UpTo, most)
	facets := known.Facets
	facets.Total, facets.Exact = total, false
	facets.Unavailable = min(unavailable, most)
	facets.Available = most - facets.Unavailable
	return facets, ok, err
}

// countUnavailable counts the books up to one that have the words and cannot be borrowed. It reports false
// if more than most books would have to be looked at.
func (s *Store) countUnavailable(ctx context.Context, q bookQuery, upTo int64, most int) (n int, ok bool, err error) {
	var a engine.Arguments
	text := `WITH lacking AS MATERIALIZED (SELECT seq FROM stock WHERE available = 0 AND seq <= ` + a.Add(upTo) + ` LIMIT ` + a.Add(most+1) + `)
		SELECT (SELECT count(*) FROM lacking), (SELECT count(*) FROM lacking i` + s.dialect.Each(`books`, `b`, `b.seq = i.seq`) +
		` WHERE ` + strings.Join(engine.PrefixConditions(&a, "b.search_words", slices.Concat(q.Terms, q.common)), ` AND `) + `)`
	counts, err := engine.ReadOne(ctx, s.db, "count what is unavailable", func(r engine.Row) (counts [2]int, err error) {
		err = r.Scan(&counts[0], &counts[1])
		return counts, err
	}, text, s.plannedFor(a)...)
	return counts[1], counts[0] <= most, err
}

// facetScan keeps what books are about while they are read, in the order in which they were added.
type facetScan struct {
	most      int // books of a word that are counted
	open      int // words that want more books
	books     []facetBook
	subjects  []uint32          // of one book after the other, numbers of names
	names     []string          // of languages and subjects
	numbers   map[string]uint32 // of the names
	keys      *library.FacetTally
	lastOfAll int64 // the seq of the last book
}

// facetBook is what a book is about, in few bytes: there may be a million.
type facetBook struct {
	seq       int64
	subjects  uint32 // where they begin
	language  uint32 // number of its name
	published uint16
}

// begin begins anew, for words that want some books each.
func (f *facetScan) begin(words int) {
	*f = facetScan{most: f.most, open: words, numbers: make(map[string]uint32), keys: library.NewFacetTally()}
}

// readBook takes the next book, if any word still wants one.
func (f *facetScan) readBook(seq int64, language string, published int, list []byte) error {
	if f.open == 0 {
		return nil
	}
	if seq <= f.lastOfAll { // the database did not keep to the order, by which the books of a word are chosen
		return errOrderOfBooks
	}
	f.lastOfAll = seq
	f.books = append(f.books, facetBook{seq: seq, subjects: uint32(len(f.subjects)), language: f.number(language), published: uint16(published)})
	subjects, err := parseList[string](list)
	for _, subject := range subjects {
		f.subjects = append(f.subjects, f.number(subject))
	}
	return err
}

var errOrderOfBooks = errors.New("books were not read in the order in which they were added")

func (f *facetScan) number(name string) uint32 {
	n, known := f.numbers[name]
	if !known {
		n = uint32(len(f.names))
		f.names, f.numbers[name] = append(f.names, name), n
	}
	return n
}

// addTo counts the book that was read last for a word, and is done with the word when it has
// as many as are counted.
func (f *facetScan) addTo(t *wordTally) {
	if !t.wantsFacets || t.facets != "" || f.most == 0 {
		return
	}
	if t.first = append(t.first, uint32(len(f.books)-1)); len(t.first) < f.most {
		return
	}
	tally := f.keys.Another()
	var subjects []string
	for _, i := range t.first {
		b, end := f.books[i], uint32(len(f.subjects))
		if int(i)+1 < len(f.books) {
			end = f.books[i+1].subjects
		}
		subjects = subjects[:0]
		for _, n := range f.subjects[b.subjects:end] {
			subjects = append(subjects, f.names[n])
		}
		tally.Add(f.names[b.language], int(b.published), subjects, true)
	}
	text, _ := json.Marshal(wordFacets{f.most, f.lastOfAll, tally.Facets(f.most)}) // texts and numbers always marshal
	t.facets, t.first = string(text), nil
	f.open--
}
