package cli

import (
	"context"
	"iter"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/client"
	"example.org/library/terminal"
)

// finder finds the one record that a person means. A record is named by its
// identifier, by a number or address of its own, by what it is called, by the number
// of a card, by the beginning of its identifier, or by words that occur in it alone.
type finder[T any] struct {
	noun string // "book"
	hint string // what to do when nothing is found
	sure string // what names a record beyond doubt

	precision precision

	id     func(T) string
	names  func(T) []string                                            // what it is called
	get    func(ctx context.Context, id string) (T, error)             // by identifier
	number func(ctx context.Context, name string) ([]T, error)         // by ISBN or e-mail address; none if the name is no such thing
	search func(ctx context.Context, words string) iter.Seq2[T, error] // by words that occur in it
	late   func(ctx context.Context, name string) ([]T, error)         // by a mark that takes long to look for; may be nil
	near   func(ctx context.Context, start string) iter.Seq2[T, error] // at least all whose identifier begins so
	offer  func(choices []T) error                                     // shows what the name could mean

	numberOnly func(name string) bool // the name is an address and nothing else, even if it is nobody's
}

// precision is how well a name has to fit. Who only looks can look again; who
// changes something should not find out afterwards what.
type precision int

const (
	anywhere precision = iota // words that occur in the record are enough
	called                    // they have to occur in what it is called
	exactly                   // and be all of it
)

// only returns a finder of this precision.
func (f *finder[T]) only(p precision) *finder[T] {
	other := *f
	other.precision = p
	return &other
}

// Limits of looking for a name.
const (
	maxSearched = 5_000
	maxWalked   = 20_000
	maxChoices  = 10
)

// matches are the records that a name fits.
type matches[T any] struct {
	found []T
	more  bool // there may be others
}

func (m *matches[T]) add(item T) {
	if len(m.found) > maxChoices {
		m.more = true
		return
	}
	m.found = append(m.found, item)
}

// find returns the one record that the name means. One rule after the other is
// tried; the first that finds something decides.
func (f *finder[T]) find(ctx context.Context, name string) (T, error) {
	var none T
	name = strings.TrimSpace(name)
	if id, is := library.ParseID(name); is {
		found, err := f.get(ctx, id)
		if exitCode(err) == ExitNotFound {
			return none, f.missing(name)
		}
		return found, err
	}
	var elsewhere matches[T]
	for _, rule := range []func() (matches[T], error){
		func() (matches[T], error) {
			found, err := f.number(ctx, name)
			return matches[T]{found: found}, err
		},
		func() (matches[T], error) {
			exact, partly, other, err := f.byWords(ctx, name)
			if f.precision == anywhere {
				elsewhere = other
			}
			if len(exact.found) > 0 || f.precision == exactly {
				return exact, err
			}
			return partly, err
		},
		func() (matches[T], error) {
			if f.late == nil {
				return matches[T]{}, nil
			}
			found, err := f.late(ctx, name)
			return matches[T]{found: found}, err
		},
		func() (matches[T], error) { return f.byBeginning(ctx, name) },
		func() (matches[T], error) { return elsewhere, nil },
	} {
		m, err := rule()
		switch {
		case err != nil:
			return none, err
		case len(m.found) == 1 && !m.more:
			return m.found[0], nil
		case len(m.found) > 0:
			return none, f.several(name, m)
		case f.numberOnly(name):
			return none, f.missing(name)
		}
	}
	return none, f.missing(name)
}

// findUnasked is find for a command that does something that cannot be undone.
// Where nobody is asked, nobody sees what a name was taken for: it has to be
// exact then.
func (f *finder[T]) findUnasked(ctx context.Context, name string, yes bool) (T, error) {
	if !yes {
		return f.find(ctx, name)
	}
	found, err := f.only(exactly).find(ctx, name)
	if exitCode(err) != ExitNotFound {
		return found, err
	}
	_, like, elsewhere, failed := f.byWords(ctx, strings.TrimSpace(name))
	if failed != nil {
		return found, failed
	}
	like.found = append(like.found, elsewhere.found...)
	if len(like.found) == 0 {
		return found, err
	}
	if err := f.offer(like.found[:min(len(like.found), maxChoices)]); err != nil {
		return found, err
	}
	return found, fail(ExitNotFound, "There is no %s %s, only similar ones. With --yes, give %s.", f.noun, quote(name), f.sure)
}

// byWords looks for the words of the name. What is called exactly so comes
// first, then what has all the words in what it is called. The last are those
// in which the words occur elsewhere.
func (f *finder[T]) byWords(ctx context.Context, name string) (exact, partly, elsewhere matches[T], err error) {
	wanted, words := sameSpelling(name), library.Words(name)
	seen := 0
	for item, err := range f.search(ctx, name) {
		if err != nil {
			return exact, partly, elsewhere, err
		}
		if seen++; seen > maxSearched {
			partly.more, elsewhere.more = true, true
			break
		}
		names := f.names(item)
		switch {
		case slices.ContainsFunc(names, func(n string) bool { return sameSpelling(n) == wanted }):
			exact.add(item)
		case len(words) == 0: // a name without a letter is meant as it is
		case begin(words, library.IndexWords(names...)):
			partly.add(item)
		default:
			elsewhere.add(item)
		}
	}
	return exact, partly, elsewhere, nil
}

// byBeginning looks for the beginning of an identifier.
func (f *finder[T]) byBeginning(ctx context.Context, name string) (matches[T], error) {
	var m matches[T]
	start, is := library.ParseIDStart(hyphenated(name))
	if !is {
		return m, nil
	}
	walked := 0
	for item, err := range f.near(ctx, start) {
		if err != nil {
			return m, err
		}
		if walked++; walked > maxWalked {
			m.more = true
			break
		}
		if strings.HasPrefix(f.id(item), start) {
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

func (f *finder[T]) missing(name string) error {
	return fail(ExitNotFound, "There is no %s %s. %s", f.noun, quote(name), f.hint)
}

func (f *finder[T]) several(name string, m matches[T]) error {
	if err := f.offer(m.found[:min(len(m.found), maxChoices)]); err != nil {
		return err
	}
	return fail(ExitFailed, "%s matches more than one %s. Write more of it, or give the identifier.", quote(name), f.noun)
}

// quote sets an untrusted name off from our own words.
func quote(name string) string { return `"` + terminal.Clean(name) + `"` }

// sameSpelling is equal for names that a person takes for the same.
func sameSpelling(name string) string {
	return strings.Join(strings.Fields(library.Fold(name)), " ")
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

// fits reports whether a search for the terms hits a record with these words,
// as the service would say.
func fits(terms []library.Term, words []string) bool {
	for _, t := range terms {
		if !begin(t.Words, words) && (t.Number == "" || !begin([]string{t.Number}, words)) {
			return false
		}
	}
	return true
}

// each makes a sequence that cannot fail of a slice.
func each[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// errNoRecord is what a finder's get says where the service is not asked.
var errNoRecord = &client.Error{Status: http.StatusNotFound, Code: library.ErrBookNotFound.Code, Message: "there is no such record"}
