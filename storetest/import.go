package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/bookimport"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/bookgen"
	"example.org/library/storetest/fixture"
)

// Identifiers of the books in importScenario, and an unused one.
const (
	firstID  = "00000000-0000-4000-8000-00000000000a"
	secondID = "00000000-0000-4000-8000-00000000000b"
	freeID   = "00000000-0000-4000-8000-00000000000f"
)

func row(f library.BookFields) bookimport.Row { return bookimport.Row{BookFields: f} }

func rowOf(id string, f library.BookFields) bookimport.Row {
	return bookimport.Row{ID: id, BookFields: f}
}

// importScenario is an import that finds books in every way there is, and writes
// in every way. What becomes of which row is a rule of package bookimport, where
// there is a table of them; this is about the store.
type importScenario struct {
	rows []bookimport.Row
	want []string // by row: outcome, book, and what is said about it
	left []library.BookFields
}

func newImportScenario(t testing.TB, f fixture.Store) importScenario {
	t.Helper()
	type fields = library.BookFields
	const isbn13, isbn10 = "9780132350884", "0-13-235088-2"
	austen := []string{"Jane Austen"}
	first := fixture.NewBook(fields{Title: "Emma", ISBN: isbn13, Authors: austen})
	second := fixture.NewBook(fields{Title: "Pérsuasion", Authors: austen})
	first.ID, second.ID = firstID, secondID
	f.AddBooks(t, first, second)
	return importScenario{
		rows: []bookimport.Row{
			row(fields{Title: "Emma", ISBN: isbn10}),                           // found by its ISBN
			row(fields{Title: "PERSUASION", Authors: []string{"jane austen"}}), // by title and authors
			rowOf(freeID, fields{Title: "Sanditon"}),
			rowOf(firstID, fields{Title: "Emma", Description: "A novel"}),
			row(fields{}),
			row(fields{Title: "Lady Susan"}),
			row(fields{Title: "Sanditon", Description: "Unfinished"}), // added by an earlier row
			row(fields{Title: "Émma", ISBN: isbn13}),                  // contradicts the first row
		},
		want: []string{"unchanged first", "updated second", "added free", "updated first", "invalid invalid title",
			"added new", "updated free", "invalid ambiguous_book title"},
		left: []fields{
			{Title: "Emma", ISBN: isbn13, Description: "A novel", Authors: austen}, {Title: "PERSUASION", Authors: []string{"jane austen"}},
			{Title: "Sanditon", Description: "Unfinished"}, {Title: "Lady Susan"},
		},
	}
}

func importsAreDone(t *testing.T, f fixture.Store) {
	s := newImportScenario(t, f)
	lib, actor := service.New(f), f.Curator(t)
	run := func(how library.ImportOptions) []string {
		t.Helper()
		results, err := bookimport.Run(f.Ctx, lib, actor, s.rows, how)
		fixture.WantError(t, err, nil)
		return describeImport(f, t, results)
	}
	before := allBooks(t, f)
	dry := run(library.ImportOptions{Update: true, DryRun: true})
	for i, want := range s.want { // a missing book has no identifier
		fixture.WantEqual(t, dry[i], strings.ReplaceAll(strings.ReplaceAll(want, " new", ""), " free", ""))
	}
	fixture.WantEqual(t, allBooks(t, f), before)

	fixture.WantEqual(t, run(library.ImportOptions{Update: true}), s.want)
	after := allBooks(t, f)
	wantFields(t, after, s.left)
	for i, outcome := range run(library.ImportOptions{Update: true}) {
		if strings.HasPrefix(outcome, "added") || strings.HasPrefix(outcome, "updated") {
			t.Errorf("row %d is written twice", i)
		}
	}
	fixture.WantEqual(t, allBooks(t, f), after)
}

func describeImport(f fixture.Store, t *testing.T, results []library.ImportResult) []string {
	t.Helper()
	names := map[string]string{"": "", firstID: " first", secondID: " second", freeID: " free"}
	out := make([]string, len(results))
	for i, r := range results {
		if _, known := names[r.ID]; !known {
			f.ReadBook(t, r.ID)
			names[r.ID] = " new"
		}
		out[i] = string(r.Outcome) + names[r.ID]
		if r.Err != nil {
			out[i] += " " + r.Err.Code
			for _, d := range r.Err.Details {
				out[i] += " " + d.Field
			}
		}
	}
	return out
}

func allBooks(t testing.TB, f fixture.Store) []library.Book {
	t.Helper()
	books, err := f.Books(f.Ctx, library.BookQuery{Order: library.ByCreated})
	fixture.WantError(t, err, nil)
	return books
}

func wantFields(t *testing.T, books []library.Book, want []library.BookFields) {
	t.Helper()
	var got []library.BookFields
	for _, b := range books {
		got = append(got, b.BookFields)
	}
	want = slices.Clone(want)
	for i := range want {
		want[i] = want[i].Complete()
	}
	fixture.WantEqual(t, got, want)
}

// importsRunOneByOne lets many import the same rows at once, through two handles.
// Some rows are known by their ISBN, some by their title, some by identifier.
func importsRunOneByOne(t *testing.T, f fixture.Store) {
	const importers, size = 8, 60
	var rows []bookimport.Row
	for b := range bookgen.Books(size) {
		r := row(b.BookFields)
		switch len(rows) % 3 {
		case 0:
			r.ISBN = goodISBN(1 + len(rows))
		case 1:
			r.ISBN = ""
		case 2:
			r.ID = b.ID
		}
		rows = append(rows, r)
	}
	actor := f.Curator(t)
	// Each has a service of its own, as in a process of its own.
	services := make([]*service.Service, importers)
	other := f.Open(t)
	for i := range services {
		services[i] = service.New([]library.Store{f.Store, other}[i%2])
	}
	outcomes := make([]map[library.ImportOutcome]int, importers)
	fixture.Concurrently(importers, func(i int) {
		outcomes[i] = map[library.ImportOutcome]int{}
		results, err := bookimport.Run(f.Ctx, services[i], actor, rows, library.ImportOptions{Update: i%4 == 0})
		if err != nil {
			t.Errorf("importer %d: %v", i, err)
		}
		for _, r := range results {
			outcomes[i][r.Outcome]++
		}
	})
	added, unchanged := 0, 0
	for _, o := range outcomes {
		added, unchanged = added+o[library.ImportAdded], unchanged+o[library.ImportUnchanged]
	}
	if n := len(allBooks(t, f)); n != size || added != size || unchanged != size*(importers-1) {
		t.Errorf("%d books; %v", n, outcomes)
	}
}

// goodISBN is the ISBN-13 with a number of at most nine digits.
func goodISBN(n int) string {
	text, sum := fmt.Sprintf("978%09d", n), 0
	for i, digit := range text {
		sum += int(digit-'0') * (1 + 2*(i%2))
	}
	return fmt.Sprint(text, (10-sum%10)%10)
}

// importAndOthers adds books under identifiers that an import wants, too, while
// it runs. The import finds them then; only an addition that came second may fail.
func importAndOthers(t *testing.T, f fixture.Store) {
	const size = 40
	actor := f.AddReaders(t, 1)[0]
	importer, other := service.New(f), service.New(f.Open(t))
	for round := range 5 {
		var rows []bookimport.Row
		for i := range size {
			rows = append(rows, rowOf(bookgen.ID(round*size+i), library.BookFields{Title: fmt.Sprintf("Volume %d", i)}))
		}
		fixture.Concurrently(2, func(i int) {
			if i == 0 {
				if _, err := bookimport.Run(f.Ctx, importer, actor, rows, library.ImportOptions{}); err != nil {
					t.Errorf("ImportBooks: %v", err)
				}
				return
			}
			for _, r := range rows[size/2:] {
				other.AddBook(f.Ctx, actor, r.ID, r.BookFields, 1) // may be taken
			}
		})
		if n := len(allBooks(t, f)); n != (round+1)*size {
			t.Fatalf("round %d: %d books, want %d", round, n, (round+1)*size)
		}
	}
}

// importWithoutChange must leave cached responses valid.
func importWithoutChange(t *testing.T, f fixture.Store) {
	actor := f.AddReaders(t, 1)[0]
	lib := service.New(f)
	rows := []bookimport.Row{row(library.BookFields{Title: "Emma", ISBN: goodISBN(1)}), row(library.BookFields{Title: "Sanditon"}), {}}
	testkit.NoError(t, testkit.Err(bookimport.Run(f.Ctx, lib, actor, rows, library.ImportOptions{})))
	before := f.RevisionOf(t, f, actor.User.Email)
	for _, how := range []library.ImportOptions{{}, {Update: true}, {DryRun: true}} {
		testkit.NoError(t, testkit.Err(bookimport.Run(f.Ctx, lib, actor, rows, how)))
	}
	rows[0].Title = "Persuasion" // differs, or would be updated
	for _, how := range []library.ImportOptions{{}, {Update: true, DryRun: true}} {
		testkit.NoError(t, testkit.Err(bookimport.Run(f.Ctx, lib, actor, rows, how)))
	}
	if after := f.RevisionOf(t, f, actor.User.Email); after != before {
		t.Errorf("the revision was %v and is %v", before, after)
	}
	testkit.NoError(t, testkit.Err(bookimport.Run(f.Ctx, lib, actor, rows, library.ImportOptions{Update: true})))
	if after := f.RevisionOf(t, f, actor.User.Email); after == before {
		t.Error("an import that updates a book leaves the revision")
	}
}
