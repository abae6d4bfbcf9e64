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

// DuplicateMember returns the mistake of a member given more than once.
func DuplicateMember(err *strictjson.DuplicateError) library.Detail {
	return library.Detail{Field: shorten(err.Name), Code: validation.CodeDuplicate, Message: "is there twice"}
}

// Fields takes known members out of a JSON object, by their exact names, and
// collects those of a wrong type. Other members are ignored.
type Fields struct {
	members map[string]json.RawMessage
	wrong   []library.Detail
	prefix  string // of the names in wrong, for an object inside another
}

// NewFields reads the members of an object.
func NewFields(members map[string]json.RawMessage) Fields { return Fields{members: members} }

// Refuse adds a mistake.
func (f *Fields) Refuse(d library.Detail) {
	d.Field = f.prefix + d.Field
	f.wrong = append(f.wrong, d)
}

// Optional returns nil when the member is absent.
func Optional[T any](f *Fields, name string, read func(name string, otherwise T) T) *T {
	if !f.Has(name) {
		return nil
	}
	return new(read(name, *new(T)))
}

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

// Word returns text from a list of words, without the white space around it.
func (f *Fields) Word(name string) string { return strings.TrimSpace(f.Text(name)) }

// Label returns what a scanner has read, without the white space around it. It must be there, and may be any text.
func (f *Fields) Label(name string) string {
	before := len(f.wrong)
	text := f.Word(name)
	if text == "" && len(f.wrong) == before {
		f.Refuse(validation.Required(name))
	}
	return text
}

func (f *Fields) Boolean(name string, otherwise bool) bool {
	value := otherwise
	f.decode(name, &value, notBoolean(name))
	return value
}

// Flag returns a value that is true or false and nothing else, and whether it is absent.
func (f *Fields) Flag(name string) (value, isAbsent bool) {
	raw, given := f.members[name]
	if given && string(raw) == "null" {
		f.Refuse(notBoolean(name))
	}
	return f.Boolean(name, false), !given
}

func notBoolean(name string) library.Detail {
	return library.Detail{Field: name, Code: validation.CodeNotBoolean, Message: "must be true or false"}
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

// Integers returns otherwise when the member is absent.
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
// Numbers beyond every limit of ours are cut, to fit.
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

// NotUUID returns the mistake of a malformed identifier.
func NotUUID(name string) library.Detail {
	return library.Detail{Field: name, Code: validation.CodeNotUUID, Message: "is not a UUID of 36 characters"}
}

// Identifier returns the identifier of the record itself, "" when it is absent.
func (f *Fields) Identifier() string { return f.Reference("identifier") }

// Reference is the identifier of a record, "" when the member is absent.
func (f *Fields) Reference(name string) string { return f.parse(name, library.ParseID, NotUUID) }

// Code is a barcode, "" when the member is absent.
func (f *Fields) Code(name string) string {
	trim := func(s string) (string, bool) { s = strings.TrimSpace(s); return s, library.IsCode(s) }
	return f.parse(name, trim, validation.NotACode)
}

// Date is a day of the calendar, zero when the member is absent.
func (f *Fields) Date(name string) (day library.Date) {
	f.parse(name, func(text string) (_ string, ok bool) {
		day, ok = calendar.ParseDate(strings.TrimSpace(text))
		return "", ok
	}, validation.NotADate)
	return day
}

// parse returns text of a required form.
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

// Name is text of at most limit characters, without the white space around it.
func (f *Fields) Name(name string, limit int) string {
	value := f.Word(name)
	if utf8.RuneCountInString(value) > limit {
		f.Refuse(validation.TooLong(name, limit))
	}
	return value
}

// IsFalse reports whether a member is false.
func (f *Fields) IsFalse(name string) bool { return string(f.members[name]) == "false" }

// ExactlyOne refuses a body that has none of the members, or several.
func (f *Fields) ExactlyOne(names ...string) {
	given := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !f.Has(name) })
	if len(given) == 0 {
		f.Refuse(library.Detail{Field: names[0], Code: validation.CodeRequired, Message: "is required, or " + strings.Join(names[1:], " or ") + " in its place"})
	}
	if len(given) < 2 {
		return
	}
	last := len(names) - 1
	for _, name := range given {
		f.Refuse(library.Detail{Field: name, Code: validation.CodeTooMany, Limit: 1,
			Message: "is not all that is given; only one of " + strings.Join(names[:last], ", ") + " and " + names[last] + " may be"})
	}
}

func (f *Fields) decode(name string, into any, otherwise library.Detail) bool {
	if f.Has(name) && json.Unmarshal(f.members[name], into) != nil {
		f.Refuse(otherwise)
		return false
	}
	return true
}

// Err returns all mistakes in the body: values of a wrong type, and violations of the rules by the rest.
func (f *Fields) Err(ruled []library.Detail) error {
	wrong := f.wrong
	for _, d := range ruled {
		named := func(w library.Detail) bool { return w.Field == d.Field || strings.HasPrefix(d.Field, w.Field+".") }
		if !slices.ContainsFunc(f.wrong, named) {
			wrong = append(wrong, d)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return library.InvalidFields(wrong...)
}

// MustBe refuses a body about another record than the path.
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

// Weekdays are days of the week by their names. The rules refuse other words.
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

// Dates are days of the calendar. The rules refuse other texts.
func (f *Fields) Dates(name string) []library.Date {
	texts := f.Texts(name)
	dates := make([]library.Date, len(texts))
	for i, text := range texts {
		dates[i], _ = calendar.ParseDate(text)
	}
	return dates
}

// shorten cuts a name of untrusted input to a readable length.
func shorten(name string) string {
	const longest = 64
	if utf8.RuneCountInString(name) <= longest {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return strings.ToValidUTF8(string([]rune(name)[:longest]), "\uFFFD") + "…"
}
