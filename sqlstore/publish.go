package sqlstore

import (
	"context"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// changes collects the changes of a transaction. They are noted as the records are
// written, and published once, right before COMMIT: events for the streams, and books to
// invalidate in caches. Nothing else writes any of these, except triggers: they take a change by hand for a change of everything.
type changes struct {
	events []library.Change // without positions

	books      []string // subjects of the revision
	everything bool     // any book may have changed, or who may see it
	past       bool     // something that no book shows
}

// bookState is the state of a book before an edit, with its
// stock.
type bookState struct {
	searchWords string
	borrowed    bool
	available   int
}

func (c *changes) bookAdded(b library.Book) {
	c.event(library.Change{Kind: library.BookAdded, ID: b.ID, Available: b.Stock.Copies})
	c.everything = true
}

func (c *changes) bookEdited(id string, before bookState) {
	c.event(library.Change{Kind: library.BookEdited, ID: id, Borrowed: before.borrowed, Available: before.available})
	c.everything = true
}

func (c *changes) bookDeleted(id string) {
	c.event(library.Change{Kind: library.BookDeleted, ID: id})
	c.everything = true
}

// userLeft is for a user who was removed, switched off or made a station, gets another e-mail address, or
// is tied or untied: open streams end.
func (c *changes) userLeft(id string) { c.event(library.Change{Kind: library.UserLeft, ID: id}) }

// decided is for a decision about lending. Changes of a loan or a hold are for its person
// alone, and name nobody if the person is forgotten. The book comes last: its state is the one
// after all else.
func (c *changes) decided(d *library.Decision) {
	for _, l := range d.Changed {
		c.record(library.LoanChanged, l.ID, l.Borrower.ID, d.LoanStep(l))
	}
	for _, h := range d.Moved {
		c.record(library.HoldChanged, h.ID, h.Holder.ID, d.HoldStep(h))
	}
	for _, h := range d.Placed {
		c.record(library.HoldChanged, h.ID, h.Holder.ID, d.PlacedStep(h))
	}
	for _, l := range slices.Concat(d.Opened, d.Reopened) {
		c.record(library.LoanChanged, l.ID, l.Borrower.ID, library.LoanOpened)
	}
	if d.Happened != "" {
		c.event(library.Change{Kind: d.Happened, ID: d.BookID, Borrowed: d.Stock.Borrowed, Available: d.Stock.Available})
	}
	c.book(d.BookID)
}

// record is for a loan or a hold.
func (c *changes) record(kind library.ChangeKind, id, person string, step library.Step) {
	c.event(library.Change{Kind: kind, ID: id, Person: person, Step: step})
}

func (c *changes) event(e library.Change) { c.events = append(c.events, e) }

// book notes a change in one book.
func (c *changes) book(id string) {
	if subject := library.RevisionSubject(id); !slices.Contains(c.books, subject) {
		c.books = append(c.books, subject)
	}
}

// publish writes the changes of a transaction.
func (c *changes) publish(w *writer) {
	c.publishEvents(w)
	if books := c.invalid(); books != "" {
		w.exec("invalidate", w.tx.Dialect().Invalidate("$1"), books)
	}
}

func (c *changes) publishEvents(w *writer) {
	w.insert("publish events", `changes (`+eventColumns+`)`, eventTypes, c.eventRows())
	c.events = nil
}

const eventColumns = `kind, subject, borrowed, available, step, person`

var eventTypes = []string{"text", "text", "bool", "int", "int", "text"}

func (c *changes) eventRows() [][]any {
	rows := make([][]any, len(c.events))
	for i, e := range c.events {
		rows[i] = []any{string(e.Kind), e.ID, e.Borrowed, e.Available, int(e.Step), engine.TextOrNull(e.Person)}
	}
	return rows
}

// maxNoted is the longest list of books, in bytes: see the revision in the
// migrations.
const maxNoted = 210

// invalid returns the stale subjects for caches; "" if nothing has changed.
func (c *changes) invalid() string {
	books := strings.Join(c.books, " ")
	switch {
	case c.everything, len(books) > maxNoted:
		return engine.EveryBook
	case books == "" && c.past:
		return engine.NoBook
	}
	return books
}

// insert adds rows to a table.
func (w *writer) insert(doing, into string, types []string, rows [][]any) {
	for text, args := range w.tx.Dialect().Inserts(into, types, rows) {
		w.exec(doing, text, args...)
	}
}

// before reads books before a change. It locks them in the order of
// everybody, and sees every change from before the lock.
func (t *tx) before(ctx context.Context, ids ...string) (map[string]bookState, error) {
	var a engine.Arguments
	among := t.dialect.Among(a.Add(t.dialect.List(ids)))
	states := make(map[string]bookState, len(ids))
	readings := []engine.Reading{{Doing: "read books before a change", Text: `SELECT b.id, b.search_words, s.borrowed, s.available
		FROM books b JOIN stock s ON s.seq = b.seq WHERE b.id ` + among, Args: a, Scan: engine.Each(func(r engine.Row) error {
		var id string
		var s bookState
		err := r.Scan(&id, &s.searchWords, &s.borrowed, &s.available)
		states[id] = s
		return err
	})}}
	if t.dialect.LocksRecords() {
		lock := engine.Reading{Doing: "lock books", Text: `SELECT id FROM books WHERE id ` + among + ` ORDER BY created_at, id` + t.dialect.ForUpdate,
			Args: a, Scan: engine.None}
		readings = slices.Insert(readings, 0, lock)
	}
	return states, t.sql.ReadAll(ctx, readings)
}
