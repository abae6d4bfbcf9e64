package sqlstore

import (
	"fmt"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/sqlstore/booksearch"
	"example.org/library/sqlstore/engine"
)

// bookColumn is a column of books. Every statement that reads or writes whole books
// is composed from the list of these.
type bookColumn struct {
	engine.RowColumn
	value func(*library.Book) any // what is written
	dest  func(*bookRow) any      // where it is read to; nil if it is not read
	empty string                  // what a list has in its place if it is not needed
	once  bool                    // written with a new book, and never again
}

// maxBookLists is how many fields of a book may be lists. There is room for them in
// every row.
const maxBookLists = 2

// bookColumnList has the identifier first. A field of a book has a column of its
// name, so a new one needs a migration and nothing else here.
var bookColumnList = slices.Concat(
	[]bookColumn{textColumn("id", func(b *library.Book) any { return b.ID }, func(r *bookRow) any { return &r.ID })},
	fieldColumns(),
	[]bookColumn{
		textColumn("isbn_key", func(b *library.Book) any { return isbn.Key(b.ISBN) }, nil),
		textColumn("title_key", func(b *library.Book) any { return library.TitleKey(b.Title) }, nil),
		textColumn("series_key", func(b *library.Book) any { return library.SubjectKey(b.Series) }, nil),
		textColumn("subject_keys", func(b *library.Book) any { return joinSubjects(b.Subjects) }, nil),
		textColumn("search_words", func(b *library.Book) any { return engine.JoinWords(b.SearchWords()) }, nil),
		textColumn("author_words", func(b *library.Book) any { return engine.JoinWords(b.AuthorWords()) }, nil),
		textColumn("title_rank", func(b *library.Book) any { return library.RankedTitle(b.Title) }, nil),
		textColumn("rank_words", func(b *library.Book) any { return booksearch.RankWords(b) }, nil),
		textColumn("version", func(b *library.Book) any { return b.Version }, func(r *bookRow) any { return &r.Version }),
		{
			RowColumn: engine.RowColumn{Name: "created_at", Type: "bigint"}, empty: `0`, once: true,
			value: func(b *library.Book) any { return b.Created.UnixMicro() }, dest: func(r *bookRow) any { return &r.created },
		},
		{
			RowColumn: engine.RowColumn{Name: "first_copies", Type: "int"}, once: true,
			value: func(b *library.Book) any { return b.Stock.Copies },
		},
		{ // which is set with the pictures alone: see cover.go
			RowColumn: engine.RowColumn{Name: "cover", Type: "text"}, empty: `''`, once: true,
			value: func(b *library.Book) any { return b.Cover }, dest: func(r *bookRow) any { return &r.Cover },
		},
	},
)

func textColumn(name string, value func(*library.Book) any, dest func(*bookRow) any) bookColumn {
	return bookColumn{RowColumn: engine.RowColumn{Name: name, Type: "text"}, value: value, dest: dest, empty: `''`}
}

// fieldColumns returns the columns of the fields for curators. A list is a JSON
// array.
func fieldColumns() (columns []bookColumn) {
	for _, field := range library.BookFieldTable {
		if field.Text != nil {
			columns = append(columns, textColumn(field.Name,
				func(b *library.Book) any { return *field.Text(&b.BookFields) },
				func(r *bookRow) any { return field.Text(&r.BookFields) }))
		}
		if field.Number != nil {
			columns = append(columns, bookColumn{
				RowColumn: engine.RowColumn{Name: field.Name, Type: "int"}, empty: `0`,
				value: func(b *library.Book) any { return *field.Number(&b.BookFields) },
				dest:  func(r *bookRow) any { return field.Number(&r.BookFields) },
			})
		}
	}
	for i, field := range bookLists {
		c := textColumn(field.Name,
			func(b *library.Book) any { return engine.FormatList(*field.List(&b.BookFields)) },
			func(r *bookRow) any { return &r.lists[i] })
		c.empty = `'[]'`
		columns = append(columns, c)
	}
	return columns
}

// joinSubjects are the keys of subjects, with a line break before and after each: no
// subject has one.
func joinSubjects(subjects []string) string {
	var b strings.Builder
	for _, subject := range subjects {
		b.WriteString("\n" + library.SubjectKey(subject))
	}
	if len(subjects) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// bookLists are the lists among the fields, each at its place in bookRow.
var bookLists = func() (lists []library.BookField) {
	for _, field := range library.BookFieldTable {
		if field.List != nil {
			lists = append(lists, field)
		}
	}
	if len(lists) > maxBookLists {
		panic("sqlstore: maxBookLists is too small")
	}
	return lists
}()

// bookDests are where the columns of a book go, in the order of bookOnlyColumns.
var bookDests = func() (dests []func(*bookRow) any) {
	for _, c := range bookColumnList {
		if c.dest != nil {
			dests = append(dests, c.dest)
		}
	}
	return dests
}()

// The statements about books, without the parts of a dialect. A book
// is read with its stock; its loans and holds for a viewer are in
// viewer.go.
var (
	bookOnlyColumns = readColumns(func(c bookColumn) string { return `b.` + c.Name })
	bookColumns     = bookOnlyColumns + `, ` + stockColumns
	// The briefs are bookColumns with no more in them than an order of books needs.
	briefByCreation = brief("id", "created_at")
	briefByTitle    = brief("id", "title")
	briefByYear     = brief("id", "title", "published")

	insertBook  = `INSERT INTO books (` + allColumns(itsName) + `) VALUES (` + allColumns(itsPlace) + `)`
	updateBook  = `UPDATE books SET ` + assignments(itsPlace) + ` WHERE id = $1`
	insertBooks = `INSERT INTO books (` + allColumns(itsName) + `) SELECT ` + allColumns(ofRow) + ` FROM `
	updateBooks = `UPDATE books SET ` + assignments(ofRow) + ` FROM `
	bookTable   = rowColumns(bookColumnList)
)

// bookRecords tells the catalogue how to read books.
func (s *Store) bookRecords() booksearch.Records {
	return booksearch.Records{
		Columns: bookColumns, BriefByCreation: briefByCreation, BriefByTitle: briefByTitle, BriefByYear: briefByYear,
		Scan: scanBookAnd, View: s.addViewed,
	}
}

func rowColumns(of []bookColumn) (columns []engine.RowColumn) {
	for _, c := range of {
		columns = append(columns, c.RowColumn)
	}
	return columns
}

// readColumns lists the columns to read.
func readColumns(expression func(bookColumn) string) string {
	var columns []string
	for _, c := range bookColumnList {
		if c.dest != nil {
			columns = append(columns, expression(c))
		}
	}
	return strings.Join(columns, ", ")
}

func brief(needed ...string) string {
	return readColumns(func(c bookColumn) string {
		if slices.Contains(needed, c.Name) {
			return `b.` + c.Name
		}
		return c.empty
	}) + `, ` + noStockColumns
}

// The expressions of a statement for a column: its name, its place among the arguments, or the
// column of that name in a table r.
func itsName(_ int, name string) string { return name }
func itsPlace(i int, _ string) string   { return fmt.Sprintf("$%d", i+1) }
func ofRow(_ int, name string) string   { return `r.` + name }

// allColumns lists the columns to write.
func allColumns(expression func(i int, name string) string) string {
	var columns []string
	for i, c := range bookColumnList {
		columns = append(columns, expression(i, c.Name))
	}
	return strings.Join(columns, ", ")
}

// assignments lists the columns of an edit.
func assignments(value func(i int, name string) string) string {
	var all []string
	for i, c := range bookColumnList {
		if i > 0 && !c.once {
			all = append(all, c.Name+` = `+value(i, c.Name))
		}
	}
	return strings.Join(all, ", ")
}

// bookValues returns the values of the columns; without those written once they
// are the first ones.
func bookValues(b *library.Book, isNew bool) []any {
	values := make([]any, 0, len(bookColumnList))
	for _, c := range bookColumnList {
		if isNew || !c.once {
			values = append(values, c.value(b))
		}
	}
	return values
}
