package storetest

import (
	"fmt"
	"strings"
	"testing"

	"example.org/library"
)

// Identifiers of the books in importRules, and one that nobody has.
const (
	firstID  = "00000000-0000-4000-8000-00000000000a"
	secondID = "00000000-0000-4000-8000-00000000000b"
	freeID   = "00000000-0000-4000-8000-00000000000f"
)

// importRule is what becomes of rows in a library with up to two books.
type importRule struct {
	name   string
	given  []library.BookFields // the books first and second
	rows   []library.ImportRow
	update bool
	want   []string // by row: outcome, book, and what is said about it
	left   []library.BookFields
}

func row(f library.BookFields) library.ImportRow { return library.ImportRow{BookFields: f} }

func rowOf(id string, f library.BookFields) library.ImportRow {
	return library.ImportRow{ID: id, BookFields: f}
}

func importsFollowTheRules(t *testing.T, f fixture) {
	for _, rule := range importRules() {
		t.Run(rule.name, func(t *testing.T) {
			f.ctx = t.Context()
			rule.prepare(t, f)
			rule.play(t, f)
		})
	}
}

func (r importRule) prepare(t *testing.T, f fixture) {
	t.Helper()
	f.clear(t)
	for i, fields := range r.given {
		b := newBook(fields)
		b.ID = []string{firstID, secondID}[i]
		f.addBooks(t, b)
	}
}

func (r importRule) play(t *testing.T, f fixture) {
	service, how := library.NewService(f), library.ImportOptions{Update: r.update}
	actor := f.curator(t)
	run := func(how library.ImportOptions) []string {
		t.Helper()
		results, err := service.ImportBooks(f.ctx, actor, r.rows, how)
		wantError(t, err, nil)
		return describeImport(f, t, results)
	}
	before := f.allBooks(t)
	wantEqual(t, run(library.ImportOptions{Update: r.update, DryRun: true}), r.rehearsed())
	wantEqual(t, f.allBooks(t), before)

	wantEqual(t, run(how), r.want)
	after := f.allBooks(t)
	wantFields(t, after, r.left)

	again := run(how)
	for i, outcome := range again {
		if strings.HasPrefix(outcome, "added") {
			t.Errorf("row %d was added twice", i)
		}
	}
	wantEqual(t, f.allBooks(t), after)
}

// rehearsed is what a dry run says: the same, but for the identifiers of books
// that are not there.
func (r importRule) rehearsed() []string {
	out := make([]string, len(r.want))
	for i, want := range r.want {
		out[i] = strings.ReplaceAll(strings.ReplaceAll(want, " new", ""), " free", "")
	}
	return out
}

func describeImport(f fixture, t *testing.T, results []library.ImportResult) []string {
	t.Helper()
	out := make([]string, len(results))
	for i, r := range results {
		out[i] = string(r.Outcome)
		switch r.ID {
		case "":
		case firstID:
			out[i] += " first"
		case secondID:
			out[i] += " second"
		case freeID:
			out[i] += " free"
		default:
			f.book(t, r.ID)
			out[i] += " new"
		}
		if r.Err != nil {
			out[i] += " " + r.Err.Code
			for _, d := range r.Err.Details {
				out[i] += " " + d.Field
			}
		}
	}
	return out
}

func (f fixture) allBooks(t testing.TB) []library.Book {
	t.Helper()
	books, err := f.Books(f.ctx, library.BookQuery{Order: library.ByCreated})
	wantError(t, err, nil)
	return books
}

func (f fixture) clear(t testing.TB) {
	t.Helper()
	for _, b := range f.allBooks(t) {
		f.tx(t, func(tx library.Tx) error { return tx.DeleteBook(f.ctx, b.ID) })
	}
}

func wantFields(t *testing.T, books []library.Book, want []library.BookFields) {
	t.Helper()
	var got []library.BookFields
	for _, b := range books {
		got = append(got, b.BookFields)
	}
	wantEqual(t, got, want)
}

// importsTakeTurns lets many import the same rows at once, through two handles.
// Some rows are known by their ISBN, some by their title, some by identifier.
func importsTakeTurns(t *testing.T, f fixture) {
	const importers, size = 8, 60
	var rows []library.ImportRow
	for b := range ManyBooks(size) {
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
	actor := f.curator(t)
	// Each has a service of its own, as each copy of the program has.
	services := make([]*library.Service, importers)
	other := f.open(t)
	for i := range services {
		services[i] = library.NewService([]library.Store{f.Store, other}[i%2])
	}
	outcomes := make([]map[library.ImportOutcome]int, importers)
	together(importers, func(i int) {
		outcomes[i] = map[library.ImportOutcome]int{}
		results, err := services[i].ImportBooks(f.ctx, actor, rows, library.ImportOptions{Update: i%4 == 0})
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
	if n := len(f.allBooks(t)); n != size || added != size || unchanged != size*(importers-1) {
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
// it runs. It finds them then, and nobody fails but for who came second.
func importAndOthers(t *testing.T, f fixture) {
	const size = 40
	actor := f.addReaders(t, 1)[0]
	importer, other := library.NewService(f), library.NewService(f.open(t))
	for round := range 5 {
		var rows []library.ImportRow
		for i := range size {
			rows = append(rows, rowOf(ManyID(round*size+i), library.BookFields{Title: fmt.Sprintf("Volume %d", i)}))
		}
		together(2, func(i int) {
			if i == 0 {
				if _, err := importer.ImportBooks(f.ctx, actor, rows, library.ImportOptions{}); err != nil {
					t.Errorf("ImportBooks: %v", err)
				}
				return
			}
			for _, r := range rows[size/2:] {
				other.AddBook(f.ctx, actor, r.ID, r.BookFields) // may be taken
			}
		})
		if n := len(f.allBooks(t)); n != (round+1)*size {
			t.Fatalf("round %d: %d books, want %d", round, n, (round+1)*size)
		}
	}
}

// importWithoutChange must leave the answers that callers keep good.
func importWithoutChange(t *testing.T, f fixture) {
	actor := f.addReaders(t, 1)[0]
	service := library.NewService(f)
	rows := []library.ImportRow{row(library.BookFields{Title: "Emma", ISBN: goodISBN(1)}), row(library.BookFields{Title: "Sanditon"}), {}}
	if _, err := service.ImportBooks(f.ctx, actor, rows, library.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	before := f.revision(t, f, actor.User.Email)
	for _, how := range []library.ImportOptions{{}, {Update: true}, {DryRun: true}} {
		if _, err := service.ImportBooks(f.ctx, actor, rows, how); err != nil {
			t.Fatal(err)
		}
	}
	rows[0].Title = "Persuasion" // differs, or would be updated
	for _, how := range []library.ImportOptions{{}, {Update: true, DryRun: true}} {
		if _, err := service.ImportBooks(f.ctx, actor, rows, how); err != nil {
			t.Fatal(err)
		}
	}
	if after := f.revision(t, f, actor.User.Email); after != before {
		t.Errorf("the revision was %s and is %s", before, after)
	}
	if _, err := service.ImportBooks(f.ctx, actor, rows, library.ImportOptions{Update: true}); err != nil {
		t.Fatal(err)
	}
	if after := f.revision(t, f, actor.User.Email); after == before {
		t.Error("an import that updates a book leaves the revision")
	}
}
