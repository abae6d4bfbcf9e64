package finding

import (
	"context"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// A page by relevance reads one class after the other. The books whose title is the question, or
// begins with it, are found in an index, unless they are many. Those of the other classes are
// everywhere among the titles: a range says in which classes its books with a word may be.

// classBit stands for a class of a book and a word: the title begins with the word, or the
// word is in a group of fields and in none before it.
func classBit(c library.Class) byte { return 1 << c }

// bookWords are the words of a book while they are counted.
type bookWords struct{ all, title, ranked string }

// count counts a book in a range.
func (d *dividing) count(book int, words bookWords, in int) {
	d.ranges[in].Books++
	for i, group := range strings.SplitN(words.ranked, "|", 3) {
		d.eachBeginning(group, func(tally *wordTally) { tally.rank(book, in, library.InTitle+library.Class(i)) })
	}
	d.eachBeginning(words.all, func(tally *wordTally) {
		if tally.rank(book, in, library.LeastRelevant); tally.last != book {
			tally.last = book
			tally.books++
			tally.ranges[in] = max(tally.ranges[in], tally.ranges[in]+1) // 255 stays
			d.facets.addTo(tally)
		}
	})
	first, _, _ := strings.Cut(words.title, " ")
	d.eachBeginning(first, func(tally *wordTally) { tally.classes[in] |= classBit(library.TitleBegins) })
}

// eachBeginning calls fn for every common word that words begin with.
func (d *dividing) eachBeginning(words string, fn func(*wordTally)) {
	beginnings(words, func(word string) bool {
		tally := d.words[word]
		if tally != nil {
			fn(tally)
		}
		return tally != nil // what it begins is no more common
	})
}

// rank notes the class of a book and the word, the first one for each book.
func (t *wordTally) rank(book, in int, c library.Class) {
	if t.ranked != book {
		t.ranked = book
		t.classes[in] |= classBit(c)
	}
}

// mayHave reports whether a range may have a book of a class.
func (t *titleRanges) mayHave(i int, c library.Class, phrases []string) bool {
	if c == library.TitleBegins {
		return slices.ContainsFunc(phrases, func(phrase string) bool {
			first, _, _ := strings.Cut(phrase, " ")
			classes, known := t.classes[first] // of a Chinese word there are parts alone
			return !known || classes[i]&classBit(c) != 0
		})
	}
	upTo := 2*classBit(c) - classBit(library.InTitle) // the bits of the groups up to this one
	isOne := false
	for _, classes := range t.classes {
		if classes[i]&upTo == 0 {
			return false
		}
		isOne = isOne || classes[i]&classBit(c) != 0
	}
	return isOne
}

// fewBooks is how many are found and sorted without more ado. Titles that begin with the only word of a question
// follow each other, and it is known where, so fewer of these are.
const (
	fewBooks  = 2000
	fewTitles = 600
)

// rankedBooks reads a page by relevance, one class after the other. It reports false if
// all matches are to be sorted.
func (c *Catalogue) rankedBooks(ctx context.Context, q bookQuery, few int) (books []library.Book, ok bool, err error) {
	words, ok := filteredWords(q)
	if !ok || q.Limit == 0 || q.Total < few && !hasFieldFilter(q.BookQuery) || !fewWords(q) {
		return nil, false, nil
	}
	if t, err := c.rangesOf(ctx, words); t == nil || t.classes == nil || t.matching(q) < few || err != nil {
		return nil, false, err
	}
	first := library.MostRelevant
	if q.After != nil {
		first = max(first, q.After.Class)
	}
	for class := first; class <= library.LeastRelevant; class++ {
		part := q
		part.Order, part.class = library.ByTitle, class
		if class > first {
			part.After = nil
		}
		part.Limit -= len(books)
		if part.MaxBytes > 0 {
			part.MaxBytes -= weight(books)
		}
		more, ok, err := c.booksOfClass(ctx, part, few)
		if !ok || err != nil {
			return nil, false, err
		}
		if books = append(books, more...); isFull(q, books) {
			break
		}
	}
	return books, true, nil
}

func (c *Catalogue) booksOfClass(ctx context.Context, q bookQuery, few int) (books []library.Book, ok bool, err error) {
	if q.class <= library.TitleBegins {
		if words, _ := filteredWords(q); q.class == library.TitleBegins && len(words) == 1 {
			few = min(few, fewTitles)
		}
		n, err := c.countTitles(ctx, q, few)
		if err != nil {
			return nil, false, err
		}
		if n <= few {
			var a engine.Arguments
			books, err := c.listBooks(ctx, &a, q, selectTitles(c.dialect, &a, q))
			return books, true, err
		}
	}
	if q.class == library.MostRelevant {
		return nil, false, nil // thousands of books with one title
	}
	books, ok, _, err = c.rangedBooks(ctx, q)
	return books, ok, err
}

// countTitles is how many titles are of a class, up to one more than a few.
func (c *Catalogue) countTitles(ctx context.Context, q bookQuery, few int) (int, error) {
	var a engine.Arguments
	return engine.ReadOne(ctx, c.db, "count titles", engine.ScanNumber, `SELECT count(*) FROM (SELECT 1 FROM books b WHERE `+
		titleCondition(&a, q)+` LIMIT `+a.Add(few+1)+`) AS found`, c.dialect.PlannedFor(a)...)
}

// titleCondition is true of a book b whose title is of the class; the second part is what
// the index is limited to.
func titleCondition(a *engine.Arguments, q bookQuery) string {
	return phraseCondition(a, q.Phrases, q.class) + ` AND b.title_rank <> ''`
}

// selectTitles finds the books of a class by their titles.
func selectTitles(d *engine.Dialect, a *engine.Arguments, q bookQuery) engine.Selection {
	sel := engine.Selection{
		With:  `WITH found AS MATERIALIZED (SELECT b.seq FROM books b WHERE ` + titleCondition(a, q) + `) `,
		From:  `found f` + d.Each(`books`, `b`, `b.seq = f.seq`) + d.Each(`stock`, `s`, stockOfBook),
		Where: engine.PrefixConditions(a, "b.search_words", slices.Concat(q.Terms, q.common)),
	}
	filter(&sel, a, q)
	return sel
}
