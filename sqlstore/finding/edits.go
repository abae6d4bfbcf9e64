package finding

import (
	"context"
	"encoding/json"

	"example.org/library"
	"example.org/library/finding"
	"example.org/library/sqlstore/engine"
)

// Entry is what a search finds a book by, and what its facets are: JSON of a finding.FacetBook.
type Entry struct{ SearchWords, AuthorWords, Facets string }

// EntryOf is the entry of a book.
func EntryOf(b library.Book) Entry {
	about := finding.FacetBook{Language: b.Language, Published: b.Published, Subjects: b.Subjects}
	return Entry{engine.JoinWords(b.SearchWords()), engine.JoinWords(b.AuthorWords()), formatFacets(about)}
}

// ScanFacets reads what an entry has of facets from the FacetColumns of a row, and before them what else
// a statement reads.
func ScanFacets(r engine.Row, before ...any) (string, error) {
	about, err := scanFacets(r, before...)
	return formatFacets(about), err
}

func formatFacets(about finding.FacetBook) string {
	text, _ := json.Marshal(about) // texts and numbers always marshal
	return string(text)
}

// Edits are the books that a transaction brings into the catalogue, or takes out of it. Counts and
// facets that are known are corrected by them.
type Edits struct {
	all   []edit
	books int
}

// edit is a book that comes into the catalogue, or goes out of it.
type edit struct {
	delta int // 1 or -1
	Entry
}

// maxEdited bounds the books whose words are kept for counts. To count again after a
// transaction with more of them, such as an import, costs less.
const maxEdited = 100

// Added notes a new book.
func (e *Edits) Added(after Entry) { e.note(edit{1, after}) }

// Edited notes a book that has another entry now, or the same.
func (e *Edits) Edited(before, after Entry) {
	if before != after {
		e.note(edit{-1, before}, edit{1, after})
	}
}

// Deleted notes a book that is gone.
func (e *Edits) Deleted(before Entry) { e.note(edit{-1, before}) }

func (e *Edits) note(edits ...edit) {
	if e.books++; e.books <= maxEdited {
		e.all = append(e.all, edits...)
	}
}

// Publish writes the edits, or one that says that not all are known.
func (e *Edits) Publish(ctx context.Context, t engine.Tx) error {
	if e.books > maxEdited {
		e.all = []edit{{}}
	}
	rows := make([][]any, len(e.all))
	for i, one := range e.all {
		rows[i] = []any{one.delta, one.SearchWords, one.AuthorWords, one.Facets}
	}
	return insert(ctx, t, "publish edits", `book_edits (delta, search_words, author_words, facets)`, []string{"int", "text", "text", "text"}, rows)
}
