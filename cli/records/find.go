// Package records is how the commands name, find, show and explain the records of
// a library: books, copies, loans, holds and readers.
//
// Start reading at Finder.Find: it tries the meanings of a name in their order.
// Calendar puts dates into words, and Matter says why something cannot be lent.
package records

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/fulltext"
)

// Finder finds the one record meant by a person. A record is named by its identifier,
// by a number or address of its own, by its title or name, by the number of a card, by
// the beginning of its identifier, or by words found in no other record.
type Finder[T any] struct {
	Noun string // "book"
	Hint string // advice when nothing is found
	Sure string // the ways to name a record beyond doubt

	Precision Precision

	ID     func(T) string
	Names  func(T) []string                                            // its title, or its name in several forms
	Get    func(ctx context.Context, id string) (T, error)             // by identifier
	Number func(ctx context.Context, name string) ([]T, error)         // by ISBN or e-mail address; nil if there is no such thing
	Search func(ctx context.Context, words string) iter.Seq2[T, error] // by words in it
	Late   func(ctx context.Context, name string) ([]T, error)         // by a mark with a slow search
	Near   func(ctx context.Context, start string) iter.Seq2[T, error] // at least all with this start of the identifier
	Offer  func(choices []T) error                                     // shows the records the name could mean

	NumberOnly func(name string) bool // the name is an address and nothing else, even if it is nobody's
}

// Precision is how well a name has to fit. After a wrong guess a person can look
// again, but should not find out only afterwards which record they have changed.
type Precision int

const (
	Anywhere Precision = iota // words anywhere in the record are enough
	Called                    // they have to be in its title or name
	Exactly                   // and be all of it
)

// Only returns a finder of this precision.
func (f *Finder[T]) Only(p Precision) *Finder[T] {
	other := *f
	other.Precision = p
	return &other
}

// Limits of looking for a name.
const (
	MaxSearched = 5_000
	maxWalked   = 20_000
	MaxChoices  = 10
)

// Matches are the records for a name.
type Matches[T any] struct {
	Found []T
	more  bool // there may be others
}

func (m *Matches[T]) add(item T) {
	if len(m.Found) > MaxChoices {
		m.more = true
		return
	}
	m.Found = append(m.Found, item)
}

// Find returns the one record meant by the name. It tries one rule after the
// other; the first one to find something decides.
func (f *Finder[T]) Find(ctx context.Context, name string) (T, error) {
	var none T
	name = strings.TrimSpace(name)
	if strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
		return none, f.unreadable()
	}
	if id, is := library.ParseID(name); is {
		found, err := f.Get(ctx, id)
		if command.ExitCode(err) == command.ExitNotFound {
			return none, f.missing(name)
		}
		return found, err
	}
	for _, rule := range f.rules(ctx, name) {
		m, err := rule()
		switch {
		case err != nil:
			return none, err
		case len(m.Found) == 1 && !m.more:
			return m.Found[0], nil
		case len(m.Found) > 0:
			return none, f.Several(name, m)
		case f.NumberOnly != nil && f.NumberOnly(name):
			return none, f.missing(name)
		}
	}
	return none, f.missing(name)
}

// unreadable returns the error for a name no record can have: it was pasted, with more
// than its letters.
func (f *Finder[T]) unreadable() error {
	what := "name of the " + f.Noun
	if f.Noun == "book" {
		what = "title"
	}
	return command.Fail(command.ExitNotFound, "The %s has characters that cannot be typed, such as escape codes.", what)
}

// rules returns the ways to understand a name, in the order in which they are tried.
func (f *Finder[T]) rules(ctx context.Context, name string) []func() (Matches[T], error) {
	var elsewhere Matches[T] // found by words, and taken only if nothing else is
	return []func() (Matches[T], error){
		func() (Matches[T], error) { return matches(ctx, name, f.Number) },
		func() (Matches[T], error) {
			exact, partly, other, err := f.ByWords(ctx, name)
			if f.Precision == Anywhere {
				elsewhere = other
			}
			if len(exact.Found) > 0 || f.Precision == Exactly {
				return exact, err
			}
			return partly, err
		},
		func() (Matches[T], error) { return matches(ctx, name, f.Late) },
		func() (Matches[T], error) { return f.byBeginning(ctx, name) },
		func() (Matches[T], error) { return elsewhere, nil },
	}
}

// matches returns the records with a number. Where records have none, look is nil.
func matches[T any](ctx context.Context, name string, look func(context.Context, string) ([]T, error)) (Matches[T], error) {
	if look == nil {
		return Matches[T]{}, nil
	}
	found, err := look(ctx, name)
	return Matches[T]{Found: found}, err
}

// FindUnasked is like Find, for a command without a way to undo it. With yes nobody is asked, so
// nobody sees the record before it is too late: the name has to be exact then.
func (f *Finder[T]) FindUnasked(ctx context.Context, name string, yes bool) (T, error) {
	if !yes {
		return f.Find(ctx, name)
	}
	found, err := f.Only(Exactly).Find(ctx, name)
	if command.ExitCode(err) != command.ExitNotFound {
		return found, err
	}
	_, like, elsewhere, failed := f.ByWords(ctx, strings.TrimSpace(name))
	if failed != nil {
		return found, failed
	}
	like.Found = append(like.Found, elsewhere.Found...)
	if len(like.Found) == 0 {
		return found, err
	}
	if err := f.Offer(like.Found[:min(len(like.Found), MaxChoices)]); err != nil {
		return found, err
	}
	return found, command.Fail(command.ExitNotFound, "There is no %s %s, only similar ones. With --yes, give %s.", f.Noun, command.Quote(name), f.Sure)
}

// ByWords searches for the words of the name. It returns the records with exactly this title or
// name, then the others with all the words in it, and last the records with words elsewhere.
func (f *Finder[T]) ByWords(ctx context.Context, name string) (exact, partly, elsewhere Matches[T], err error) {
	wanted, words := sameSpelling(name), fulltext.Words(name)
	seen := 0
	for item, err := range f.Search(ctx, name) {
		if err != nil {
			return exact, partly, elsewhere, err
		}
		if seen++; seen > MaxSearched {
			partly.more, elsewhere.more = true, true
			break
		}
		names := f.Names(item)
		switch {
		case slices.ContainsFunc(names, func(n string) bool { return sameSpelling(n) == wanted }):
			exact.add(item)
		case len(words) == 0: // a name without a letter is meant as it is
		case begin(words, fulltext.Index(names...)):
			partly.add(item)
		default:
			elsewhere.add(item)
		}
	}
	return exact, partly, elsewhere, nil
}

// byBeginning looks for the beginning of an identifier.
func (f *Finder[T]) byBeginning(ctx context.Context, name string) (Matches[T], error) {
	var m Matches[T]
	start, is := library.ParseIDStart(hyphenated(name))
	if !is {
		return m, nil
	}
	walked := 0
	for item, err := range f.Near(ctx, start) {
		if err != nil {
			return m, err
		}
		if walked++; walked > maxWalked {
			m.more = true
			break
		}
		if strings.HasPrefix(f.ID(item), start) {
			m.add(item)
		}
	}
	return m, nil
}

// hyphenated puts the hyphens of an identifier in their places, wherever a person
// has left them out.
func hyphenated(start string) string {
	var b strings.Builder
	for i, digit := range strings.ReplaceAll(start, "-", "") {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			b.WriteByte('-')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

func (f *Finder[T]) missing(name string) error {
	return command.Fail(command.ExitNotFound, "There is no %s %s. %s", f.Noun, command.Quote(name), f.Hint)
}

// Several shows the records for an ambiguous name, and returns the error.
func (f *Finder[T]) Several(name string, m Matches[T]) error {
	if err := f.Offer(m.Found[:min(len(m.Found), MaxChoices)]); err != nil {
		return err
	}
	return command.Fail(command.ExitFailed, "%s matches more than one %s. Write more of it, or give the identifier.", command.Quote(name), f.Noun)
}

// sameSpelling returns equal texts for names a person takes for the same.
func sameSpelling(name string) string {
	return strings.Join(strings.Fields(fulltext.Fold(name)), " ")
}

// begin reports whether each of the words begins one of the others.
func begin(words, others []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(o, w) }) {
			return false
		}
	}
	return true
}

// Fits reports whether a search for the terms hits a record with these words,
// as the service would say.
func Fits(terms []library.Term, words []string) bool {
	for _, t := range terms {
		if !begin(t.Words, words) && (t.Number == "" || !begin([]string{t.Number}, words)) {
			return false
		}
	}
	return true
}

// errNoRecord is the error of a finder's Get if the service is not asked.
var errNoRecord = &client.Error{Status: http.StatusNotFound, Code: library.ErrBookNotFound.Code, Message: "there is no such record"}
