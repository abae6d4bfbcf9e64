package httpapi

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
	"example.org/library/internal/isbn"
	"example.org/library/internal/validation"
)

// Limits of a search, so that one request cannot ask for everything at once.
const (
	maxQuestion = 1000 // code points
	maxWords    = 32   // after splitting at punctuation: each is looked up
)

// query takes known parameters out of a query string and collects what is
// wrong with them. An unknown parameter is an error, too: it is more often a
// misspelt filter than a harmless extra.
type query struct {
	values url.Values
	wrong  []library.Detail
}

func (x *exchange) query() *query {
	values, err := url.ParseQuery(x.r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.complain("query", validation.CodeMalformed, "is not a well-formed query string")
	}
	return q
}

func (q *query) complain(name string, code validation.DetailCode, message string) {
	q.wrong = append(q.wrong, library.Detail{Field: name, Code: code, Message: message})
}

// outside is complain about a number that a rule names.
func (q *query) outside(name string, code validation.DetailCode, limit int, format string) {
	q.wrong = append(q.wrong, library.Detail{Field: name, Code: code, Message: fmt.Sprintf(format, limit), Limit: limit})
}

// take removes a parameter and returns its one value.
func (q *query) take(name string) (value string, given bool) {
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

// text is free text; blank text counts as absent.
func (q *query) text(name string) string {
	value, _ := q.take(name)
	value = strings.TrimSpace(value)
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		q.complain(name, validation.CodeNotText, "contains characters that are not text")
	case utf8.RuneCountInString(value) > maxQuestion:
		q.wrong = append(q.wrong, validation.TooLong(name, maxQuestion))
	default:
		return value
	}
	return ""
}

func (q *query) terms(name string) []library.Term { return q.words(name, q.text(name)) }

// people are found by words or by a card. It returns the question as well.
func (q *query) people(name string) (library.UserQuery, string) {
	question := q.text(name)
	return library.UserQuery{Terms: q.words(name, question), Cards: library.CardsLike(question)}, question
}

func (q *query) words(name, question string) []library.Term {
	terms := library.ParseTerms(question)
	words := 0
	for _, t := range terms {
		words += len(t.Words)
	}
	if words > maxWords {
		q.outside(name, validation.CodeTooMany, maxWords, "has more than %d words")
		return nil
	}
	return terms
}

func (q *query) isbn(name string) string {
	value := q.text(name)
	if utf8.RuneCountInString(value) > library.MaxISBN {
		q.wrong = append(q.wrong, validation.TooLong(name, library.MaxISBN))
		return ""
	}
	key := isbn.Key(value)
	if value != "" && key == "" {
		q.complain(name, validation.CodeNotISBN, "is not an ISBN")
	}
	return key
}

// group is that of a user.
func (q *query) group(name string) string {
	value := q.text(name)
	if utf8.RuneCountInString(value) > library.MaxGroup {
		q.wrong = append(q.wrong, validation.TooLong(name, library.MaxGroup))
	}
	return value
}

func (q *query) idStart(name string) string {
	value := q.text(name)
	start, ok := library.ParseIDStart(value)
	if value != "" && !ok {
		q.outside(name, validation.CodeNotIDStart, library.MinIDStart, "must be the beginning of an identifier, %d characters or more")
	}
	return start
}

func (q *query) boolean(name string) *bool {
	value, given := q.take(name)
	if !given {
		return nil
	}
	if value != "true" && value != "false" {
		q.complain(name, validation.CodeNotBoolean, "must be true or false")
		return nil
	}
	return new(value == "true")
}

// flag is a boolean that is false when it is not given.
func (q *query) flag(name string) bool {
	value := q.boolean(name)
	return value != nil && *value
}

// identifier is that of a record, "" if it is not given.
func (q *query) identifier(name string) string {
	value, given := q.take(name)
	if !given {
		return ""
	}
	id, ok := library.ParseID(value)
	if !ok {
		q.wrong = append(q.wrong, notUUID(name))
	}
	return id
}

// code is a barcode or the number of a card.
func (q *query) code(name string) string {
	value := q.text(name)
	if value != "" && !library.IsCode(value) {
		q.wrong = append(q.wrong, validation.NotACode(name))
	}
	return value
}

func (q *query) date(name string) *library.Date {
	value, given := q.take(name)
	if !given {
		return nil
	}
	date, ok := calendar.ParseDate(value)
	if !ok {
		q.wrong = append(q.wrong, validation.NotADate(name))
	}
	return &date
}

// choice is one of the words of a list, "" if none is given.
func choice[W ~string](q *query, name string, words []W) W {
	value, given := q.take(name)
	if given && !slices.Contains(words, W(value)) {
		all := each(words, func(w W) string { return string(w) })
		q.complain(name, validation.CodeUnknownValue, "must be one of "+strings.Join(all, ", "))
	}
	return W(value)
}

func (q *query) order(name string) library.Order {
	value, given := q.take(name)
	if !given {
		return library.ByTitle
	}
	if value != string(library.ByRelevance) && !slices.Contains(library.Orders, library.Order(value)) {
		q.complain(name, validation.CodeUnknownValue, "must be title, -title, created, -created, published, -published or relevance")
	}
	return library.Order(value)
}

// language is the code of a language, as books have it.
func (q *query) language(name string) string {
	value := q.text(name)
	code := library.LanguageCode(value)
	if value != "" && code == "" {
		q.complain(name, validation.CodeUnknownValue, "is not a language of ISO 639, such as en or deu")
	}
	return code
}

// subject is the key of a whole subject, or of a series.
func (q *query) subject(name string, most int) string {
	value := q.text(name)
	if utf8.RuneCountInString(value) > most {
		q.wrong = append(q.wrong, validation.TooLong(name, most))
	}
	if key := library.SubjectKey(value); key != "" {
		return key
	}
	return value // nothing but accents: no book has it, since keys have none
}

// subjects are the keys of a parameter that may be given several times.
func (q *query) subjects(name string) (keys []string) {
	given := q.values[name]
	if len(given) > library.MaxSubjects {
		delete(q.values, name)
		q.wrong = append(q.wrong, validation.TooMany(name, library.MaxSubjects))
		return nil
	}
	for _, value := range given {
		q.values[name] = []string{value}
		if key := q.subject(name, library.MaxSubject); key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (q *query) limit(name string) int { return q.number(name, library.MaxPage) }

// number is a number from 1 to most, 0 if it is not given.
func (q *query) number(name string, most int) int {
	value, given := q.take(name)
	if !given {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != value {
		q.wrong = append(q.wrong, validation.OutOfRange(name, 1, most))
	}
	return n
}

func (q *query) cursor(name string, order library.Order) *library.Cursor {
	value, given := q.take(name)
	if !given {
		return nil
	}
	c, ok := library.ParseCursor(value, order)
	if !ok {
		q.complain(name, validation.CodeNotCursor, "is not a cursor that this list gave; start again without it")
	}
	return c
}

// err is to be called after every known parameter has been taken.
func (q *query) err() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		q.complain(shorten(name), validation.CodeUnknownParameter, "is not a parameter of this path")
	}
	return q.refusal()
}

// judged is the error of a call, as one about the query if that is what the rules
// are against.
func (q *query) judged(err error) error {
	ruled, ok := errors.AsType[*library.Error](err)
	if !ok || ruled.Kind != library.Invalid {
		return err
	}
	q.wrong = ruled.Details
	return q.refusal()
}

func (q *query) refusal() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return badRequest(codeBadQuery, "The query is not valid: "+q.wrong[0].Field+" "+q.wrong[0].Message+".", q.wrong...)
}

// shorten cuts a name that is untrusted input to what a person would read.
func shorten(name string) string {
	const longest = 64
	if utf8.RuneCountInString(name) <= longest {
		return strings.ToValidUTF8(name, "\uFFFD")
	}
	return strings.ToValidUTF8(string([]rune(name)[:longest]), "\uFFFD") + "…"
}
