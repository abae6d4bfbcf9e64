package sqlstore

import (
	"bytes"
	"context"
	"encoding/json"

	"example.org/library"
	"example.org/library/sqlstore/booksearch"
	"example.org/library/sqlstore/engine"
)

// FindBooks returns the books with one of the keys, without their loans.
func (s *Store) FindBooks(ctx context.Context, keys library.BookKeys) ([]library.Book, error) {
	return findBooks(ctx, s.db, s.dialect, keys, "")
}

// FindBooks returns the books with one of the keys, without their loans,
// and locks them until the end of the transaction if they are for an update.
func (t *tx) FindBooks(ctx context.Context, keys library.BookKeys, forUpdate bool) ([]library.Book, error) {
	lock := ""
	if forUpdate {
		lock = t.dialect.ForUpdate
	}
	return findBooks(ctx, t.sql, t.dialect, keys, lock)
}

// findBooks returns books in the order of their locks.
func findBooks(ctx context.Context, q engine.Reader, d *engine.Dialect, keys library.BookKeys, lock string) ([]library.Book, error) {
	text, a := findBooksText(d, keys)
	// Planned each time, with the keys: a plan that was made while the library
	// was empty would look at every book for each of them.
	return engine.Collect(ctx, q, "find books", scanBook, text+lock, d.PlannedFor(a)...)
}

// findBooksText asks each index by itself; a condition with OR would tempt
// either database to look at every book. Of books with one key it reads few,
// however many there are. An order by seq itself would tempt PostgreSQL to go
// through all books in that order until it has enough with an ISBN.
func findBooksText(d *engine.Dialect, keys library.BookKeys) (text string, a engine.Arguments) {
	place := func(list []string) string { return a.Add(d.List(list)) }
	text = `SELECT ` + bookOnlyColumns + `, ` + noStockColumns + ` FROM books b WHERE b.seq IN (
			SELECT seq FROM books WHERE id ` + d.Among(place(keys.IDs)) + `
			UNION ` + d.FirstOf(place(keys.ISBNs), `isbn_key = k.value AND isbn_key <> ''`, `seq + 0`, library.MaxAlike+1) + `
			UNION ` + d.FirstOf(place(keys.Titles), `title_key = k.value`, `title, id`, library.MaxAlike+1) + `)
		ORDER BY b.created_at, b.id`
	return text, a
}

// AddBooks adds books with one statement.
func (t *tx) AddBooks(ctx context.Context, books []library.Book) error {
	if len(books) == 0 {
		return nil // a statement would count as a change even so
	}
	_, err := t.sql.ExecContext(ctx, insertBooks+t.dialect.Rows(bookTable), formatBooks(books))
	if t.dialect.Diagnose(err).Kind == engine.UniqueViolation {
		return library.ErrIdentifierTaken
	}
	if err != nil {
		return t.dialect.Error(ctx, "add books", err)
	}
	for _, b := range books {
		t.changes.bookAdded(b)
	}
	return booksearch.Learn(ctx, t.sql, books...)
}

// UpdateBooks replaces the fields of books with one statement.
func (t *tx) UpdateBooks(ctx context.Context, books []library.Book) error {
	if len(books) == 0 {
		return nil
	}
	before, err := t.before(ctx, idsOf(books)...)
	if err != nil {
		return err
	}
	result, err := t.sql.ExecContext(ctx, updateBooks+t.dialect.Rows(bookTable)+` WHERE books.id = r.id`, formatBooks(books))
	if err != nil {
		return t.dialect.Error(ctx, "update books", err)
	}
	for _, b := range books {
		t.changes.bookEdited(b.ID, before[b.ID])
	}
	if err := expect(result, len(books), library.ErrBookNotFound); err != nil {
		return t.dialect.Error(ctx, "update books", err)
	}
	return booksearch.Learn(ctx, t.sql, books...)
}

func idsOf(books []library.Book) []string {
	ids := make([]string, len(books))
	for i, b := range books {
		ids[i] = b.ID
	}
	return ids
}

// formatBooks makes one value of many books: a JSON array, which both databases
// can take apart. So a statement has the same text however many there are.
func formatBooks(books []library.Book) string { return formatRows(books, bookColumnList, bookMembers) }

// formatRows does so with some of the columns.
func formatRows(books []library.Book, columns []bookColumn, members []string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	before := byte('[')
	for i := range books {
		out.WriteByte(before)
		before = ','
		for j, c := range columns {
			out.WriteString(members[j])
			encoder.Encode(c.value(&books[i])) // strings and numbers always marshal
		}
		out.WriteByte('}')
	}
	out.WriteByte(']')
	return out.String()
}

var bookMembers = membersOf(bookColumnList)

// membersOf returns the text before the value of each column.
func membersOf(columns []bookColumn) (members []string) {
	before := `{`
	for _, c := range columns {
		members = append(members, before+`"`+c.Name+`":`)
		before = `,`
	}
	return members
}
