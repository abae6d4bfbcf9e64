package lookup

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"example.org/library"
	"example.org/library/bookfile"
	"example.org/library/internal/marc"
	"example.org/library/internal/plaintext"
)

// ofRecord is the book of a record.
func ofRecord(r marc.Record) library.BookFields {
	return fit(library.BookFields(bookfile.OfMARC(r).BookFields))
}

// fields returns the fields of a book with the ISBN.
func (b openLibraryBook) fields(key string) library.BookFields {
	f := library.BookFields{ISBN: key, Title: b.Title, Subtitle: string(b.Subtitle), Authors: b.Authors, Subjects: b.Subjects}
	if len(b.Publishers) > 0 {
		f.Publisher = b.Publishers[0]
	}
	f.Published = bookfile.YearIn(string(b.PublishDate))
	return fit(f)
}

// fit makes a stranger's text fit for a book. It composes letters in two parts, and leaves out forbidden characters.
func fit(f library.BookFields) library.BookFields {
	for _, field := range library.BookFieldTable {
		switch {
		case field.Text != nil:
			*field.Text(&f) = clean(*field.Text(&f))
		case field.List != nil:
			var list []string
			for _, text := range *field.List(&f) {
				if text = clean(text); text != "" {
					list = append(list, text)
				}
			}
			*field.List(&f) = list
		}
	}
	f.Fit()
	return f
}

// clean is a text in NFC, in one line. It does not keep the stranger's text in memory.
func clean(text string) string { return strings.Clone(plaintext.OneLine(norm.NFC.String(text))) }

// weight is how many bytes of text a book has.
func weight(f *library.BookFields) (n int) {
	for _, field := range library.BookFieldTable {
		switch {
		case field.Text != nil:
			n += len(*field.Text(f))
		case field.List != nil:
			for _, text := range *field.List(f) {
				n += len(text) + 16
			}
		}
	}
	return n
}
