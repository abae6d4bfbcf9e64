package library

import (
	"slices"

	"example.org/library/internal/isbn"
)

// Limits of a book's fields, in code points.
const (
	MaxTitle       = 255
	MaxISBN        = 20
	MaxDescription = 10_000
	MaxAuthors     = 50
	MaxAuthor      = 255
)

// BookFields is what curators edit. Package api has the same struct with the names
// of the wire, so that one converts to the other: a field that is missing in one of
// them does not compile.
type BookFields struct {
	ISBN        string
	Title       string
	Description string
	Authors     []string
}

// BookField is one of the fields, for whatever treats them alike. It is a text or a
// list of texts.
type BookField struct {
	Name string // in requests, files and the database
	Text func(*BookFields) *string
	List func(*BookFields) *[]string

	check func(*problems, *BookFields) // cuts white space and reports what is wrong
	same  func(given, old string) bool // nil if texts must be equal
}

// BookFieldTable is every field, in the order in which problems are reported.
var BookFieldTable = []BookField{
	{
		Name: "title", Text: func(f *BookFields) *string { return &f.Title },
		check: func(bad *problems, f *BookFields) { f.Title = bad.RequiredLine("title", f.Title, MaxTitle) },
	},
	{
		Name: "isbn", Text: func(f *BookFields) *string { return &f.ISBN }, same: isbn.Same,
		check: func(bad *problems, f *BookFields) { f.ISBN = bad.Line("isbn", f.ISBN, MaxISBN) },
	},
	{
		Name: "description", Text: func(f *BookFields) *string { return &f.Description },
		check: func(bad *problems, f *BookFields) {
			f.Description = bad.Text("description", f.Description, MaxDescription)
		},
	},
	{
		Name: "authors", List: func(f *BookFields) *[]string { return &f.Authors },
		check: func(bad *problems, f *BookFields) { f.Authors = bad.authors(f.Authors) },
	},
}

// normalize cuts white space and reports everything that is wrong with the fields.
func (f *BookFields) normalize() error {
	var bad problems
	for _, field := range BookFieldTable {
		field.check(&bad, f)
	}
	return bad.err()
}

// Check reports everything that is wrong with the fields.
func (f BookFields) Check() []Detail { return details(f.normalize()) }

// texts are the texts of all fields.
func (f *BookFields) texts() (texts []string) {
	for _, field := range BookFieldTable {
		if field.Text != nil {
			texts = append(texts, *field.Text(f))
		} else {
			texts = append(texts, *field.List(f)...)
		}
	}
	return texts
}

// textBytes is how many bytes of text the fields have.
func (f BookFields) textBytes() (n int) {
	for _, field := range BookFieldTable {
		if field.Text != nil {
			n += len(*field.Text(&f))
			continue
		}
		for _, text := range *field.List(&f) {
			n += len(text)
		}
	}
	return n
}

// differences names the fields that are given and say something else.
func (f BookFields) differences(from BookFields) (names []string) {
	for _, field := range BookFieldTable {
		if field.differs(&f, &from) {
			names = append(names, field.Name)
		}
	}
	return names
}

// over puts what is given and different in the place of what was.
func (f BookFields) over(old BookFields) BookFields {
	for _, field := range BookFieldTable {
		if field.differs(&f, &old) {
			field.Set(&old, &f)
		}
	}
	return old
}

// differs reports whether a field is given and is not what it was.
func (field BookField) differs(given, old *BookFields) bool {
	if field.List != nil {
		list := *field.List(given)
		return len(list) > 0 && !slices.Equal(list, *field.List(old))
	}
	text, was := *field.Text(given), *field.Text(old)
	if text == "" || text == was {
		return false
	}
	return field.same == nil || !field.same(text, was)
}

// Set gives the field the value that it has in other fields.
func (field BookField) Set(to, from *BookFields) {
	if field.List != nil {
		*field.List(to) = *field.List(from)
		return
	}
	*field.Text(to) = *field.Text(from)
}
