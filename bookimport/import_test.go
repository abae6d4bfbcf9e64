package bookimport

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
	"example.org/library/internal/isbn"
)

var monday = time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC)

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
	rows   []Row
	update bool
	want   []string // by row: outcome, book, and what is said about it
	left   []library.BookFields
}

func row(f library.BookFields) Row { return Row{BookFields: f} }

func rowOf(id string, f library.BookFields) Row { return Row{ID: id, BookFields: f} }

func (r importRule) books() (books []library.Book) {
	for i, fields := range r.given {
		books = append(books, library.Book{ID: []string{firstID, secondID}[i], BookFields: fields.Complete(), Version: "1"})
	}
	return books
}

// importInto runs an import over some books and returns them as they are then. Each batch has as many rows as is said.
func importInto(books []library.Book, rows []Row, how library.ImportOptions, batchRows int) ([]library.ImportResult, []library.Book) {
	books = slices.Clone(books)
	in := New(rows, how, monday)
	var results []library.ImportResult
	for len(results) < in.Len() {
		from, to := len(results), min(len(results)+batchRows, len(rows))
		batch := in.Decide(findByKeys(books, in.Keys(from, to)), library.FoundCopies{}, from, to, math.MaxInt)
		for _, b := range batch.Updated {
			books[slices.IndexFunc(books, func(old library.Book) bool { return old.ID == b.ID })] = b
		}
		books = append(books, batch.Added...)
		results = append(results, batch.Results...)
		in.Accept()
	}
	return results, books
}

// findByKeys is what a store answers to FindBooks.
func findByKeys(books []library.Book, keys library.BookKeys) (found []library.Book) {
	alike := map[string]int{}
	for _, b := range books {
		number, title := isbn.Key(b.ISBN), library.TitleKey(b.Title)
		byISBN := number != "" && slices.Contains(keys.ISBNs, number) && alike[number] <= library.MaxAlike
		byTitle := slices.Contains(keys.Titles, title) && alike[title] <= library.MaxAlike
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
			how, all := library.ImportOptions{Update: r.update}, len(r.rows)
			results, after := importInto(r.books(), r.rows, how, all)
			wantSame(t, describeImport(results), r.want)
			wantFields(t, after, r.left)

			again, unchanged := importInto(after, r.rows, how, all)
			if i := slices.IndexFunc(again, func(r library.ImportResult) bool { return r.Outcome == library.ImportAdded }); i >= 0 {
				t.Errorf("row %d is added twice", i)
			}
			wantSame(t, unchanged, after)

			inBatches, after := importInto(r.books(), r.rows, how, 1)
			wantSame(t, describeImport(inBatches), r.want)
			wantFields(t, after, r.left)

			dry, _ := importInto(r.books(), r.rows, library.ImportOptions{Update: r.update, DryRun: true}, all)
			wantSame(t, describeImport(dry), r.inDryRun())
		})
	}
}

// inDryRun is what a dry run says: the same, except for the identifiers of books that are not there.
func (r importRule) inDryRun() []string {
	out := make([]string, len(r.want))
	for i, want := range r.want {
		out[i] = strings.ReplaceAll(strings.ReplaceAll(want, " new", ""), " free", "")
	}
	return out
}

func describeImport(results []library.ImportResult) []string {
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

func wantFields(t *testing.T, books []library.Book, want []library.BookFields) {
	t.Helper()
	slices.SortStableFunc(books, func(a, b library.Book) int { return a.Created.Compare(b.Created) })
	var got []library.BookFields
	for i, b := range books {
		got = append(got, b.BookFields)
		if i < len(want) {
			want[i] = want[i].Complete()
		}
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
func untitled(n int) (books []library.Book) {
	for i := range n {
		books = append(books, library.Book{
			ID:         fmt.Sprintf("00000000-0000-4000-9000-%012d", i),
			BookFields: library.BookFields{Title: "Untitled", Authors: []string{fmt.Sprintf("Author %d", i)}},
		})
	}
	return books
}

// Of very many books with one title some are compared. What may be among the others is neither added nor updated.
func TestImportsAmongVeryManyBooksWithOneTitle(t *testing.T) {
	t.Parallel()
	type fields = library.BookFields
	books := untitled(library.MaxAlike + 50)
	rows := []Row{
		row(books[0].BookFields),
		row(fields{Title: "Untitled", Authors: books[1].Authors, Description: "New"}),
		row(books[len(books)-1].BookFields), // is not compared
		row(fields{Title: "UNTITLED", Authors: []string{"Nobody"}}),
		row(fields{Title: "Untitled", Authors: []string{"Nobody"}, ISBN: "9780132350884"}),
		rowOf(freeID, fields{Title: "Untitled"}),
		rowOf(books[len(books)-2].ID, fields{Title: "Untitled"}),
		row(fields{Title: "Titled"}),
	}
	results, books := importInto(books, rows, library.ImportOptions{}, len(rows))
	wantSame(t, describeImport(results), []string{"unchanged new", "differs book_differs", "differs book_differs", "differs book_differs",
		"added new", "added free", "unchanged new", "added new"})
	results, _ = importInto(books, rows, library.ImportOptions{Update: true}, len(rows))
	wantSame(t, describeImport(results), []string{"unchanged new", "invalid ambiguous_book", "invalid ambiguous_book", "invalid ambiguous_book",
		"unchanged new", "unchanged free", "unchanged new", "unchanged new"})
}

func TestAnImportThatMakesBooksTooManyFindsThemAgain(t *testing.T) {
	t.Parallel()
	books := untitled(library.MaxAlike - 1)
	var rows []Row
	for _, author := range []string{"A", "B", "C"} {
		rows = append(rows, row(library.BookFields{Title: "Untitled", Authors: []string{author}}))
	}
	results, books := importInto(books, rows, library.ImportOptions{}, len(rows))
	wantSame(t, describeImport(results), []string{"added new", "added new", "differs book_differs"})
	results, _ = importInto(books, rows, library.ImportOptions{}, len(rows))
	wantSame(t, describeImport(results), []string{"unchanged new", "unchanged new", "differs book_differs"})
}

// A batch ends with the row whose books make it large enough.
func TestBatchesOfAnImportAreBounded(t *testing.T) {
	t.Parallel()
	rows := make([]Row, 20)
	for i := range rows {
		rows[i] = row(library.BookFields{Title: fmt.Sprint("Volume ", i), Description: strings.Repeat("d", 900)})
	}
	in, done := New(rows, library.ImportOptions{}, monday), 0
	for _, want := range []int{5, 5, 5, 5} {
		batch := in.Decide(nil, library.FoundCopies{}, done, len(rows), 5000)
		if len(batch.Results) != want || len(batch.Added) != want {
			t.Fatalf("%d outcomes and %d books, want %d", len(batch.Results), len(batch.Added), want)
		}
		done += len(batch.Results)
		in.Accept()
	}
	if done != in.Len() {
		t.Error("the import has not finished")
	}
}

func TestBooksOfAnImportAreCreatedInTheOrderOfTheRows(t *testing.T) {
	t.Parallel()
	_, books := importInto(nil, []Row{row(library.BookFields{Title: "B"}), row(library.BookFields{Title: "A"})}, library.ImportOptions{}, 2)
	if got := books[1].Created.Sub(books[0].Created); books[0].Created != monday || got != time.Microsecond {
		t.Errorf("created at %v and %v later", books[0].Created, got)
	}
}

func TestOnlyADifferenceThatAnUpdateWouldReplaceIsReplaceable(t *testing.T) {
	t.Parallel()
	for _, r := range importRules() {
		results, _ := importInto(r.books(), r.rows, library.ImportOptions{Update: r.update}, len(r.rows))
		for i, result := range results {
			// A refusal says otherwise of a field of one book, and contradicts nothing else.
			want := result.Err != nil && result.Err.Message == library.ErrBookDiffers.Message
			if result.Replaceable != want {
				t.Errorf("%s, row %d: replaceable %v, want %v", r.name, i, result.Replaceable, want)
			}
		}
	}
}
