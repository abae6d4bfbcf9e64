package library

import (
	"slices"
	"strconv"
	"strings"

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

// BookFields are the fields edited by curators. Package api has the same struct with the names of the
// wire. One converts to the other, so a field missing in either does not compile.
type BookFields struct {
	ISBN        string
	Title       string
	Description string
	Authors     []string
	Subtitle    string
	Publisher   string
	Series      string
	Volume      string   // of the series
	Published   int      // the year; 0 if unknown
	Language    string   // a language.Code
	Subjects    []string // no two alike, see SubjectKey
	Kind        string   // one of BookKinds; "" in a row of an import that says nothing
}

// BookField describes a field, for code handling all of them alike. It is a text, a list of texts or a
// number.
type BookField struct {
	Name   string // in requests, files and the database
	Text   func(*BookFields) *string
	List   func(*BookFields) *[]string
	Number func(*BookFields) *int // from 1 to Most; 0 is none
	Most   int

	words bool // a search looks for words in it

	check func(*problems, *BookFields) // trims white space and reports faults
	same  func(given, old string) bool // nil if texts must be equal
}

// BookFieldTable lists the fields, in the order of reported problems.
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
	{
		Name: "kind", Text: func(f *BookFields) *string { return &f.Kind },
		check: func(bad *problems, f *BookFields) { bad.kind(f.Kind) },
	},
}

// line returns a field with one line of text.
func line(name string, most int, words bool, text func(*BookFields) *string) BookField {
	return BookField{Name: name, Text: text, words: words,
		check: func(bad *problems, f *BookFields) { *text(f) = bad.Line(name, *text(f), most) }}
}

// SubjectKey returns the form for comparing subjects and series, without case and accents.
func SubjectKey(subject string) string { return fulltext.Fold(subject) }

// LanguageCode returns the stored code of a language, "" for an unknown one.
func LanguageCode(code string) string { return language.Code(code) }

// Normalize trims the fields and reports all their faults.
func (f *BookFields) Normalize() error {
	var bad problems
	for _, field := range BookFieldTable {
		field.check(&bad, f)
	}
	return bad.err()
}

// Normalized returns the trimmed fields of a row of an import and all their faults. A kind may have
// any ASCII case there.
func (f BookFields) Normalized() (BookFields, []Detail) {
	f.Kind = lowerASCII(strings.TrimSpace(f.Kind))
	bad := details(f.Normalize())
	return f, bad
}

// Check returns all faults of the fields.
func (f BookFields) Check() []Detail { return details(f.Normalize()) }

// Texts returns the non-empty values of the field. A number is written in digits.
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

// searched returns the texts to search for words.
func (f *BookFields) searched() (texts []string) {
	for _, field := range BookFieldTable {
		if field.words {
			texts = append(texts, field.Texts(f)...)
		}
	}
	return texts
}

// TextBytes returns the length of all texts in bytes.
func (f BookFields) TextBytes() (n int) {
	for _, field := range BookFieldTable {
		for _, text := range field.Texts(&f) {
			n += len(text)
		}
	}
	return n
}

// Differences returns the names of the given fields with another value than from.
func (f BookFields) Differences(from BookFields) (names []string) {
	for _, field := range BookFieldTable {
		if field.differs(&f, &from) {
			names = append(names, field.Name)
		}
	}
	return names
}

// Over returns the old fields with every given, different value replaced.
func (f BookFields) Over(old BookFields) BookFields {
	for _, field := range BookFieldTable {
		if field.differs(&f, &old) {
			field.Set(&old, &f)
		}
	}
	return old
}

// differs reports whether a field is given and has another value than before.
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

// sameText reports whether texts are made of the same characters. Unicode has two forms of an accented
// letter, and some programs write only one.
func sameText(a, b string) bool { return a == b || norm.NFC.String(a) == norm.NFC.String(b) }

// Set copies the value of the field.
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

// Fit makes fields from elsewhere obey our limits: it cuts long texts and lists, and leaves out
// invalid values. It returns the names of the fields with a loss; trimmed white space and a repeated
// subject are none. A missing title stays missing.
func (f *BookFields) Fit() (changed []string) {
	for _, field := range BookFieldTable {
		wrong := field.normalize(f)
		if len(wrong) == 0 || wrong[0].Code == validation.CodeRequired && wrong[0].Field == field.Name {
			continue
		}
		changed = append(changed, field.Name)
		for range 3 { // one mistake may hide another
			field.cut(f, wrong)
			wrong = field.normalize(f)
		}
		if len(wrong) > 0 {
			field.Set(f, &BookFields{})
		}
	}
	return changed
}

// normalize puts the value of the field into its stored form and returns its faults.
func (field BookField) normalize(f *BookFields) []Detail {
	var bad problems
	field.check(&bad, f)
	return bad.Problems
}

// cut shortens a text, or a list or its texts, to the first limit named in the faults. It copies the
// rest, so that a long text does not stay in memory.
func (field BookField) cut(f *BookFields, wrong []Detail) {
	for _, d := range wrong {
		switch {
		case field.List != nil && d.Code == validation.CodeTooMany:
			list := field.List(f)
			*list = slices.Clone((*list)[:min(len(*list), d.Limit)])
			return
		case field.List != nil && d.Code == validation.CodeTooLong:
			for i, text := range *field.List(f) {
				(*field.List(f))[i] = firstOf(text, d.Limit)
			}
			return
		case field.Text != nil && d.Code == validation.CodeTooLong:
			*field.Text(f) = firstOf(*field.Text(f), d.Limit)
			return
		}
	}
}

// firstOf returns the first characters of a text.
func firstOf(text string, characters int) string {
	text = strings.TrimSpace(text)
	for i := range text {
		if characters == 0 {
			return strings.Clone(strings.TrimSpace(text[:i]))
		}
		characters--
	}
	return text
}
