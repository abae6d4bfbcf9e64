package input

import (
	"slices"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/internal/validation"
)

// Limits of a search, so that one request cannot ask for everything at once.
const (
	maxQuestion = 1000 // code points
	maxWords    = 32   // after splitting at punctuation: each is looked up
)

// Terms are the words of a parameter.
func (q *Query) Terms(name string) []library.Term { return q.Words(name, q.Text(name)) }

// People are found by words or by a card. It returns the question as well.
func (q *Query) People(name string) (library.UserQuery, string) {
	question := q.Text(name)
	return library.UserQuery{Terms: q.Words(name, question), Cards: library.CardsLike(question)}, question
}

// Words returns the words of a question, taken from the parameter name before. More than maxWords are refused.
func (q *Query) Words(name, question string) []library.Term {
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

func (q *Query) ISBN(name string) string {
	value := q.Text(name)
	if utf8.RuneCountInString(value) > library.MaxISBN {
		q.Refuse(validation.TooLong(name, library.MaxISBN))
		return ""
	}
	key := isbn.Key(value)
	if value != "" && key == "" {
		q.complain(name, validation.CodeNotISBN, "is not an ISBN")
	}
	return key
}

// IDStart is the beginning of an identifier.
func (q *Query) IDStart(name string) string {
	value := q.Text(name)
	start, ok := library.ParseIDStart(value)
	if value != "" && !ok {
		q.outside(name, validation.CodeNotIDStart, library.MinIDStart, "must be the beginning of an identifier, %d characters or more")
	}
	return start
}

func (q *Query) Order(name string) library.Order {
	value, given := q.Take(name)
	if !given {
		return library.ByTitle
	}
	if value != string(library.ByRelevance) && !slices.Contains(library.Orders, library.Order(value)) {
		q.complain(name, validation.CodeUnknownValue, "must be title, -title, created, -created, published, -published or relevance")
	}
	return library.Order(value)
}

// Language is the code of a language, as books have it.
func (q *Query) Language(name string) string {
	value := q.Text(name)
	code := library.LanguageCode(value)
	if value != "" && code == "" {
		q.complain(name, validation.CodeUnknownValue, "is not a language of ISO 639, such as en or deu")
	}
	return code
}

// Subject is the key of a whole subject, or of a series.
func (q *Query) Subject(name string, most int) string {
	value := q.Text(name)
	if utf8.RuneCountInString(value) > most {
		q.Refuse(validation.TooLong(name, most))
	}
	if key := library.SubjectKey(value); key != "" {
		return key
	}
	return value // nothing but accents: no book has it, since keys have none
}

// Subjects returns the keys of a parameter with any number of values.
func (q *Query) Subjects(name string) (keys []string) {
	given := q.values[name]
	if len(given) > library.MaxSubjects {
		delete(q.values, name)
		q.Refuse(validation.TooMany(name, library.MaxSubjects))
		return nil
	}
	for _, value := range given {
		q.values[name] = []string{value}
		if key := q.Subject(name, library.MaxSubject); key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func (q *Query) Limit(name string) int { return q.Number(name, library.MaxPage) }

// Cursor returns the beginning of a page; nil for the beginning of the list.
func (q *Query) Cursor(name string, order library.Order) *library.Cursor {
	value, given := q.Take(name)
	if !given {
		return nil
	}
	c, ok := library.ParseCursor(value, order)
	if !ok {
		q.complain(name, validation.CodeNotCursor, "is not a cursor that this list gave; start again without it")
	}
	return c
}
