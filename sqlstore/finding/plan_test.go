package finding_test

import (
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore/finding"
	"example.org/library/storetest/bookgen"
)

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
			plan := finding.Plan(t, store.Catalogue, q)
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
	store := open(t, databases["postgres"](t))
	testkit.NoError(t, bookgen.Fill(t.Context(), store, 2000))
	finding.Exec(t, store.Catalogue, `ANALYZE`)
	yes, no := true, false
	for name, q := range map[string]library.BookQuery{"any": {}, "free": {Borrowed: &no}, "available": {Available: &yes}} {
		q.Terms, q.Limit = library.ParseTerms(bookgen.RareWord), 21
		if plan := finding.Plan(t, store.Catalogue, q); strings.Contains(plan, "Seq Scan on stock") || !strings.Contains(plan, "stock_pkey") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// TestAFilterIsAppliedToWhatWasFound: after a large import PostgreSQL does not know yet that books
// have years, and must look up each book that was found once all the same.
func TestAFilterIsAppliedToWhatWasFound(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	finding.Exec(t, store.Catalogue, `ALTER TABLE books SET (autovacuum_enabled = false)`)
	testkit.NoError(t, bookgen.Fill(t.Context(), store, 2000))
	finding.Exec(t, store.Catalogue, `ANALYZE`)
	finding.Exec(t, store.Catalogue, `UPDATE books SET published = 1900 + seq % 100, language = 'en'`)
	for name, q := range map[string]library.BookQuery{"year": {From: 1900}, "language": {Language: "en"}} {
		q.Terms, q.Limit = library.ParseTerms(bookgen.CommonWord), 21
		if plan := finding.Plan(t, store.Catalogue, q); !strings.Contains(plan, "Index Scan using books_pkey") || strings.Contains(plan, "books_by_") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// TestAPageFromWhereTheWordsAreWalksTheTitles: neither database looks at more books than
// those of the ranges and the edited ones.
func TestAPageFromWhereTheWordsAreWalksTheTitles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ walk, wrong string }{
		"sqlite":   {"SEARCH b USING INDEX books_by_title (title_key>? AND title_key<?)", "SCAN b"},
		"postgres": {"books_by_title", "Seq Scan on books"},
	} {
		store := open(t, databases[name](t))
		if name == "postgres" {
			testkit.NoError(t, bookgen.Fill(t.Context(), store, 2000))
			finding.Exec(t, store.Catalogue, `ANALYZE`)
		}
		for _, order := range []library.Order{library.ByTitle, library.ByTitleReverse} {
			q := library.BookQuery{Terms: library.ParseTerms(bookgen.CommonWord), Order: order, Limit: 21, After: &library.Cursor{Order: order, Title: "x", ID: "x"}}
			if plan := finding.PlanOfRanges(t, store.Catalogue, q); !strings.Contains(plan, c.walk) || strings.Contains(plan, c.wrong) {
				t.Errorf("%s by %s:\n%s", name, order, plan)
			}
		}
	}
}

// TestTheEndOfAWalkByYearIsFoundInItsIndex: sorting all books for it would cost more than the
// walk saves.
func TestTheEndOfAWalkByYearIsFoundInItsIndex(t *testing.T) {
	t.Parallel()
	for name, sorts := range map[string]string{"sqlite": "TEMP B-TREE", "postgres": "Sort"} {
		store := open(t, databases[name](t))
		if name == "postgres" {
			testkit.NoError(t, bookgen.Fill(t.Context(), store, 2000))
			finding.Exec(t, store.Catalogue, `UPDATE books SET published = 1900 + seq % 100`)
			finding.Exec(t, store.Catalogue, `ANALYZE`)
		}
		for order, index := range map[library.Order]string{library.ByPublished: "books_by_year", library.ByPublishedNewest: "books_by_newest"} {
			for _, after := range []*library.Cursor{nil, {Order: order, Title: "x", ID: "x", Published: 1950}} {
				q := library.BookQuery{Terms: library.ParseTerms(bookgen.CommonWord), Order: order, Limit: 21, After: after}
				if plan := finding.PlanOfAhead(t, store.Catalogue, q); !strings.Contains(plan, index) || strings.Contains(plan, sorts) {
					t.Errorf("%s by %s:\n%s", name, order, plan)
				}
			}
		}
	}
}
