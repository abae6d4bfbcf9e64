package sqlstore_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// catalogue is a library and what must be in it.
type catalogue struct {
	t     *testing.T
	r     *rand.Rand
	store *sqlstore.Store
	books map[string]library.Book

	used, counted int // pages that were read from where the words are, and counts
	ranked        int // pages by relevance that were
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
	return library.Book{ID: id, Version: "1", Created: time.UnixMicro(1), Stock: library.Stock{Copies: 1, Available: 1}, BookFields: library.BookFields{
		Title: fmt.Sprintf("%s %c%02d", opening, 'a'+rune(c.r.IntN(26)), c.r.IntN(20)), Description: description, Authors: []string{"Jane " + pick("Lem", "Adler")}}}
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
	if c.r.IntN(3) == 0 { // another place among the titles, the same words
		b = c.books[b.ID]
		b.Title = strings.ToUpper(b.Title) + "!"
		b.Title = strings.Repeat("?", c.r.IntN(2)) + b.Title[max(0, len(b.Title)-255):]
	}
	c.books[b.ID] = b
	if c.r.IntN(8) == 0 { // by hand
		sqlstore.Exec(c.t, c.store, `UPDATE books SET title = $2, title_key = $3, description = $4, authors = $5, search_words = $6, author_words = $7 WHERE id = $1`, b.ID, b.Title,
			library.TitleKey(b.Title), b.Description, `["`+b.Authors[0]+`"]`, strings.Join(b.SearchWords(), " "), strings.Join(b.AuthorWords(), " "))
		return
	}
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

// ask compares the count of a search, and pages from some place on.
func (c *catalogue) ask() {
	c.t.Helper()
	question := questions[c.r.IntN(len(questions))]
	q := library.BookQuery{Terms: library.ParseTerms(question), Order: []library.Order{library.ByTitle, library.ByTitleReverse}[c.r.IntN(2)], Limit: 1 + c.r.IntN(12)}
	want := c.found(q)
	total, err := c.store.CountBooks(patient(c.t), q)
	if total != len(want) || err != nil {
		c.t.Fatalf("%q: %d books and error %v, want %d", question, total, err, len(want))
	}
	if n, ok := sqlstore.CountOfRanges(c.t, c.store, q); ok {
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
		if books, ok := sqlstore.RangedBooks(c.t, c.store, q, total); ok {
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
	total, err := c.store.CountBooks(patient(c.t), q)
	testkit.NoError(c.t, err)
	for range 6 {
		sorted, err := c.store.Books(patient(c.t), q)
		testkit.NoError(c.t, err)
		var want []string
		for _, b := range sorted {
			want = append(want, b.ID)
		}
		if books, ok := sqlstore.RankedBooks(c.t, c.store, q, total, []int{0, 1, 10}[c.r.IntN(3)]); ok {
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
						sqlstore.Divide(t, c.store, 1+c.r.IntN(30))
					case what == 1:
						c.add(1 + c.r.IntN(3))
					case what < 6:
						c.edit()
					case what == 6:
						c.drop()
					case what < 11:
						c.askRanked()
					default:
						c.ask()
					}
				}
				if c.used < 50 || c.counted < 10 || c.ranked < 20 {
					t.Errorf("%d pages, %d by relevance, and %d counts are from where the words are", c.used, c.ranked, c.counted)
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
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			for _, books := range [][2]int{{1, 300}, {301, 600}} {
				sqlstore.Exec(t, store, fmt.Sprintf(handBooks, books[0], books[1]))
				for range 2 {
					sqlstore.DivideAtOnce(t, store)
				}
			}
		})
	}
}

func TestTitlesAreDividedWhenItIsTime(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			sqlstore.Exec(t, store, fmt.Sprintf(handBooks, 1, 100))
			made := func() string {
				sqlstore.DivideAtOnce(t, store)
				return sqlstore.Look(t, store, `SELECT coalesce((SELECT made FROM title_ranges), '')`)
			}
			if made() != "" {
				t.Error("a small library was divided")
			}
			sqlstore.Exec(t, store, fmt.Sprintf(handBooks, 101, 5000))
			first := made()
			if first == "" || made() != first {
				t.Error("not divided, or without a reason")
			}
			happens(t, store, rewrite(1, 90, "persuasion", "jane austen"))
			if made() != first {
				t.Error("divided anew after few edits")
			}
			sqlstore.Exec(t, store, forgetByHand)
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
			if left := sqlstore.Look(t, store, `SELECT CAST(count(*) AS TEXT) FROM edited_titles`); left != "0" {
				t.Errorf("%s edited titles are left", left)
			}
		})
	}
}
