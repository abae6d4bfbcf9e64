package booksearch_test

import (
	"context"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/booksearch"
	"example.org/library/storetest/bookgen"
)

// stocked is a library with enough books for PostgreSQL to plan as it does with many.
var stocked = testdb.New(func(ctx context.Context, store *sqlstore.Store) error { return bookgen.Fill(ctx, store, 2000) })

// stockedOn is the address of such a library on PostgreSQL; SQLite plans the same without books.
func stockedOn(t *testing.T, database string) string {
	if database == "postgres" {
		return stocked.Postgres(t)
	}
	return databases[database](t)
}

// TestListsWalkAnIndex asks SQLite how it would go about each list.
func TestListsWalkAnIndex(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	yes, no := true, false
	for name, q := range map[string]library.BookQuery{
		"all": {}, "free": {Borrowed: &no}, "lent": {Borrowed: &yes}, "available": {Available: &yes}, "not available": {Available: &no}, "borrowed by": {BorrowedBy: "x"}, "isbn": {ISBN: "x"}, "identifier": {IDStart: "0000"},
		"identifiers": {IDs: []string{"x"}},
		"search":      {Terms: library.ParseTerms("x")}, "author": {Authors: library.ParseTerms("x")},
		"series": {Series: "x"}, "subject": {Subjects: []string{"x"}}, "from": {From: 1990}, "to": {To: 1990},
		"lent search": {Terms: library.ParseTerms("x"), Borrowed: &yes},
	} {
		for _, order := range library.Orders {
			q.Order, q.Limit, q.After = order, 21, &library.Cursor{Order: order, Title: "x", Published: 1999, ID: "x"}
			plan := booksearch.Plan(t, store.Catalogue, q)
			if strings.Contains(plan, "SCAN b") && !strings.Contains(plan, "SCAN books_search VIRTUAL TABLE") {
				t.Errorf("%s by %s looks at every book:\n%s", name, order, plan)
			}
			if index := map[string]string{"lent": "stock_borrowed", "not available": "stock_not_available"}[name]; !strings.Contains(plan, index) {
				t.Errorf("%s by %s does not begin with what is rare:\n%s", name, order, plan)
			}
			if (name == "all" || name == "free" || name == "available") && strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s by %s sorts:\n%s", name, order, plan)
			}
		}
	}
}

// TestASearchDoesNotGoThroughTheStock: PostgreSQL does not know how rare a word is,
// and must look up the stock of what it finds all the same.
func TestASearchDoesNotGoThroughTheStock(t *testing.T) {
	t.Parallel()
	store := open(t, stocked.Postgres(t))
	booksearch.Exec(t, store.Catalogue, `ANALYZE`)
	yes, no := true, false
	for name, q := range map[string]library.BookQuery{"any": {}, "free": {Borrowed: &no}, "available": {Available: &yes}} {
		q.Terms, q.Limit = library.ParseTerms(bookgen.RareWord), 21
		if plan := booksearch.Plan(t, store.Catalogue, q); strings.Contains(plan, "Seq Scan on stock") || !strings.Contains(plan, "stock_pkey") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// TestAFilterIsAppliedToWhatWasFound: after a large import PostgreSQL does not know yet that books
// have years, and must look up each book that was found once all the same.
func TestAFilterIsAppliedToWhatWasFound(t *testing.T) {
	t.Parallel()
	store := open(t, stocked.Postgres(t))
	booksearch.Exec(t, store.Catalogue, `ALTER TABLE books SET (autovacuum_enabled = false)`)
	booksearch.Exec(t, store.Catalogue, `ANALYZE`)
	booksearch.Exec(t, store.Catalogue, `UPDATE books SET published = 1900 + seq % 100, language = 'en'`)
	for name, q := range map[string]library.BookQuery{"year": {From: 1900}, "language": {Language: "en"}} {
		q.Terms, q.Limit = library.ParseTerms(bookgen.CommonWord), 21
		if plan := booksearch.Plan(t, store.Catalogue, q); !strings.Contains(plan, "Index Scan using books_pkey") || strings.Contains(plan, "books_by_") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// TestARareWordDoesNotReadTheTableOfBooks: with many short books PostgreSQL expects a word in hundreds of them,
// and a scan of the whole table to be the shortest way to join them.
func TestARareWordDoesNotReadTheTableOfBooks(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	c := store.Catalogue
	booksearch.Exec(t, c, `INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, created_at, version, search_words, author_words, title_rank, rank_words)
		SELECT 'b' || n, '', '', 'Title ' || n, 'title ' || n, repeat('x', 40), '[]', n, '1', 'title common' || n % 50 || ' w' || n, '', 'title ' || n, ' title w' || n || '||'
		FROM generate_series(1, 30000) AS n`)
	booksearch.Exec(t, c, `ANALYZE`)
	yes, no := true, false
	for name, q := range map[string]library.BookQuery{
		"any": {}, "free": {Borrowed: &no}, "lent": {Borrowed: &yes}, "unavailable": {Available: &no}, "language": {Language: "en"}, "years": {From: 1990},
	} {
		for _, order := range append(library.Orders, library.ByRelevance) {
			q.Ask("w17")
			q.Order, q.Limit = order, 21
			if plan := booksearch.Plan(t, c, q); strings.Contains(plan, "Seq Scan on books") || strings.Contains(plan, "Seq Scan on stock") {
				t.Errorf("a list of %s by %s:\n%s", name, order, plan)
			}
		}
		c.Limits.Suggested = 15 // few enough to tempt it to walk through all books in their order
		for what, plan := range booksearch.Plans(t, c, q) {
			if strings.Contains(plan, "Seq Scan on books") || strings.Contains(plan, "Seq Scan on stock") || what == "suggestions" && !strings.Contains(plan, "books_search") {
				t.Errorf("%s of %s:\n%s", what, name, plan)
			}
		}
	}
}

// TestTitlesThatBeginAreReadFromTheirIndexAlone asks both databases.
func TestTitlesThatBeginAreReadFromTheirIndexAlone(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"sqlite": "USING COVERING INDEX books_by_title (title_key>? AND title_key<?)", "postgres": "Index Only Scan using books_by_title"} {
		store := open(t, stockedOn(t, name))
		if name == "postgres" {
			booksearch.Exec(t, store.Catalogue, `VACUUM ANALYZE`)
		}
		if plan := booksearch.PlanOfTitles(t, store.Catalogue, "his"); !strings.Contains(plan, want) {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// TestTitlesThatAreTheQuestionComeFromTheirIndex: the first part of a list by relevance with many matches.
func TestTitlesThatAreTheQuestionComeFromTheirIndex(t *testing.T) {
	t.Parallel()
	for name := range databases {
		store := open(t, stockedOn(t, name))
		if name == "postgres" {
			booksearch.Exec(t, store.Catalogue, `ANALYZE`)
		}
		q := library.BookQuery{Order: library.ByRelevance, Coarse: true, Limit: 21}
		q.Ask("the history")
		if plan := booksearch.Plan(t, store.Catalogue, q); !strings.Contains(plan, "books_by_rank") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// TestTheEndOfAWalkByYearIsFoundInItsIndex: sorting all books for it would cost more than the walk saves.
func TestTheEndOfAWalkByYearIsFoundInItsIndex(t *testing.T) {
	t.Parallel()
	for name, sorts := range map[string]string{"sqlite": "TEMP B-TREE", "postgres": "Sort"} {
		store := open(t, stockedOn(t, name))
		if name == "postgres" {
			booksearch.Exec(t, store.Catalogue, `UPDATE books SET published = 1900 + seq % 100`)
			booksearch.Exec(t, store.Catalogue, `ANALYZE`)
		}
		for order, index := range map[library.Order]string{library.ByPublished: "books_by_year", library.ByPublishedNewest: "books_by_newest"} {
			for _, after := range []*library.Cursor{nil, {Order: order, Title: "x", ID: "x", Published: 1950}} {
				q := library.BookQuery{Terms: library.ParseTerms(bookgen.CommonWord), Order: order, Limit: 21, After: after}
				if plan := booksearch.PlanOfAhead(t, store.Catalogue, q); !strings.Contains(plan, index) || strings.Contains(plan, sorts) {
					t.Errorf("%s by %s:\n%s", name, order, plan)
				}
			}
		}
	}
}
