package bookfile

import (
	"encoding/json"
	"slices"
	"strconv"

	"example.org/library/internal/table"
)

// field describes a field of a book in a file: a text, a list of texts, a number, or the number of copies.
type field struct {
	name     string   // the heading of a column, and a member of JSON
	headings []string // other headings of columns, as table.Plain makes them
	text     func(*Book) *string
	list     func(*Book) *[]string
	number   func(*Book) *int
	clean    func(cell string) string // returns the value to keep of a cell; nil to keep it all
}

// The fields with rules of their own for reading them.
const (
	fieldIdentifier = "identifier"
	fieldISBN       = "isbn"
	fieldTitle      = "title"
	fieldAuthors    = "authors"
	fieldCopies     = "copies"
	fieldPublisher  = "publisher"
	fieldPublished  = "published"
	fieldSubjects   = "subjects"
)

// fields lists every field, in the order of the columns. The fields about copies come last.
var fields = []field{
	{name: fieldIdentifier, headings: []string{"id", "uuid", "kennung"}, text: func(b *Book) *string { return &b.Identifier }},
	{name: fieldISBN, headings: []string{"isbn10", "isbn13", "ean"}, text: func(b *Book) *string { return &b.ISBN }},
	{name: fieldTitle, headings: []string{"titel", "name", "booktitle", "buchtitel"}, text: func(b *Book) *string { return &b.Title }},
	{name: fieldAuthors, headings: []string{"author", "autor", "autoren", "autorinnen", "creator", "creators", "verfasser"}, list: func(b *Book) *[]string { return &b.Authors }},
	{name: "description", headings: []string{"beschreibung", "summary", "notes"}, text: func(b *Book) *string { return &b.Description }},
	{name: "subtitle", headings: []string{"untertitel"}, text: func(b *Book) *string { return &b.Subtitle }},
	{name: fieldPublisher, headings: []string{"verlag", "herausgeber"}, text: func(b *Book) *string { return &b.Publisher }},
	{name: fieldPublished, headings: []string{"year", "jahr", "erscheinungsjahr", "publicationyear", "yearpublished", "pubdate", "publishdate"}, number: func(b *Book) *int { return &b.Published }},
	{name: "series", headings: []string{"reihe", "serie"}, text: func(b *Book) *string { return &b.Series }},
	{name: "volume", headings: []string{"band", "bandnummer"}, text: func(b *Book) *string { return &b.Volume }},
	{name: "language", headings: []string{"languages", "sprache", "sprachen"}, text: func(b *Book) *string { return &b.Language }, clean: languageOf},
	{name: fieldSubjects, headings: []string{"subject", "schlagwort", "schlagworte", "schlagworter", "schlagwörter", "thema", "themen"}, list: func(b *Book) *[]string { return &b.Subjects }},
	{name: "kind", headings: []string{"medienart"}, text: func(b *Book) *string { return &b.Kind }},
	{name: fieldCopies, headings: []string{"exemplare", "numberofcopies"}},
	{name: "barcode", headings: []string{"barcodes", "strichcode", "strichcodes"}, list: func(b *Book) *[]string { return &b.Barcodes }},
	{name: "shelf", headings: []string{"regal", "standort"}, text: func(b *Book) *string { return &b.Shelf }},
}

// Fields lists the names of the fields, in the order of the columns.
var Fields = func() (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}()

// headings maps the headings of columns, as table.Plain makes them, to fields.
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

// fieldNamed returns the field with a name, or nil for an ignored column.
func fieldNamed(name string) *field {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.name == name }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// cell returns the field of a book as a cell of a CSV file.
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

// readCell sets the field of a book to the value of a cell of a CSV file. A nil field
// sets nothing. Split takes a list apart; nil means the usual way.
func (f *field) readCell(b *Book, cell string, split func(string) []string) {
	switch {
	case f == nil:
	case f.clean != nil:
		*f.text(b) = f.clean(cell)
	case f.text != nil:
		*f.text(b) = cell
	case f.number != nil:
		*f.number(b) = yearOf(cell)
	case f.list != nil:
		if split == nil {
			split = splitAuthors
		}
		*f.list(b) = append(*f.list(b), split(cell)...)
	}
}

// readJSON sets the field of a book to the value of a member, or returns why it
// cannot. Null counts as an absent member.
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
