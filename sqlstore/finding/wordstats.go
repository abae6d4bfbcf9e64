package finding

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// bookQuery is a query with a plan: common are those of its words that should not be
// looked up in the search index.
//
// An index finds every book with a word before it finds those with two, and
// "the hobbit" would look at half of a library to find one book. So the rare
// words are looked up, and the books that they lead to are compared with the rest.
type bookQuery struct {
	library.BookQuery
	library.BookBatch
	common []library.Term
	asked  []library.Term // all that the question had: relevance is about these
	years  years
	class  library.Class // books of this one alone; 0 for all
}

func (q bookQuery) words() engine.BookWords {
	return engine.BookWords{Terms: q.Terms, Authors: q.Authors, Common: q.common}
}

// plan separates rare words from common ones. A bad plan is slow, but never wrong:
// which words are looked up makes no difference to what is found.
func (c *Catalogue) plan(ctx context.Context, q library.BookQuery) bookQuery {
	asked := q.Terms
	q.Terms = append(slices.Clip(q.Terms), subjectTerms(q)...)
	if len(q.Terms) < 2 {
		return bookQuery{BookQuery: q, asked: asked}
	}
	sample := c.words.current(ctx, c)
	hits := make([]int, len(q.Terms))
	for i, t := range q.Terms {
		hits[i] = c.words.occurrences(sample, t)
	}
	rarest := slices.Min(hits)
	planned := bookQuery{BookQuery: q, asked: asked}
	planned.Terms = nil
	for i, t := range q.Terms {
		if hits[i] >= commonFrom && hits[i] > commonTimes*rarest {
			planned.common = append(planned.common, t)
		} else {
			planned.Terms = append(planned.Terms, t)
		}
	}
	return planned
}

// wordStats knows how common a word is.
type wordStats struct {
	mu     sync.Mutex
	sample wordSample
	// known is in how many books of a sample a term occurs: a question is planned
	// to count its books, and again for each page of them.
	known map[string]int
}

// wordSample is the words of some books, as they were at one time.
type wordSample struct {
	taken time.Time
	books []string // each begins with a space, and so does each word
}

const (
	sampleSize   = 256
	sampleLength = 4096     // bytes of a book's words
	sampleFrom   = 4 * 1024 // books; a smaller library needs no plan
	sampleAge    = time.Minute
	commonFrom   = sampleSize / 32
	// An index goes through the books of a word in about an eighth of the time in which
	// as many books are compared with it.
	commonTimes = 8
	maxKnown    = 4096
	maxKnownKey = 255 // bytes
)

// current is a sample that is not old, and an empty one of a small library.
func (w *wordStats) current(ctx context.Context, c *Catalogue) wordSample {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.sample.taken) > sampleAge {
		// Without statistics the library is treated as a small one.
		books, _ := readSample(ctx, c, sampleFrom, "search_words", func(r engine.Row) (string, error) {
			words, err := engine.ScanText(r)
			return " " + words[:min(len(words), sampleLength)], err
		})
		w.sample, w.known = wordSample{taken: time.Now(), books: books}, nil
	}
	return w.sample
}

// occurrences is in how many books of a sample a term occurs.
func (w *wordStats) occurrences(sample wordSample, t library.Term) int {
	if len(sample.books) == 0 {
		return 0
	}
	key := strings.Join(t.Words, " ")
	if n, ok := w.recall(sample, key); ok {
		return n
	}
	n := 0
	for _, words := range sample.books {
		if !slices.ContainsFunc(t.Words, func(w string) bool { return !strings.Contains(words, " "+w) }) {
			n++
		}
	}
	w.remember(sample, key, n)
	return n
}

// recall finds what is known of a term, if the sample is still the current one.
func (w *wordStats) recall(sample wordSample, key string) (n int, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, ok = w.known[key]
	return n, ok && w.sample.taken.Equal(sample.taken)
}

func (w *wordStats) remember(sample wordSample, key string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(key) > maxKnownKey || !w.sample.taken.Equal(sample.taken) {
		return
	}
	if w.known == nil || len(w.known) >= maxKnown {
		w.known = make(map[string]int)
	}
	w.known[key] = n
}

// readSample reads columns of some books at random, and of none of a library that is
// smaller than from.
func readSample[T any](ctx context.Context, c *Catalogue, from int, columns string, scan func(engine.Row) (T, error)) ([]T, error) {
	last, err := engine.ReadOne(ctx, c.db, "count books", engine.ScanNumber, `SELECT coalesce(max(seq), 0) FROM books`)
	if err != nil || last < from {
		return nil, err
	}
	var a engine.Arguments
	places := make([]string, sampleSize)
	for i := range places {
		places[i] = a.Add(1 + rand.N(last))
	}
	return engine.Collect(ctx, c.db, "read a sample of books", scan, `SELECT `+columns+` FROM books WHERE seq IN (`+strings.Join(places, ", ")+`)`, a...)
}
