package library

import (
	"slices"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"example.org/library/internal/fulltext"
	"example.org/library/internal/isbn"
	"example.org/library/internal/language"
	"example.org/library/internal/validation"
)

// Limits of a book's fields, in code points.
const (
	MaxTitle       = 255
	MaxISBN        = 20
	MaxDescription = 10_000
	MaxAuthors     = 50
	MaxAuthor      = 255
	MaxSubtitle    = 255
	MaxPublisher   = 255
	MaxSeries      = 255
	MaxVolume      = 20
	MaxSubjects    = 30
	MaxSubject     = 100
	MaxYear        = 9999 // not characters: the last year
)

// BookFields is what curators edit. Package api has the same struct with the names
// of the wire, so that one converts to the other: a field that is missing in one of
// them does not compile.
type BookFields struct {
	ISBN        string
	Title       string
	Description string
	Authors     []string
	Subtitle    string
	Publisher   string
	Series      string
	Volume      string   // of the series
	Published   int      // the year; 0 if it is not known
	Language    string   // a language.Code
	Subjects    []string // no two of which are alike, see SubjectKey
}

// BookField is one of the fields, for whatever treats them alike. It is a text, a
// list of texts or a number.
type BookField struct {
	Name   string // in requests, files and the database
	Text   func(*BookFields) *string
	List   func(*BookFields) *[]string
	Number func(*BookFields) *int // from 1 to Most; 0 is none
	Most   int

	words bool // a search looks for words in it

	check func(*problems, *BookFields) // cuts white space and reports what is wrong
	same  func(given, old string) bool // nil if texts must be equal
}

// BookFieldTable is every field, in the order in which problems are reported.
var BookFieldTable = []BookField{
	{
		Name: "title", words: true, Text: func(f *BookFields) *string { return &f.Title },
		check: func(bad *problems, f *BookFields) { f.Title = bad.RequiredLine("title", f.Title, MaxTitle) },
	},
	{
		Name: "isbn", words: true, Text: func(f *BookFields) *string { return &f.ISBN }, same: isbn.Same,
		check: func(bad *problems, f *BookFields) { f.ISBN = bad.Line("isbn", f.ISBN, MaxISBN) },
	},
	{
		Name: "description", words: true, Text: func(f *BookFields) *string { return &f.Description },
		check: func(bad *problems, f *BookFields) {
			f.Description = bad.Text("description", f.Description, MaxDescription)
		},
	},
	{
		Name: "authors", words: true, List: func(f *BookFields) *[]string { return &f.Authors },
		check: func(bad *problems, f *BookFields) { f.Authors = bad.authors(f.Authors) },
	},
	line("subtitle", MaxSubtitle, true, func(f *BookFields) *string { return &f.Subtitle }),
	line("publisher", MaxPublisher, true, func(f *BookFields) *string { return &f.Publisher }),
	line("series", MaxSeries, true, func(f *BookFields) *string { return &f.Series }),
	{
		Name: "volume", Text: func(f *BookFields) *string { return &f.Volume },
		check: func(bad *problems, f *BookFields) {
			if f.Volume = bad.Line("volume", f.Volume, MaxVolume); f.Volume != "" && f.Series == "" {
				bad.Add(validation.Required("series"))
			}
		},
	},
	{
		Name: "published", Number: func(f *BookFields) *int { return &f.Published }, Most: MaxYear,
		check: func(bad *problems, f *BookFields) {
			if f.Published != 0 {
				bad.Within("published", f.Published, 1, MaxYear)
			}
		},
	},
	{
		Name: "language", Text: func(f *BookFields) *string { return &f.Language },
		check: func(bad *problems, f *BookFields) { f.Language = bad.language("language", f.Language) },
	},
	{
		Name: "subjects", words: true, List: func(f *BookFields) *[]string { return &f.Subjects },
		check: func(bad *problems, f *BookFields) { f.Subjects = bad.subjects(f.Subjects) },
	},
}

// line is a field that is one line of text.
func line(name string, most int, words bool, text func(*BookFields) *string) BookField {
	return BookField{Name: name, Text: text, words: words,
		check: func(bad *problems, f *BookFields) { *text(f) = bad.Line(name, *text(f), most) }}
}

// SubjectKey is equal for subjects that differ in case and accents alone. Series are
// compared in the same way.
func SubjectKey(subject string) string { return fulltext.Fold(subject) }

// LanguageCode is the code under which a language is kept, "" for an unknown one.
func LanguageCode(code string) string { return language.Code(code) }

// Normalize takes away white space around the fields, and reports everything that is wrong with the fields.
func (f *BookFields) Normalize() error {
	var bad problems
	for _, field := range BookFieldTable {
		field.check(&bad, f)
	}
	return bad.err()
}

// Normalized is the fields without white space around them, and everything that is wrong
// with them.
func (f BookFields) Normalized() (BookFields, []Detail) {
	bad := details(f.Normalize())
	return f, bad
}

// Check reports everything that is wrong with the fields.
func (f BookFields) Check() []Detail { return details(f.Normalize()) }

// Texts are the values of the field that are not empty. A number is written in digits.
func (field BookField) Texts(f *BookFields) []string {
	switch {
	case field.List != nil:
		return *field.List(f)
	case field.Text != nil && *field.Text(f) != "":
		return []string{*field.Text(f)}
	case field.Number != nil && *field.Number(f) != 0:
		return []string{strconv.Itoa(*field.Number(f))}
	}
	return nil
}

// searched are the texts in which a search looks for words.
func (f *BookFields) searched() (texts []string) {
	for _, field := range BookFieldTable {
		if field.words {
			texts = append(texts, field.Texts(f)...)
		}
	}
	return texts
}

// TextBytes is how many bytes of text the fields have.
func (f BookFields) TextBytes() (n int) {
	for _, field := range BookFieldTable {
		for _, text := range field.Texts(&f) {
			n += len(text)
		}
	}
	return n
}

// Differences names the fields that are given and say something else.
func (f BookFields) Differences(from BookFields) (names []string) {
	for _, field := range BookFieldTable {
		if field.differs(&f, &from) {
			names = append(names, field.Name)
		}
	}
	return names
}

// Over puts what is given and different in the place of what was.
func (f BookFields) Over(old BookFields) BookFields {
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
		return len(list) > 0 && !slices.EqualFunc(list, *field.List(old), sameText)
	}
	if field.Number != nil {
		n := *field.Number(given)
		return n != 0 && n != *field.Number(old)
	}
	text, was := *field.Text(given), *field.Text(old)
	if text == "" || sameText(text, was) {
		return false
	}
	return field.same == nil || !field.same(text, was)
}

// sameText reports whether texts are made of the same characters. A letter with an accent can
// be written in two ways, of which some files know one only.
func sameText(a, b string) bool { return a == b || norm.NFC.String(a) == norm.NFC.String(b) }

// Set gives the field the value that it has in other fields.
func (field BookField) Set(to, from *BookFields) {
	switch {
	case field.List != nil:
		*field.List(to) = *field.List(from)
	case field.Number != nil:
		*field.Number(to) = *field.Number(from)
	default:
		*field.Text(to) = *field.Text(from)
	}
}
