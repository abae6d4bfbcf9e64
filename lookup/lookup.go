package lookup

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.org/library"
	"example.org/library/internal/isbn"
)

// ErrUnknown means that every source has answered, and none knows the ISBN.
var ErrUnknown = errors.New("lookup: no source knows the ISBN")

// Limits of what is asked and kept.
const (
	maxAnswer = 1 << 20
	keptFor   = 24 * time.Hour
	keptBytes = 16 << 20 // of all answers that are kept
)

// Outcomes of a question, for Options.Count.
const (
	Found   = "found"
	Unknown = "unknown"
	Failed  = "failed"
	Kept    = "kept" // it was answered from what is kept
)

// Options are what may be changed. The zero value is good.
type Options struct {
	Logger *slog.Logger
	Count  func(source, outcome string) // is called for every question
	Now    func() time.Time
}

// Answer is what a source knows of a book.
type Answer struct {
	Source string
	Book   library.BookFields
}

// protocol is how a kind of source is asked. found is false if it does not know the ISBN.
type protocol interface {
	find(ctx context.Context, web *web, key string) (book library.BookFields, found bool, err error)
}

// Source is a catalogue that can be asked.
type Source struct {
	Name     string
	protocol protocol
}

// Lookup asks sources.
type Lookup struct {
	sources []*asked
	options Options
	kept    *kept
	flights singleflight.Group
}

// asked is a source with its limits.
type asked struct {
	Source
	place string // in the setting: two sources of one host have the same name
	web   *web
}

// New returns a Lookup of sources in an order.
func New(sources []Source, o Options) *Lookup {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Count == nil {
		o.Count = func(string, string) {}
	}
	l := &Lookup{options: o, kept: newKept(o.Now)}
	for i, s := range sources {
		l.sources = append(l.sources, &asked{s, strconv.Itoa(i), newWeb(maxAnswer, sameHost)})
	}
	return l
}

// Find asks all sources at once and returns what they know, in their order. key is an
// [isbn.Proven]. The error is ErrUnknown, ErrFailed, or that of the context.
func (l *Lookup) Find(ctx context.Context, key string) ([]Answer, error) {
	type result struct {
		book  library.BookFields
		found bool
		err   error
	}
	results := make([]result, len(l.sources))
	var all sync.WaitGroup
	for i, s := range l.sources {
		all.Go(func() {
			r := &results[i]
			r.book, r.found, r.err = l.ask(ctx, s, key)
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var answers []Answer
	var failed bool
	for i, r := range results {
		if failed = failed || r.err != nil; r.found && r.err == nil {
			answers = append(answers, Answer{l.sources[i].Name, r.book})
		}
	}
	switch {
	case len(answers) > 0:
		return answers, nil
	case failed:
		return nil, ErrFailed
	}
	return nil, ErrUnknown
}

// ask asks one source, unless its answer is kept. Callers who ask the same at the same time share
// a request, which does not end because one of them goes away.
func (l *Lookup) ask(ctx context.Context, s *asked, key string) (library.BookFields, bool, error) {
	name := s.place + " " + key
	if e, ok := l.kept.get(name); ok {
		l.options.Count(s.Name, Kept)
		return e.book, e.found, nil
	}
	flight := l.flights.DoChan(name, func() (any, error) { return l.request(context.WithoutCancel(ctx), s, key, name) })
	select {
	case <-ctx.Done():
		return library.BookFields{}, false, ctx.Err()
	case r := <-flight:
		if r.Err != nil {
			return library.BookFields{}, false, r.Err
		}
		e := r.Val.(entry)
		return e.book, e.found, nil
	}
}

// request asks a source. A fault of ours in reading what it says is a failure of that source: nobody
// else would recover from it, since callers share the goroutine.
func (l *Lookup) request(ctx context.Context, s *asked, key, name string) (e entry, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			l.options.Count(s.Name, Failed)
			l.options.Logger.Error("panic while a source of books was asked", "source", s.Name, "panic", fault, "stack", string(debug.Stack()))
			err = ErrFailed
		}
	}()
	if e, ok := l.kept.get(name); ok { // it came while this caller was on the way
		return e, nil
	}
	book, found, err := s.protocol.find(ctx, s.web, key)
	switch {
	case err != nil:
		l.options.Count(s.Name, Failed)
		l.options.Logger.Warn("a source of books has failed", "source", s.Name, "error", err)
		return entry{}, err
	case found:
		l.options.Count(s.Name, Found)
	default:
		l.options.Count(s.Name, Unknown)
	}
	if found && !isbn.Same(book.ISBN, key) { // a record may have the numbers of several editions
		book.ISBN = key
	}
	e = entry{book: book, found: found}
	l.kept.put(name, e)
	return e, nil
}
