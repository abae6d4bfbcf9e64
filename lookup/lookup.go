package lookup

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.org/library"
	"example.org/library/internal/isbn"
)

// ErrUnknown means an ISBN unknown to all sources.
var ErrUnknown = errors.New("lookup: no source knows the ISBN")

// Limits of questions and cached answers.
const (
	maxAnswer = 1 << 20
	keptFor   = 24 * time.Hour
	keptBytes = 16 << 20 // of all cached answers
)

// Outcomes of a question, for Options.Count.
const (
	Found   = "found"
	Unknown = "unknown"
	Failed  = "failed"
	Kept    = "kept" // answered from the cache
)

// Options change the defaults. The zero value is good.
type Options struct {
	Logger *slog.Logger
	Count  func(source, outcome string) // is called for every question
	Now    func() time.Time
}

// Answer is a source's data of a book.
type Answer struct {
	Source string
	Book   library.BookFields
}

// protocol is how a kind of source is asked. found is false if it does not know the ISBN.
type protocol interface {
	find(ctx context.Context, web *web, key string) (book library.BookFields, found bool, err error)
}

// Source is a catalogue to ask.
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

// Find asks all sources at once and returns their answers, in their order. key is an [isbn.Proven].
// The error is ErrUnknown, ErrFailed, or the context's.
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

// ask asks one source, unless its answer is kept. Concurrent callers with the same question share a
// request; it goes on if one of them leaves.
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

// request asks a source. A fault of ours in reading its answer is a failure of the source: nobody else
// would recover from it, since callers share the goroutine.
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

// kept caches answers for a day. All have the same time to live, so the oldest goes first, for its age or for room.
type kept struct {
	now func() time.Time

	mu    sync.Mutex
	at    map[string]entry
	queue []string // names, the oldest first
	bytes int
}

// entry is an answer of a source, also for an unknown book.
type entry struct {
	book  library.BookFields
	found bool
	until time.Time
}

func newKept(now func() time.Time) *kept { return &kept{now: now, at: make(map[string]entry)} }

func (k *kept) get(name string) (entry, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.at[name]
	return e, ok && k.now().Before(e.until)
}

func (k *kept) put(name string, e entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	e.until = now.Add(keptFor)
	if _, known := k.at[name]; known {
		k.forget(name)
	}
	k.at[name], k.queue, k.bytes = e, append(k.queue, name), k.bytes+e.weight(name)
	for len(k.queue) > 1 && (k.bytes > keptBytes || !now.Before(k.at[k.queue[0]].until)) {
		k.forget(k.queue[0])
	}
}

// forget takes an entry out. Nearly always it is the first.
func (k *kept) forget(name string) {
	for i, other := range k.queue {
		if other == name {
			k.queue = slices.Delete(k.queue, i, i+1)
			break
		}
	}
	k.bytes -= k.at[name].weight(name)
	delete(k.at, name)
}

// weight is about how many bytes an entry takes.
func (e entry) weight(name string) int {
	const record = 512
	return record + 2*len(name) + weight(&e.book)
}
