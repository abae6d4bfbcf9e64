package books

import (
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
)

// field is one of the fields that curators edit, as commands take and show it.
type field struct {
	flag  string // also what the form calls it
	short string // the flag in one letter
	usage string
	label string // before it on the sheet of a book; "" if it has a place of its own there
	below bool   // it is what stands below the line of the form

	library.BookField
}

// fields is every field, in the order of the form. What stands below its line is the
// last.
var fields = []field{
	{BookField: named("title"), flag: "title", short: "t", usage: "title"},
	{BookField: named("authors"), flag: "author", usage: "an author; repeat it for several"},
	{BookField: named("isbn"), flag: "isbn", usage: "ISBN, in any spelling", label: "ISBN"},
	{BookField: named("subtitle"), flag: "subtitle", usage: "subtitle", label: "Subtitle"},
	{BookField: named("publisher"), flag: "publisher", usage: "publisher", label: "Publisher"},
	{BookField: named("published"), flag: "published", usage: "year in which it was published", label: "Published"},
	{BookField: named("series"), flag: "series", usage: "series that it belongs to", label: "Series"},
	{BookField: named("volume"), flag: "volume", usage: "volume of the series", label: "Volume"},
	{BookField: named("language"), flag: "language", usage: "language, a code of two or three letters such as en", label: "Language"},
	{BookField: named("subjects"), flag: "subject", usage: "a subject; repeat it for several", label: "Subjects"},
	{BookField: named("description"), flag: "description", short: "d", usage: "description", below: true},
}

func named(name string) library.BookField {
	return library.BookFieldTable[slices.IndexFunc(library.BookFieldTable, func(f library.BookField) bool { return f.Name == name })]
}

// clearable are the names of the fields that may be empty: all except the title.
var clearable = func() (names []string) {
	for _, f := range library.BookFieldTable {
		if f.Name != "title" {
			names = append(names, f.Name)
		}
	}
	return names
}()

// flagOf is the flag for the field of a name.
func flagOf(name string) string {
	return fields[slices.IndexFunc(fields, func(f field) bool { return f.Name == name })].flag
}

// textOf is where a book has the field, nil if it is a list. listOf is the other way
// round.
func (f field) textOf(b *api.BookFields) *string {
	if f.Text == nil {
		return nil
	}
	return f.Text((*library.BookFields)(b))
}

// numberOf is where a book has the field, nil if it is no number.
func (f field) numberOf(b *api.BookFields) *int {
	if f.Number == nil {
		return nil
	}
	return f.Number((*library.BookFields)(b))
}

func (f field) listOf(b *api.BookFields) *[]string {
	if f.List == nil {
		return nil
	}
	return f.List((*library.BookFields)(b))
}

// copy gives the field of a book the value that another one has.
func (f field) copy(to, from *api.BookFields) {
	f.Set((*library.BookFields)(to), (*library.BookFields)(from))
}

// lines are the values of the field: one if it is no list, even if that is empty.
func (f field) lines(b api.BookFields) []string {
	texts := f.Texts((*library.BookFields)(&b))
	if len(texts) == 0 && f.List == nil {
		return []string{""}
	}
	return texts
}

// joined is the field in one line.
func (f field) joined(b api.BookFields) string { return strings.Join(f.lines(b), "; ") }

// sameFields reports whether two books say the same.
func sameFields(a, b api.BookFields) bool {
	return !slices.ContainsFunc(fields, func(f field) bool { return !slices.Equal(f.lines(a), f.lines(b)) })
}
