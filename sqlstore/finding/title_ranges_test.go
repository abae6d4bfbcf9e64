package finding_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/finding"
	"example.org/library/storetest"
)

// catalogue is a library and what must be in it.
type catalogue struct {
	t     *testing.T
	r     *rand.Rand
	store *sqlstore.Store
	books map[string]library.Book

	used, counted int // pages that were read from where the words are, and counts
	ranked        int // pages by relevance that were
	facets        int // that were known
}

// Words of all kinds: in one title out of five, in the titles at one place of their order,
// in those at another, never together with the one before, in few books, and such that begin others.
func (c *catalogue) someBook(id string) library.Book {
	pick := func(words ...string) string { return words[c.r.IntN(len(words))] }
	opening := pick("The", "A", "Zen", "Märchen", "The Last", "Maps")
	description := pick("river", "rivers", "winter", "glass", "bread") + " " + pick("", "", "", "harbour", "wine win")
	switch opening {
	case "Zen":
		description += " eastern"
	case "A":
		description += " western"
	}
	if c.r.IntN(100) == 0 {
		description += " xylograph"
	}
	return c.about(library.Book{ID: id, Version: "1", Created: time.UnixMicro(1), Stock: library.Stock{Copies: 1, Available: 1}, BookFields: library.BookFields{
		Title: fmt.Sprintf("%s %c%02d", opening, 'a'+rune(c.r.IntN(26)), c.r.IntN(20)), Description: description, Authors: []string{"Jane " + pick("Lem", "Adler")}}})
}

// about gives a book a language, a year and subjects: some that many books have, in two spellings, and some that few have.
func (c *catalogue) about(b library.Book) library.Book {
	b.Language, b.Published, b.Subjects = []string{"", "de", "en"}[c.r.IntN(3)], c.r.IntN(5)*(1990+c.r.IntN(30))/4, nil
	if n := c.r.IntN(40); n < 25 {
		b.Subjects = []string{fmt.Sprintf([]string{"Öl %d", "ÖL %d"}[c.r.IntN(2)], n), fmt.Sprint("Topic ", c.r.IntN(2000))}
	}
	return b
}

var questions = []string{"the", "t", "last", "zen", "e", "eastern", "western", "river", "rivers", "riv", "win", "w", "xylograph", "m", "mar", "jane", "b", "no",
	"river the", "eastern western", "jane glass", "wi e", "xyl the", "zen last", "lem bread harbour"}

func (c *catalogue) change(fn func(tx library.Tx) error) {
	c.t.Helper()
	testkit.NoError(c.t, c.store.Tx(patient(c.t), fn))
}

func (c *catalogue) add(n int) {
	var books []library.Book
	for range n {
		b := c.someBook(library.NewID())
		books = append(books, b)
		c.books[b.ID] = b
	}
	c.change(func(tx library.Tx) error { return tx.AddBooks(patient(c.t), books) })
}

func (c *catalogue) anyBook() string {
	ids := make([]string, 0, len(c.books))
	for id := range c.books {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids[c.r.IntN(len(ids))]
}

func (c *catalogue) edit() {
	b := c.someBook(c.anyBook())
	switch was := c.books[b.ID]; c.r.IntN(4) {
	case 0: // another place among the titles, the same words
		b = was
		b.Title = strings.ToUpper(b.Title) + "!"
		b.Title = strings.Repeat("?", c.r.IntN(2)) + b.Title[max(0, len(b.Title)-255):]
	case 1: // nothing that is searched for
		b = was
		b.Language, b.Published = "fr", 2001
	case 2: // what it is about
		b = c.about(was)
	}
	if c.r.IntN(8) == 0 { // by hand
		was := c.books[b.ID]
		b.Language, b.Published, b.Subjects = was.Language, was.Published, was.Subjects
		c.books[b.ID] = b
		finding.Exec(c.t, c.store.Catalogue, `UPDATE books SET title = $2, title_key = $3, description = $4, authors = $5, search_words = $6, author_words = $7 WHERE id = $1`, b.ID, b.Title,
			library.TitleKey(b.Title), b.Description, `["`+b.Authors[0]+`"]`, strings.Join(b.SearchWords(), " "), strings.Join(b.AuthorWords(), " "))
		return
	}
	c.books[b.ID] = b
	c.change(func(tx library.Tx) error { return tx.UpdateBooks(patient(c.t), []library.Book{b}) })
}

func (c *catalogue) drop() {
	id := c.anyBook()
	delete(c.books, id)
	c.change(func(tx library.Tx) error { return tx.DeleteBook(patient(c.t), id) })
}

// found is what a search must find, by looking at every book.
func (c *catalogue) found(q library.BookQuery) (found []string) {
	var books []library.Book
	for _, b := range c.books {
		words := b.SearchWords()
		if !slices.ContainsFunc(q.Terms, func(t library.Term) bool {
			return !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, t.Words[0]) })
		}) {
			books = append(books, b)
		}
	}
	books = slices.DeleteFunc(books, func(b library.Book) bool { return !passes(b, q) })
	slices.SortFunc(books, func(a, b library.Book) int {
		order := cmp.Or(strings.Compare(library.TitleKey(a.Title), library.TitleKey(b.Title)), strings.Compare(a.Title, b.Title), strings.Compare(a.ID, b.ID))
		if q.Order == library.ByTitleReverse {
			return -order
		}
		return order
	})
	for _, b := range books {
		found = append(found, b.ID)
	}
	return found
}

// passes reports whether a book passes the filters of filter.
func passes(b library.Book, q library.BookQuery) bool {
	return (q.Language == "" || b.Language == q.Language) && (q.From == 0 || b.Published >= q.From) && (q.To == 0 || b.Published > 0 && b.Published <= q.To)
}

// filter adds a filter to half of all questions.
func (c *catalogue) filter(q *library.BookQuery) {
	switch c.r.IntN(6) {
	case 0:
		q.Language = "de"
	case 1:
		q.From = 1990 + c.r.IntN(30)
	case 2:
		q.From, q.To = 1, 1990+c.r.IntN(30)
	}
}

// ask compares the count of a search, and pages from some place on.
func (c *catalogue) ask() {
	c.t.Helper()
	question := questions[c.r.IntN(len(questions))]
	q := library.BookQuery{Terms: library.ParseTerms(question), Order: []library.Order{library.ByTitle, library.ByTitleReverse}[c.r.IntN(2)], Limit: 1 + c.r.IntN(12)}
	c.filter(&q)
	want := c.found(q)
	total, err := c.store.CountBooks(patient(c.t), q)
	if total != len(want) || err != nil {
		c.t.Fatalf("%q: %d books and error %v, want %d", question, total, err, len(want))
	}
	if n, ok := finding.CountOfRanges(c.t, c.store.Catalogue, q); ok {
		c.counted++
		if n != len(want) {
			c.t.Fatalf("%q: %d books since the titles were divided, want %d", question, n, len(want))
		}
	}
	if len(want) > 0 && c.r.IntN(2) == 0 {
		n := c.r.IntN(len(want))
		b := c.books[want[n]]
		want, q.After = want[n+1:], &library.Cursor{Order: q.Order, Title: b.Title, ID: b.ID}
	}
	for range 3 {
		next := want[:min(q.Limit, len(want))]
		want = want[len(next):]
		books, err := c.store.BooksInBatch(patient(c.t), q, library.BookBatch{Total: total})
		testkit.NoError(c.t, err)
		c.want(question, q, books, next)
		if books, ok := finding.RangedBooks(c.t, c.store.Catalogue, q, total); ok {
			c.used++
			c.want(question+" from where it is", q, books, next)
		}
		if len(next) == 0 {
			return
		}
		last := c.books[next[len(next)-1]]
		q.After = &library.Cursor{Order: q.Order, Title: last.Title, ID: last.ID}
	}
}

// askRanked compares pages by relevance, read class by class, with all matches sorted. Few is
// how many titles are sorted, so that many are not.
func (c *catalogue) askRanked() {
	c.t.Helper()
	question := questions[c.r.IntN(len(questions))]
	if c.r.IntN(4) == 0 {
		question = c.books[c.anyBook()].Title
	}
	q := library.BookQuery{Order: library.ByRelevance, Limit: 1 + c.r.IntN(40)}
	q.Ask(question)
	c.filter(&q)
	total, err := c.store.CountBooks(patient(c.t), q)
	testkit.NoError(c.t, err)
	for range 6 {
		sorted, err := c.store.Books(patient(c.t), q)
		testkit.NoError(c.t, err)
		var want []string
		for _, b := range sorted {
			want = append(want, b.ID)
		}
		if books, ok := finding.RankedBooks(c.t, c.store.Catalogue, q, total, []int{0, 1, 10}[c.r.IntN(3)]); ok {
			c.ranked++
			c.want(question+" class by class", q, books, want)
		}
		if len(sorted) < q.Limit {
			return
		}
		last := sorted[len(sorted)-1]
		q.After = &library.Cursor{Order: q.Order, Title: last.Title, Class: last.Class, ID: last.ID}
	}
}

// askFacets compares the facets of a word, and counts with filters.
func (c *catalogue) askFacets() {
	c.t.Helper()
	question := questions[c.r.IntN(len(questions))]
	if c.r.IntN(2) == 0 {
		question = []string{"jane", "t", "r"}[c.r.IntN(3)] // which most books have
	}
	q := library.BookQuery{Terms: library.ParseTerms(question)}
	books := slices.Collect(maps.Values(c.books))
	got, isKnown := finding.FacetsOf(c.t, c.store.Catalogue, q, len(books))
	if want := storetest.FacetsByHand(books, q); !reflect.DeepEqual(got, want) {
		c.t.Fatalf("facets of %q (known: %v):\ngot  %+v\nwant %+v", question, isKnown, got, want)
	}
	if isKnown {
		c.facets++
	}
	c.filter(&q)
	n, err := c.store.CountBooks(patient(c.t), q)
	testkit.NoError(c.t, err)
	if want := storetest.FacetsByHand(books, q).Total; n != want {
		c.t.Fatalf("%d books for %+v, want %d", n, q, want)
	}
}

func (c *catalogue) want(question string, q library.BookQuery, books []library.Book, want []string) {
	c.t.Helper()
	var got []string
	for _, b := range books {
		got = append(got, b.ID)
	}
	if !slices.Equal(got, want) {
		c.t.Fatalf("%q by %s after %+v: got %d books %v, want %d %v", question, q.Order, q.After, len(got), got, len(want), want)
	}
}

// TestAPageIsTheSameWhereverItsWordsAre searches for common, rare and clustered words
// while books are edited and the titles are divided at any time.
func TestAPageIsTheSameWhereverItsWordsAre(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		for seed := range uint64(testkit.Enough(4)) {
			t.Run(fmt.Sprint(name, " seed ", seed), func(t *testing.T) {
				t.Parallel()
				c := &catalogue{t: t, r: rand.New(rand.NewPCG(seed, 2)), store: open(t, address(t)), books: map[string]library.Book{}}
				c.add(600)
				for range 300 {
					switch what := c.r.IntN(20); {
					case what == 0:
						finding.Divide(t, c.store.Catalogue, 1+c.r.IntN(30))
					case what == 1:
						c.add(1 + c.r.IntN(3))
					case what < 6:
						c.edit()
					case what == 6:
						c.drop()
					case what < 11:
						c.askRanked()
					case what < 14:
						c.askFacets()
					default:
						c.ask()
					}
				}
				if c.used < 50 || c.counted < 5 || c.ranked < 20 || c.facets < 5 {
					t.Errorf("%d pages, %d by relevance, %d counts and %d facets are known", c.used, c.ranked, c.counted, c.facets)
				}
			})
		}
	}
}

// TestTitlesAreDividedWhenItIsTime: not while little was edited, and anew after an edit that is
// not described, or when there are many. A small library is not divided.
// A library may be large enough to be divided and too small to have common words.
func TestALibraryWithoutCommonWordsIsDividedAgain(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		for _, books := range [][2]int{{1, 300}, {301, 600}} {
			finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, books[0], books[1]))
			for range 2 {
				finding.DivideAtOnce(t, store.Catalogue)
			}
		}
	})
}

func TestTitlesAreDividedWhenItIsTime(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 1, 100))
		made := func() string {
			finding.DivideAtOnce(t, store.Catalogue)
			return finding.Look(t, store.Catalogue, `SELECT coalesce((SELECT made FROM title_ranges), '')`)
		}
		if made() != "" {
			t.Error("a small library was divided")
		}
		finding.Exec(t, store.Catalogue, fmt.Sprintf(handBooks, 101, 5000))
		first := made()
		if first == "" || made() != first {
			t.Error("not divided, or without a reason")
		}
		happens(t, store, rewrite(1, 90, "persuasion", "jane austen"))
		if made() != first {
			t.Error("divided anew after few edits")
		}
		finding.Exec(t, store.Catalogue, forgetByHand)
		second := made()
		if second == first {
			t.Error("not divided anew after an edit by hand")
		}
		for i := range 4 {
			happens(t, store, rewrite(1+90*i, 90*(i+1), "sense", "jane austen"))
		}
		if made() == second {
			t.Error("not divided anew after many edits")
		}
		if left := finding.Look(t, store.Catalogue, `SELECT CAST(count(*) AS TEXT) FROM edited_titles`); left != "0" {
			t.Errorf("%s edited titles are left", left)
		}
	})
}

// TestTablesThatADivisionEmptiesAreVacuumed: after an import, edited_titles is as large as the import, and each search
// would go through all of it. PostgreSQL counts what it has vacuumed a little later.
func TestTablesThatADivisionEmptiesAreVacuumed(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	addInTurn(t, store, manyRivers(20))
	finding.Divide(t, store.Catalogue, 10)
	testkit.Eventually(t, "four tables are vacuumed", func() bool {
		return finding.Look(t, store.Catalogue, `SELECT CAST(count(*) AS text) FROM pg_stat_user_tables
			WHERE relname IN ('edited_titles', 'repeated_titles', 'range_words', 'title_ranges') AND vacuum_count > 0`) == "4"
	})
}
