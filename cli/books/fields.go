package books

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// field is one of the fields for curators to edit, as commands take and show it.
type field struct {
	flag  string // also its name in the form
	short string // the flag in one letter
	usage string
	label string // on the sheet of a book; "" if the field has a place of its own there
	below bool   // it stands below the separator of the form

	library.BookField
}

// fields are all fields, in the order of the form. The field below its separator is the last.
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
	{BookField: named("kind"), flag: "kind", usage: "kind: " + strings.Join(library.BookKinds, ", "), label: "Kind"},
	{BookField: named("description"), flag: "description", short: "d", usage: "description", below: true},
}

func named(name string) library.BookField {
	return library.BookFieldTable[slices.IndexFunc(library.BookFieldTable, func(f library.BookField) bool { return f.Name == name })]
}

// clearable are the names of the fields allowed to be empty: all except the title.
var clearable = func() (names []string) {
	for _, f := range library.BookFieldTable {
		if f.Name != "title" {
			names = append(names, f.Name)
		}
	}
	return names
}()

func flagOf(name string) string {
	return fields[slices.IndexFunc(fields, func(f field) bool { return f.Name == name })].flag
}

// textOf returns a pointer to the field in a book, or nil if it is not a text.
func (f field) textOf(b *api.BookFields) *string {
	if f.Text == nil {
		return nil
	}
	return f.Text((*library.BookFields)(b))
}

// numberOf returns a pointer to the field in a book, or nil if it is not a number.
func (f field) numberOf(b *api.BookFields) *int {
	if f.Number == nil {
		return nil
	}
	return f.Number((*library.BookFields)(b))
}

// listOf returns a pointer to the field in a book, or nil if it is not a list.
func (f field) listOf(b *api.BookFields) *[]string {
	if f.List == nil {
		return nil
	}
	return f.List((*library.BookFields)(b))
}

func (f field) copy(to, from *api.BookFields) {
	f.Set((*library.BookFields)(to), (*library.BookFields)(from))
}

// lines returns the values of the field. A field other than a list has one value, even if
// it is empty.
func (f field) lines(b api.BookFields) []string {
	texts := f.Texts((*library.BookFields)(&b))
	if len(texts) == 0 && f.List == nil {
		return []string{""}
	}
	return texts
}

func (f field) joined(b api.BookFields) string { return strings.Join(f.lines(b), "; ") }

func sameFields(a, b api.BookFields) bool {
	return !slices.ContainsFunc(fields, func(f field) bool { return !slices.Equal(f.lines(a), f.lines(b)) })
}

// The form of a book is its text in the editor:
//
//	title: The C Programming Language
//	author: Brian W. Kernighan
//	author: Dennis M. Ritchie
//	isbn: 978-0-13-110362-7
//	---
//	Everything below the line is the description.

const formLine = "---"

func formatBook(f client.BookFields) string {
	var b strings.Builder
	for _, field := range fields {
		lines := field.lines(f.BookFields)
		if field.below {
			fmt.Fprintf(&b, "%s\n%s\n", formLine, lines[0])
			continue
		}
		if len(lines) == 0 {
			lines = []string{""}
		}
		for _, line := range lines {
			fmt.Fprintf(&b, "%s: %s\n", field.flag, line)
		}
	}
	return b.String()
}

func parseBook(form string) (client.BookFields, error) {
	var f client.BookFields
	head := form
	if at := lineIndex(form, formLine); at >= 0 {
		head = form[:at]
		below := fields[len(fields)-1].textOf(&f.BookFields)
		*below = strings.TrimSpace(strings.ReplaceAll(form[at+len(formLine):], "\r\n", "\n"))
	}
	number := 0
	for line := range strings.Lines(head) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		if !parseLine(&f.BookFields, strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)) {
			return f, fmt.Errorf("line %d of the form begins with %s; it takes %s, and the %s below a line of %s",
				number, command.Quote(key), formKeys(), fields[len(fields)-1].flag, formLine)
		}
	}
	return f, nil
}

// parseLine sets a field from a line of the form above the separator. It reports whether
// the line is valid.
func parseLine(f *api.BookFields, key, value string) bool {
	at := slices.IndexFunc(fields, func(field field) bool { return field.flag == key && !field.below })
	if at < 0 {
		return false
	}
	if text := fields[at].textOf(f); text != nil {
		*text = value
	} else if number := fields[at].numberOf(f); number != nil {
		n, err := strconv.Atoi(value)
		*number = n
		return value == "" || err == nil && n > 0
	} else if list := fields[at].listOf(f); value != "" {
		*list = append(*list, value)
	}
	return true
}

func formKeys() string {
	var keys []string
	for _, field := range fields {
		if !field.below {
			keys = append(keys, field.flag+":")
		}
	}
	return strings.Join(keys, ", ")
}

// lineIndex returns the index of the first line with nothing but the wanted text, or -1.
func lineIndex(text, wanted string) int {
	at := 0
	for line := range strings.Lines(text) {
		if strings.TrimRight(line, "\r\n \t") == wanted {
			return at
		}
		at += len(line)
	}
	return -1
}

const maxBookText = 1 << 20

// readBook reads a book from a file or, for "-", from standard input. The text is
// JSON, or the form.
func readBook(ctx context.Context, a *command.App, name string) (client.BookFields, error) {
	where := terminal.Clean(name)
	if name == "-" {
		where = "standard input"
	}
	text, err := a.ReadInput(ctx, name, maxBookText)
	switch {
	case err != nil:
		return client.BookFields{}, command.Fail(command.ExitFailed, "The book cannot be read: %w.", err)
	case len(text) > maxBookText:
		return client.BookFields{}, command.Fail(command.ExitFailed, "What comes from %s is too long for a book.", where)
	case strings.TrimSpace(string(text)) == "":
		return client.BookFields{}, command.Fail(command.ExitFailed, "Nothing comes from %s. Give the book as JSON, or with --title and other flags.", where)
	}
	fields, err := parseBookText(string(text))
	if err != nil {
		return fields, command.Fail(command.ExitFailed, "What comes from %s is not a book: %w.", where, err)
	}
	return fields, nil
}

func parseBookText(text string) (client.BookFields, error) {
	text = strings.TrimPrefix(text, "\ufeff") // a byte order mark from some editors
	switch strings.TrimSpace(text)[0] {
	case '{':
		return parseBookJSON(text)
	case '[':
		return client.BookFields{}, errors.New("it is a list; this command takes one book")
	}
	return parseBook(text)
}

// parseBookJSON reads a book as 'library books show --json' writes it.
func parseBookJSON(text string) (client.BookFields, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields() // a misspelt field would get lost
	var b struct {
		api.Book
		Copies *int `json:"copies"` // nil if it is missing; 0 is no copies
	}
	if err := decoder.Decode(&b); err != nil {
		return client.BookFields{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return client.BookFields{}, errors.New("something follows the book; this command takes one")
	}
	fields := client.FieldsOf(b.Book)
	fields.Copies = b.Copies
	return fields, nil
}
