// Package records is how the commands name, find, show and explain the records of
// a library: books, copies, loans, holds and readers.
//
// Start reading at Finder.Find, which says in which order a name is understood.
// Calendar puts dates into words, and Matter says why something cannot be lent.
package records

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/fulltext"
)

// Finder finds the one record that a person means. A record is named by its
// identifier, by a number or address of its own, by what it is called, by the number
// of a card, by the beginning of its identifier, or by words that occur in it alone.
type Finder[T any] struct {
	Noun string // "book"
	Hint string // what to do when nothing is found
	Sure string // what names a record beyond doubt

	Precision Precision

	ID     func(T) string
	Names  func(T) []string                                            // what it is called
	Get    func(ctx context.Context, id string) (T, error)             // by identifier
	Number func(ctx context.Context, name string) ([]T, error)         // by ISBN or e-mail address; none if the name is no such thing
	Search func(ctx context.Context, words string) iter.Seq2[T, error] // by words that occur in it
	Late   func(ctx context.Context, name string) ([]T, error)         // by a mark that takes long to look for; may be nil
	Near   func(ctx context.Context, start string) iter.Seq2[T, error] // at least all whose identifier begins so
	Offer  func(choices []T) error                                     // shows what the name could mean

	NumberOnly func(name string) bool // the name is an address and nothing else, even if it is nobody's
}

// Precision is how well a name has to fit. Who only looks can look again; who
// changes something should not find out afterwards what.
type Precision int

const (
	anywhere Precision = iota // words that occur in the record are enough
	Called                    // they have to occur in what it is called
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

// Matches are the records that a name fits.
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

// Find returns the one record that the name means. One rule after the other is
// tried; the first that finds something decides.
func (f *Finder[T]) Find(ctx context.Context, name string) (T, error) {
	var none T
	name = strings.TrimSpace(name)
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
		case f.NumberOnly(name):
			return none, f.missing(name)
		}
	}
	return none, f.missing(name)
}

// rules are the ways to understand a name, in the order in which they are tried.
func (f *Finder[T]) rules(ctx context.Context, name string) []func() (Matches[T], error) {
	var elsewhere Matches[T] // found by words, and taken only if nothing else is
	return []func() (Matches[T], error){
		func() (Matches[T], error) {
			found, err := f.Number(ctx, name)
			return Matches[T]{Found: found}, err
		},
		func() (Matches[T], error) {
			exact, partly, other, err := f.ByWords(ctx, name)
			if f.Precision == anywhere {
				elsewhere = other
			}
			if len(exact.Found) > 0 || f.Precision == Exactly {
				return exact, err
			}
			return partly, err
		},
		func() (Matches[T], error) {
			if f.Late == nil {
				return Matches[T]{}, nil
			}
			found, err := f.Late(ctx, name)
			return Matches[T]{Found: found}, err
		},
		func() (Matches[T], error) { return f.byBeginning(ctx, name) },
		func() (Matches[T], error) { return elsewhere, nil },
	}
}

// FindUnasked is find for a command that does something that cannot be undone.
// Where nobody is asked, nobody sees what a name was taken for: it has to be
// exact then.
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

// ByWords looks for the words of the name. What is called exactly so comes
// first, then what has all the words in what it is called. The last are those
// in which the words occur elsewhere.
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

// hyphenated puts the hyphens where the form of an identifier has them, wherever
// a person has left them out.
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

// Several is the error for a name that fits several records. It shows them.
func (f *Finder[T]) Several(name string, m Matches[T]) error {
	if err := f.Offer(m.Found[:min(len(m.Found), MaxChoices)]); err != nil {
		return err
	}
	return command.Fail(command.ExitFailed, "%s matches more than one %s. Write more of it, or give the identifier.", command.Quote(name), f.Noun)
}

// sameSpelling is equal for names that a person takes for the same.
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

// errNoRecord is what a finder's get says where the service is not asked.
var errNoRecord = &client.Error{Status: http.StatusNotFound, Code: library.ErrBookNotFound.Code, Message: "there is no such record"}
