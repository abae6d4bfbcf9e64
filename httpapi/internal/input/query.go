// Package input reads requests: the parameters of a query string ([Query]) and the members
// of a JSON object ([Fields]). A handler takes its values by name and kind, and asks for the
// error once, at the end: it names all mistakes, not only the first.
package input

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/internal/validation"
)

// Query takes known parameters out of a query string and collects their mistakes. An unknown parameter is an error,
// too: it is more often a misspelt filter than a harmless extra.
type Query struct {
	values url.Values
	wrong  []library.Detail
}

// ParseQuery reads a query string as it was received.
func ParseQuery(raw string) *Query {
	values, err := url.ParseQuery(strings.Replace(raw, "separator=;", "separator=%3B", 1)) // which people write as it is
	q := &Query{values: values}
	if err != nil {
		q.complain("query", validation.CodeMalformed, "is not a well-formed query string")
	}
	return q
}

// Has reports whether a parameter is given and was not taken yet.
func (q *Query) Has(name string) bool { return q.values.Has(name) }

// Refuse adds a mistake.
func (q *Query) Refuse(d library.Detail) { q.wrong = append(q.wrong, d) }

// Require refuses an empty value, unless its parameter was refused already.
func (q *Query) Require(name, value string) {
	if value == "" && !slices.ContainsFunc(q.wrong, func(d library.Detail) bool { return d.Field == name }) {
		q.Refuse(validation.Required(name))
	}
}

func (q *Query) complain(name string, code validation.DetailCode, message string) {
	q.Refuse(library.Detail{Field: name, Code: code, Message: message})
}

// outside is complain with the number of a rule.
func (q *Query) outside(name string, code validation.DetailCode, limit int, format string) {
	q.Refuse(library.Detail{Field: name, Code: code, Message: fmt.Sprintf(format, limit), Limit: limit})
}

// Take removes a parameter and returns its one value.
func (q *Query) Take(name string) (value string, given bool) {
	values := q.values[name]
	delete(q.values, name)
	if len(values) > 1 {
		q.complain(name, validation.CodeDuplicate, "is given more than once")
	}
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

// Text is free text; blank text counts as absent.
func (q *Query) Text(name string) string {
	value, _ := q.Take(name)
	value = strings.TrimSpace(value)
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		q.complain(name, validation.CodeNotText, "contains characters that are not text")
	case utf8.RuneCountInString(value) > maxQuestion:
		q.Refuse(validation.TooLong(name, maxQuestion))
	default:
		return value
	}
	return ""
}

// Name returns the name of a group or a category, of at most limit characters.
func (q *Query) Name(name string, limit int) string {
	value := q.Text(name)
	if utf8.RuneCountInString(value) > limit {
		q.Refuse(validation.TooLong(name, limit))
	}
	return value
}

// Shelf returns a shelf, "" if it is not given. A blank one is refused.
func (q *Query) Shelf(name string) string {
	isGiven := q.Has(name)
	value := q.Text(name)
	if isGiven {
		q.Require(name, value)
	}
	if utf8.RuneCountInString(value) > library.MaxShelf {
		q.Refuse(validation.TooLong(name, library.MaxShelf))
	}
	return value
}

// Boolean is nil if it is not given.
func (q *Query) Boolean(name string) *bool {
	value, given := q.Take(name)
	if !given {
		return nil
	}
	if value != "true" && value != "false" {
		q.complain(name, validation.CodeNotBoolean, "must be true or false")
		return nil
	}
	return new(value == "true")
}

// Flag returns a boolean, false when it is not given.
func (q *Query) Flag(name string) bool {
	value := q.Boolean(name)
	return value != nil && *value
}

// Identifier returns the identifier of a record, "" if it is not given.
func (q *Query) Identifier(name string) string {
	value, given := q.Take(name)
	if !given {
		return ""
	}
	id, ok := library.ParseID(value)
	if !ok {
		q.Refuse(NotUUID(name))
	}
	return id
}

// Code is a barcode or the number of a card.
func (q *Query) Code(name string) string {
	value := q.Text(name)
	if value != "" && !library.IsCode(value) {
		q.Refuse(validation.NotACode(name))
	}
	return value
}

// Date is nil if it is not given.
func (q *Query) Date(name string) *library.Date {
	value, given := q.Take(name)
	if !given {
		return nil
	}
	date, ok := calendar.ParseDate(value)
	if !ok {
		q.Refuse(validation.NotADate(name))
	}
	return &date
}

// Days are the first and the last day of a time, both included; nil if they are not given.
func (q *Query) Days(first, last string) (from, to *library.Date) {
	from, to = q.Date(first), q.Date(last)
	if from != nil && to != nil && to.Compare(*from) < 0 {
		q.complain(last, validation.CodeBeforeFrom, "is before the first day")
	}
	return from, to
}

// Choice is one of the words of a list, "" if none is given.
func Choice[W ~string](q *Query, name string, words []W) W {
	value, given := q.Take(name)
	if given && !slices.Contains(words, W(value)) {
		all := make([]string, len(words))
		for i, w := range words {
			all[i] = string(w)
		}
		q.complain(name, validation.CodeUnknownValue, "must be one of "+strings.Join(all, ", "))
	}
	return W(value)
}

// Number is a number from 1 to most, 0 if it is not given.
func (q *Query) Number(name string, most int) int {
	value, given := q.Take(name)
	if !given {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != value {
		q.Refuse(validation.OutOfRange(name, 1, most))
	}
	return n
}

// Err is to be called after every known parameter has been taken.
func (q *Query) Err() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		q.complain(shorten(name), validation.CodeUnknownParameter, "is not a parameter of this path")
	}
	return q.refusal()
}

// Judged returns the error of a call, as one about the query if the query broke a rule.
func (q *Query) Judged(err error) error {
	ruled, ok := errors.AsType[*library.Error](err)
	if !ok || ruled.Kind != library.Invalid {
		return err
	}
	q.wrong = ruled.Details
	return q.refusal()
}

func (q *Query) refusal() error {
	if len(q.wrong) == 0 {
		return nil
	}
	message := "The query is not valid: " + q.wrong[0].Field + " " + q.wrong[0].Message + "."
	return &Error{Code: codeBadQuery, Message: message, Details: q.wrong}
}

// Error describes an unreadable request. The caller gets 400, and all of it.
type Error struct {
	Code    string
	Message string
	Details []library.Detail
}

func (e *Error) Error() string { return e.Message }

const codeBadQuery = "bad_query"
