package sqlstore_test

import (
	"errors"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest/bookgen"
)

// TestAnImportWalksTheIndexes asks the same of the books that it may be about.
func TestAnImportWalksTheIndexes(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	plan := sqlstore.PlanToFind(t, store, library.BookKeys{IDs: []string{"x"}, ISBNs: []string{"x"}, Titles: []string{"x"}})
	for _, line := range strings.Split(plan, "\n") {
		if strings.HasPrefix(line, "SCAN") && !strings.HasPrefix(line, "SCAN k VIRTUAL TABLE") && !strings.HasPrefix(line, "SCAN json_each VIRTUAL TABLE") {
			t.Errorf("%s in\n%s", line, plan)
		}
	}
	for _, index := range []string{"books_by_title (title_key=?)", "books_by_isbn (isbn_key=?)"} {
		if !strings.Contains(plan, index) {
			t.Errorf("no %s in\n%s", index, plan)
		}
	}
}

// TestLoadingABookTakesNoLongerForItsPast: of the loans and holds of a book, its
// copies and the reader only those are looked at that are not over.
func TestLoadingABookTakesNoLongerForItsPast(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	plan := sqlstore.PlanToLoad(t, store) + "-- view\n" + sqlstore.PlanToView(t, store)
	for _, line := range strings.Split(plan, "\n") {
		over := strings.Contains(line, "returned_at=?") || strings.Contains(line, "ended_at=?") ||
			strings.Contains(line, "sqlite_autoindex_loans_1 (id=?)") || strings.Contains(line, "loans_one_open_per_copy") || strings.Contains(line, "holds_one_")
		table := strings.Contains(line, " loans") || strings.Contains(line, " holds") || strings.Contains(line, " l ") || strings.Contains(line, " h ")
		if strings.HasPrefix(line, "SCAN") && line != "SCAN policy" && !strings.HasPrefix(line, "SCAN json_each VIRTUAL TABLE") || table && !over {
			t.Errorf("%s in\n%s", line, plan)
		}
	}
}

// TestWhatAViewerKnowsIsNotPlannedForEachPage: PostgreSQL keeps a plan when it has
// seen a few lists of books and none is expected to cost less with a plan of its own.
func TestWhatAViewerKnowsIsNotPlannedForEachPage(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	sqlstore.OneConnection(store)
	lib := service.New(store)
	testkit.NoError(t, lib.Prepare(t.Context(), service.Setup{Samples: sample.Lending}))
	yes := true
	for range 10 {
		books, err := store.Books(t.Context(), library.BookQuery{Borrowed: &yes, Limit: 1, Viewer: library.NewID()})
		if err != nil || len(books) == 0 {
			t.Fatalf("%d books, %v", len(books), err)
		}
	}
	if n := sqlstore.KeptPlans(t, store); n == 0 {
		t.Error("planned each time")
	}
}

// TestCachedPlansGrowWithTheTables: the first plan is made when the tables are
// empty, and reads all of them. That must not stay so.
func TestCachedPlansGrowWithTheTables(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	sqlstore.OneConnection(store)
	read := func(times int) {
		for range times {
			if _, err := store.Book(t.Context(), library.NewID(), ""); !errors.Is(err, library.ErrBookNotFound) {
				t.Fatal(err)
			}
		}
	}
	read(3)
	testkit.NoError(t, bookgen.Fill(t.Context(), store, 2000))
	read(100)
	plan := sqlstore.PlanToReadBooks(t, store)
	for _, reads := range []string{"Seq Scan", "Hash", "Materialize"} {
		if strings.Contains(plan, reads) {
			t.Errorf("%s in\n%s", reads, plan)
		}
	}
	for _, index := range []string{"books_id on books b", "stock_pkey on stock s", "loans_id on loans l"} {
		if !strings.Contains(plan, index) {
			t.Errorf("no %s in\n%s", index, plan)
		}
	}
}
