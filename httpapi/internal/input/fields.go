package input

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/internal/strictjson"
	"example.org/library/internal/validation"
)

// DuplicateMember is about a member that is there more than once.
func DuplicateMember(err *strictjson.DuplicateError) library.Detail {
	return library.Detail{Field: shorten(err.Name), Code: validation.CodeDuplicate, Message: "is there twice"}
}

// Fields takes known members out of a JSON object, by their exact names, and
// collects those of a wrong type. Members that nobody asks for are ignored.
type Fields struct {
	members map[string]json.RawMessage
	wrong   []library.Detail
}

// NewFields reads the members of an object.
func NewFields(members map[string]json.RawMessage) Fields { return Fields{members: members} }

// Refuse adds something that is wrong.
func (f *Fields) Refuse(d library.Detail) { f.wrong = append(f.wrong, d) }

// IsWrong reports whether something is wrong so far.
func (f *Fields) IsWrong() bool { return len(f.wrong) > 0 }

// Has reports whether there is a value; null is none.
func (f *Fields) Has(name string) bool {
	raw, ok := f.members[name]
	return ok && string(raw) != "null"
}

func (f *Fields) Text(name string) (value string) {
	f.decode(name, &value, library.Detail{Field: name, Code: validation.CodeNotString, Message: "must be a string"})
	return value
}

// Texts returns nil when the member is absent.
func (f *Fields) Texts(name string) []string {
	notStrings := library.Detail{Field: name, Code: validation.CodeNotStrings, Message: "must be an array of strings"}
	var values []*string // a null among them must not pass for ""
	if !f.decode(name, &values, notStrings) || values == nil {
		return nil
	}
	if slices.Contains(values, nil) {
		f.Refuse(notStrings)
		return nil
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = *v
	}
	return texts
}

// Word is text that is one of several, which does not depend on the white space
// around it.
func (f *Fields) Word(name string) string { return strings.TrimSpace(f.Text(name)) }

func (f *Fields) Boolean(name string, otherwise bool) bool {
	value := otherwise
	f.decode(name, &value, library.Detail{Field: name, Code: validation.CodeNotBoolean, Message: "must be true or false"})
	return value
}

func (f *Fields) Integer(name string, otherwise int) int {
	value := wholeNumber(otherwise)
	f.decode(name, &value, library.Detail{Field: name, Code: validation.CodeNotNumber, Message: "must be a whole number"})
	return int(value)
}

// Positive is a number from 1 to most, 0 when the member is absent.
func (f *Fields) Positive(name string, most int) int {
	n := f.Integer(name, 1)
	switch {
	case !f.Has(name):
		return 0
	case n < 1 || n > most:
		f.Refuse(validation.OutOfRange(name, 1, most))
	}
	return n
}

// Integers returns what is to be otherwise when the member is absent.
func (f *Fields) Integers(name string, otherwise []int) []int {
	notNumbers := library.Detail{Field: name, Code: validation.CodeNotNumbers, Message: "must be an array of whole numbers"}
	var values []wholeNumber
	if !f.decode(name, &values, notNumbers) || values == nil {
		return otherwise
	}
	numbers := make([]int, len(values))
	for i, n := range values {
		numbers[i] = int(n)
	}
	return numbers
}

// wholeNumber is a number of JSON without a fraction, however it is written.
// Numbers beyond every limit of ours are cut, so that they fit.
type wholeNumber int

func (n *wholeNumber) UnmarshalJSON(text []byte) error {
	const largest = 1 << 30
	var v float64
	if string(text) == "null" || json.Unmarshal(text, &v) != nil || v != math.Trunc(v) {
		return errNotWhole
	}
	*n = wholeNumber(max(-largest, min(largest, v)))
	return nil
}

var errNotWhole = errors.New("not a whole number")

// NotUUID is about an identifier that is none.
func NotUUID(name string) library.Detail {
	return library.Detail{Field: name, Code: validation.CodeNotUUID, Message: "is not a UUID of 36 characters"}
}

// Identifier is that of the record itself, "" when it is absent.
func (f *Fields) Identifier() string { return f.Reference("identifier") }

// Reference is the identifier of a record, "" when the member is absent.
func (f *Fields) Reference(name string) string { return f.parse(name, library.ParseID, NotUUID) }

// Code is a barcode, "" when the member is absent.
func (f *Fields) Code(name string) string {
	trim := func(s string) (string, bool) { s = strings.TrimSpace(s); return s, library.IsCode(s) }
	return f.parse(name, trim, validation.NotACode)
}

// parse is text in a form that it must have.
func (f *Fields) parse(name string, parse func(string) (string, bool), otherwise func(name string) library.Detail) string {
	if !f.Has(name) {
		return ""
	}
	before := len(f.wrong)
	value, ok := parse(f.Text(name))
	if !ok && len(f.wrong) == before {
		f.Refuse(otherwise(name))
	}
	return value
}

func (f *Fields) decode(name string, into any, otherwise library.Detail) bool {
	if f.Has(name) && json.Unmarshal(f.members[name], into) != nil {
		f.Refuse(otherwise)
		return false
	}
	return true
}

// Err is everything that is wrong with the body: what is of the wrong type, and
// what the rules say about the rest.
func (f *Fields) Err(ruled []library.Detail) error {
	wrong := f.wrong
	for _, d := range ruled {
		named := func(w library.Detail) bool { return w.Field == d.Field }
		if !slices.ContainsFunc(f.wrong, named) {
			wrong = append(wrong, d)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return library.InvalidFields(wrong...)
}

// MustBe refuses a body that is about another record than the path.
func (f *Fields) MustBe(id string) {
	if given := f.Identifier(); given != "" && given != id {
		f.Refuse(library.Detail{Field: "identifier", Code: validation.CodeOtherThanPath, Message: "is not the one in the path"})
	}
}

// TextByName is an object of texts; null among them is none.
func (f *Fields) TextByName(name string) map[string]string {
	var values map[string]string
	f.decode(name, &values, library.Detail{Field: name, Code: validation.CodeMalformed, Message: "must be an object of strings"})
	return values
}

// Weekdays are days of the week by their names. The rules are against those that
// are not one.
func (f *Fields) Weekdays(name string) []time.Weekday {
	words := f.Texts(name)
	days := make([]time.Weekday, len(words))
	for i, word := range words {
		day, ok := calendar.ParseWeekday(word)
		if days[i] = day; !ok {
			days[i] = -1
		}
	}
	return days
}

// Dates are days of the calendar. The rules are against what is not one.
func (f *Fields) Dates(name string) []library.Date {
	texts := f.Texts(name)
	dates := make([]library.Date, len(texts))
	for i, text := range texts {
		dates[i], _ = calendar.ParseDate(text)
	}
	return dates
}

// shorten cuts a name that is untrusted input to what a person would read.
func shorten(name string) string {
	const longest = 64
	if utf8.RuneCountInString(name) <= longest {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return strings.ToValidUTF8(string([]rune(name)[:longest]), "\uFFFD") + "…"
}
