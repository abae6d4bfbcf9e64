package library

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library/internal/isbn"
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
	given  []BookFields // the books first and second
	rows   []ImportRow
	update bool
	want   []string // by row: outcome, book, and what is said about it
	left   []BookFields
}

func row(f BookFields) ImportRow { return ImportRow{BookFields: f} }

func rowOf(id string, f BookFields) ImportRow { return ImportRow{ID: id, BookFields: f} }

func (r importRule) books() (books []Book) {
	for i, fields := range r.given {
		books = append(books, Book{ID: []string{firstID, secondID}[i], BookFields: fields, Version: "1"})
	}
	return books
}

// importInto runs an import over some books and returns them as they are then.
// Each batch has as many rows as is said.
func importInto(books []Book, rows []ImportRow, how ImportOptions, batchRows int) ([]ImportResult, []Book) {
	books = slices.Clone(books)
	run := newImportRun(rows, how, monday)
	for !run.finished() {
		end := min(len(run.results)+batchRows, len(rows))
		batch := run.decide(findByKeys(books, run.keys(end)), FoundCopies{}, end, math.MaxInt)
		for _, b := range batch.updated {
			books[slices.IndexFunc(books, func(old Book) bool { return old.ID == b.ID })] = b
		}
		books = append(books, batch.added...)
		run.batch = batch
		run.accept()
	}
	return run.results, books
}

// findByKeys is what a store answers to FindBooks.
func findByKeys(books []Book, keys BookKeys) (found []Book) {
	alike := map[string]int{}
	for _, b := range books {
		number, title := isbn.Key(b.ISBN), TitleKey(b.Title)
		byISBN := number != "" && slices.Contains(keys.ISBNs, number) && alike[number] <= MaxAlike
		byTitle := slices.Contains(keys.Titles, title) && alike[title] <= MaxAlike
		if byISBN || byTitle || slices.Contains(keys.IDs, b.ID) {
			found = append(found, b)
			alike[number]++
			alike[title]++
		}
	}
	return found
}

func TestTheRulesOfImporting(t *testing.T) {
	t.Parallel()
	for _, r := range importRules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			how, all := ImportOptions{Update: r.update}, len(r.rows)
			results, after := importInto(r.books(), r.rows, how, all)
			wantSame(t, describeImport(results), r.want)
			wantFields(t, after, r.left)

			again, unchanged := importInto(after, r.rows, how, all)
			if i := slices.IndexFunc(again, func(r ImportResult) bool { return r.Outcome == ImportAdded }); i >= 0 {
				t.Errorf("row %d is added twice", i)
			}
			wantSame(t, unchanged, after)

			inBatches, after := importInto(r.books(), r.rows, how, 1)
			wantSame(t, describeImport(inBatches), r.want)
			wantFields(t, after, r.left)

			dry, _ := importInto(r.books(), r.rows, ImportOptions{Update: r.update, DryRun: true}, all)
			wantSame(t, describeImport(dry), r.inDryRun())
		})
	}
}

// inDryRun is what a dry run says: the same, except for the identifiers of books that
// are not there.
func (r importRule) inDryRun() []string {
	out := make([]string, len(r.want))
	for i, want := range r.want {
		out[i] = strings.ReplaceAll(strings.ReplaceAll(want, " new", ""), " free", "")
	}
	return out
}

func describeImport(results []ImportResult) []string {
	names := map[string]string{"": "", firstID: " first", secondID: " second", freeID: " free"}
	out := make([]string, len(results))
	for i, r := range results {
		name, ok := names[r.ID]
		if !ok {
			name = " new"
		}
		out[i] = string(r.Outcome) + name
		if r.Err != nil {
			out[i] += " " + r.Err.Code
			for _, d := range r.Err.Details {
				out[i] += " " + d.Field
			}
		}
	}
	return out
}

func wantFields(t *testing.T, books []Book, want []BookFields) {
	t.Helper()
	slices.SortStableFunc(books, func(a, b Book) int { return a.Created.Compare(b.Created) })
	var got []BookFields
	for _, b := range books {
		got = append(got, b.BookFields)
	}
	wantSame(t, got, want)
}

func wantSame[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// untitled is n books that differ in their authors alone.
func untitled(n int) (books []Book) {
	for i := range n {
		books = append(books, Book{
			ID:         fmt.Sprintf("00000000-0000-4000-9000-%012d", i),
			BookFields: BookFields{Title: "Untitled", Authors: []string{fmt.Sprintf("Author %d", i)}},
		})
	}
	return books
}

// Of very many books with one title some are compared. What may be among the
// others is neither added nor updated.
func TestImportsAmongVeryManyBooksWithOneTitle(t *testing.T) {
	t.Parallel()
	type fields = BookFields
	books := untitled(MaxAlike + 50)
	rows := []ImportRow{
		row(books[0].BookFields),
		row(fields{Title: "Untitled", Authors: books[1].Authors, Description: "New"}),
		row(books[len(books)-1].BookFields), // is not compared
		row(fields{Title: "UNTITLED", Authors: []string{"Nobody"}}),
		row(fields{Title: "Untitled", Authors: []string{"Nobody"}, ISBN: "9780132350884"}),
		rowOf(freeID, fields{Title: "Untitled"}),
		rowOf(books[len(books)-2].ID, fields{Title: "Untitled"}),
		row(fields{Title: "Titled"}),
	}
	results, books := importInto(books, rows, ImportOptions{}, len(rows))
	wantSame(t, describeImport(results), []string{"unchanged new", "differs book_differs", "differs book_differs", "differs book_differs",
		"added new", "added free", "unchanged new", "added new"})
	results, _ = importInto(books, rows, ImportOptions{Update: true}, len(rows))
	wantSame(t, describeImport(results), []string{"unchanged new", "invalid ambiguous_book", "invalid ambiguous_book", "invalid ambiguous_book",
		"unchanged new", "unchanged free", "unchanged new", "unchanged new"})
}

func TestAnImportThatMakesBooksTooManyFindsThemAgain(t *testing.T) {
	t.Parallel()
	books := untitled(MaxAlike - 1)
	var rows []ImportRow
	for _, author := range []string{"A", "B", "C"} {
		rows = append(rows, row(BookFields{Title: "Untitled", Authors: []string{author}}))
	}
	results, books := importInto(books, rows, ImportOptions{}, len(rows))
	wantSame(t, describeImport(results), []string{"added new", "added new", "differs book_differs"})
	results, _ = importInto(books, rows, ImportOptions{}, len(rows))
	wantSame(t, describeImport(results), []string{"unchanged new", "unchanged new", "differs book_differs"})
}

// A batch ends with the row whose books make it large enough.
func TestBatchesOfAnImportAreBounded(t *testing.T) {
	t.Parallel()
	rows := make([]ImportRow, 20)
	for i := range rows {
		rows[i] = row(BookFields{Title: fmt.Sprint("Volume ", i), Description: strings.Repeat("d", 900)})
	}
	run := newImportRun(rows, ImportOptions{}, monday)
	for _, want := range []int{5, 5, 5, 5} {
		batch := run.decide(nil, FoundCopies{}, len(rows), 5000)
		if len(batch.results) != want || len(batch.added) != want {
			t.Fatalf("%d outcomes and %d books, want %d", len(batch.results), len(batch.added), want)
		}
		run.batch = batch
		run.accept()
	}
	if !run.finished() {
		t.Error("the import has not finished")
	}
}

func TestBooksOfAnImportAreCreatedInTheOrderOfTheRows(t *testing.T) {
	t.Parallel()
	_, books := importInto(nil, []ImportRow{row(BookFields{Title: "B"}), row(BookFields{Title: "A"})}, ImportOptions{}, 2)
	if got := books[1].Created.Sub(books[0].Created); books[0].Created != monday || got != time.Microsecond {
		t.Errorf("created at %v and %v later", books[0].Created, got)
	}
}

func TestOnlyADifferenceThatAnUpdateWouldReplaceIsReplaceable(t *testing.T) {
	t.Parallel()
	for _, r := range importRules() {
		results, _ := importInto(r.books(), r.rows, ImportOptions{Update: r.update}, len(r.rows))
		for i, result := range results {
			// A refusal says otherwise of a field of one book, and contradicts nothing else.
			want := result.Err != nil && result.Err.Message == ErrBookDiffers.Message
			if result.Replaceable != want {
				t.Errorf("%s, row %d: replaceable %v, want %v", r.name, i, result.Replaceable, want)
			}
		}
	}
}
