package bookfile

import (
	"encoding/json"
	"slices"
	"strconv"

	"example.org/library/internal/table"
)

// field is one of the fields that a file has of a book: a text, a list of texts, a
// number, or the number of copies.
type field struct {
	name     string   // the heading of a column, and a member of JSON
	headings []string // what else columns are called, as plain makes it
	text     func(*Book) *string
	list     func(*Book) *[]string
	number   func(*Book) *int
	clean    func(cell string) string // makes of a cell what is kept; nil if all of it is
	copies   bool                     // about copies: only written for those who may read these
}

// The fields that are read in a way of their own.
const (
	fieldIdentifier = "identifier"
	fieldISBN       = "isbn"
	fieldTitle      = "title"
	fieldAuthors    = "authors"
	fieldCopies     = "copies"
)

// fields is every field, in the order in which files have them. Those about copies
// are the last.
var fields = []field{
	{name: fieldIdentifier, headings: []string{"id", "uuid"}, text: func(b *Book) *string { return &b.Identifier }},
	{name: fieldISBN, headings: []string{"isbn10", "isbn13", "ean"}, text: func(b *Book) *string { return &b.ISBN }},
	{name: fieldTitle, headings: []string{"titel", "name", "booktitle", "buchtitel"}, text: func(b *Book) *string { return &b.Title }},
	{name: fieldAuthors, headings: []string{"author", "autor", "autoren", "creator", "creators", "verfasser"}, list: func(b *Book) *[]string { return &b.Authors }},
	{name: "description", headings: []string{"beschreibung", "summary", "notes"}, text: func(b *Book) *string { return &b.Description }},
	{name: "subtitle", headings: []string{"untertitel"}, text: func(b *Book) *string { return &b.Subtitle }},
	{name: "publisher", headings: []string{"verlag", "herausgeber"}, text: func(b *Book) *string { return &b.Publisher }},
	{name: "published", headings: []string{"year", "jahr", "erscheinungsjahr", "publicationyear", "yearpublished", "pubdate", "publishdate"}, number: func(b *Book) *int { return &b.Published }},
	{name: "series", headings: []string{"reihe", "serie"}, text: func(b *Book) *string { return &b.Series }},
	{name: "volume", headings: []string{"band", "bandnummer"}, text: func(b *Book) *string { return &b.Volume }},
	{name: "language", headings: []string{"languages", "sprache", "sprachen"}, text: func(b *Book) *string { return &b.Language }, clean: languageOf},
	{name: "subjects", headings: []string{"subject", "schlagwort", "schlagworte", "schlagworter", "thema", "themen"}, list: func(b *Book) *[]string { return &b.Subjects }},
	{name: fieldCopies, headings: []string{"exemplare", "numberofcopies"}, copies: true},
	{name: "barcode", headings: []string{"barcodes", "strichcode", "strichcodes"}, list: func(b *Book) *[]string { return &b.Barcodes }, copies: true},
	{name: "shelf", headings: []string{"regal", "standort"}, text: func(b *Book) *string { return &b.Shelf }, copies: true},
}

// Fields are the names of the fields, in the order in which files have them.
var Fields = func() (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}()

// headings are the names that columns go by, as plain makes them.
var headings = func() map[string]string {
	all := map[string]string{}
	for _, f := range fields {
		all[table.Plain(f.name)] = f.name
		for _, heading := range f.headings {
			all[heading] = f.name
		}
	}
	return all
}()

// fieldNamed is the field of a name, nil for a column that is not read.
func fieldNamed(name string) *field {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.name == name }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// cell is what a CSV file has of the field.
func (f *field) cell(b *Book) string {
	switch {
	case f.text != nil:
		return *f.text(b)
	case f.list != nil:
		return joinAuthors(*f.list(b))
	case f.number != nil && *f.number(b) != 0:
		return strconv.Itoa(*f.number(b))
	case f.name == fieldCopies && b.Copies != nil:
		return strconv.Itoa(*b.Copies)
	}
	return ""
}

// readCell takes over what a cell of a CSV file says. A column that is no field says
// nothing.
func (f *field) readCell(b *Book, cell string) {
	switch {
	case f == nil:
	case f.clean != nil:
		*f.text(b) = f.clean(cell)
	case f.text != nil:
		*f.text(b) = cell
	case f.number != nil:
		*f.number(b) = yearOf(cell)
	case f.list != nil:
		*f.list(b) = append(*f.list(b), splitAuthors(cell)...)
	}
}

// readJSON takes over the value of a member, or says why it cannot. Null is as if
// the member was absent.
func (f *field) readJSON(b *Book, value json.RawMessage) reason {
	switch {
	case f.list != nil:
		texts, is := table.Texts(value)
		if !is {
			return notABook(f.name + " is not an array of texts")
		}
		*f.list(b) = append(*f.list(b), texts...)
	case f.text != nil:
		if json.Unmarshal(value, f.text(b)) != nil {
			return notABook(f.name + " is not a text")
		}
	case f.number != nil:
		if json.Unmarshal(value, f.number(b)) != nil {
			return notABook(f.name + " is not a number")
		}
	case json.Unmarshal(value, &b.Copies) != nil:
		return notABook(f.name + " is not a number")
	}
	return reason{}
}
