package sqlstore

import (
	"context"
	"slices"

	"example.org/library"
)

// save keeps the decision of a member for its group. Copies have barcodes, which
// belong to the whole library: those who change them run alone, because what is
// refused to one of a group is refused to all.
func (m *member) save(w *writer, d library.Decision) error {
	if m.found.Book.ID != d.BookID || m.decision != nil || len(d.AddedCopies)+len(d.EditedCopies)+len(d.RemovedCopies) > 0 {
		m.refused = true
		return errAlone
	}
	for _, h := range d.Moved {
		w.moveHold(h)
	}
	for _, h := range d.Placed {
		w.placeHold(h)
	}
	m.decision = &d
	return nil
}

// foundTogether is what a group has loaded.
type foundTogether struct {
	books   map[string]library.Book
	seqs    map[string]int64        // of the books
	callers map[string]library.User // by the key of their e-mail address
	readers map[string]library.Reader
	copies  map[string][]library.Copy // by book
	queues  map[string][]library.Hold // by book
	policy  *library.Policy
	limits  []string // the readers, if there were limits when they were locked
}

// Each statement sees what happened before the locks of those before it were
// taken. What somebody else has locked is left out.
const (
	skipLocked     = ` SKIP LOCKED`
	booksTogether  = `SELECT b.seq, ` + bookOnlyColumns + ` FROM books b WHERE b.id = ANY($1) FOR UPDATE` + skipLocked
	limitsTogether = `SELECT id FROM users WHERE email_key = ANY($1)
		AND EXISTS (SELECT 1 FROM policy WHERE max_loans > 0 OR max_holds > 0) FOR NO KEY UPDATE` + skipLocked
	callersTogether = `SELECT ` + userColumns + `, ` + readerCounts + ` FROM users WHERE email_key = ANY($2) FOR SHARE` + skipLocked
	// The loan and the hold of each copy are looked up by themselves. For many
	// copies it would seem faster to go through all open loans.
	copiesTogether = `SELECT ` + copyColumns + ` FROM copies c
			LEFT JOIN LATERAL (SELECT * FROM loans WHERE copy_id = c.id AND returned_at IS NULL OFFSET 0) l ON true
			LEFT JOIN users lu ON lu.id = l.user_id
			LEFT JOIN LATERAL (SELECT * FROM holds WHERE copy_id = c.id OFFSET 0) h ON true
			LEFT JOIN users hu ON hu.id = h.user_id
		WHERE c.book_id = ANY($1) ORDER BY c.seq`
	queuesTogether = `SELECT ` + holdOnlyColumns + `, 0 FROM ` + holdsWithPeople + `
		WHERE h.book_id = ANY($1) AND h.ended_at IS NULL AND h.state = 'waiting' ORDER BY h.seq`
)

// loadTogether loads for all members what Load loads for one, with the same locks
// in the same order.
func loadTogether(t *tx, members []*member) (*foundTogether, error) {
	var books, callers []string
	now := members[0].load.Now
	for _, m := range members {
		books, callers = append(books, m.load.Book), append(callers, library.EmailKey(m.load.Caller))
		if m.load.Now.After(now) {
			now = m.load.Now
		}
	}
	slices.Sort(callers)
	callers = slices.Compact(callers)
	f := &foundTogether{
		books: make(map[string]library.Book), seqs: make(map[string]int64),
		callers: make(map[string]library.User), readers: make(map[string]library.Reader),
		copies: make(map[string][]library.Copy), queues: make(map[string][]library.Hold),
	}
	t.pipeline.add(keepPlans+`, set_config('library.told', 'on', true)`, nil, func(err error) error { return err })
	err := t.read(context.Background(),
		reading{"read books", booksTogether, []any{books}, each(f.scanBook)},
		reading{"lock readers", limitsTogether, []any{callers}, allOf(&f.limits, scanText)},
		reading{"read callers", callersTogether, []any{now.UnixMicro(), callers}, each(f.scanCaller)},
		reading{"read copies", copiesTogether, []any{books}, each(f.scanCopy)},
		reading{"read queues", queuesTogether, []any{books}, each(f.scanHold)},
		reading{"read policy", thePolicy, nil, first(&f.policy, scanPolicy)})
	return f, err
}

// each calls scan for every record.
func each(scan func(row) error) func(records) error {
	return func(rows records) error {
		for rows.Next() {
			if err := scan(rows); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

func (f *foundTogether) scanBook(record row) error {
	var r bookRow
	var seq int64
	if err := record.Scan(append([]any{&seq}, r.dest()...)...); err != nil {
		return err
	}
	b, err := r.book()
	f.books[b.ID], f.seqs[b.ID] = b, seq
	return err
}

func (f *foundTogether) scanCaller(record row) error {
	u, r, err := scanCallerWhoReads(record)
	f.callers[library.EmailKey(u.Email)], f.readers[u.ID] = u, r
	return err
}

func (f *foundTogether) scanCopy(record row) error {
	c, err := scanCopy(record)
	f.copies[c.BookID] = append(f.copies[c.BookID], c)
	return err
}

func (f *foundTogether) scanHold(record row) error {
	h, err := scanHold(record)
	h.Position = len(f.queues[h.Book.ID]) + 1
	f.queues[h.Book.ID] = append(f.queues[h.Book.ID], h)
	return err
}

// tell gives the members what they have asked for. Where readers are limited, each
// can be in a group once: what one loan adds, another one has not counted.
func (f *foundTogether) tell(members []*member) {
	limited := f.policy != nil && (f.policy.MaxLoans > 0 || f.policy.MaxHolds > 0)
	seen := make(map[string]bool)
	for _, m := range members {
		book, hasBook := f.books[m.load.Book]
		caller, hasCaller := f.callers[library.EmailKey(m.load.Caller)]
		switch {
		case !hasBook, !hasCaller, f.policy == nil: // gone, or locked
			m.err = errAlone
		case limited && (seen[caller.ID] || !slices.Contains(f.limits, caller.ID)):
			m.err = errAlone
		default:
			seen[caller.ID] = true
			m.caller = caller
			m.found = &library.Circulation{Book: book, Copies: f.copies[book.ID], Queue: f.queues[book.ID], Policy: *f.policy, Reader: f.readers[caller.ID]}
		}
		close(m.loaded)
	}
}

// Several records of a kind are written by one statement. Those that must change
// something fail by themselves if they do not, as in pipeline.write.
const (
	openTogether = `
		INSERT INTO loans (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, due_at)
		SELECT d.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) AS d`
	changeTogether = `WITH changed AS (
			UPDATE loans SET due_at = d.due_at, returned_at = d.returned_at, renewals = d.renewals, user_id = d.user_id
			FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[], $5::text[]) AS d (id, due_at, returned_at, renewals, user_id)
			WHERE loans.id = d.id AND loans.returned_at IS NULL RETURNING 1)
		SELECT 1 / (count(*) = cardinality($1))::int FROM changed`
	stockTogether = `WITH changed AS (
			UPDATE stock SET copies = d.copies, available = d.available, waiting = d.waiting, lent = d.lent, ready = d.ready,
				borrowed = d.borrowed, due_at = d.due_at, happened = d.happened
			FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[], $7::bool[], $8::bigint[], $9::text[])
				AS d (seq, copies, available, waiting, lent, ready, borrowed, due_at, happened)
			WHERE stock.seq = d.seq RETURNING 1)
		SELECT 1 / (count(*) = cardinality($1))::int FROM changed`

	// What triggers would do, for each statement by itself: see the migration.
	tellTogether   = `SELECT tell_changes(ARRAY(SELECT right(book, 12) FROM unnest($1::text[]) AS book))`
	eventsTogether = `INSERT INTO changes (kind, subject, borrowed, available, person)
		SELECT * FROM unnest($1::text[], $2::text[], $3::bool[], $4::int[], $5::text[])`
	letTriggersTell = `SELECT set_config('library.told', '', true)`
)

// saveTogether writes the decisions of members, in the order of Save. What they
// change is told at the end, so that the number of changes is not locked for long.
// Where holds move the triggers tell it: they do that for holds in any case, and in
// the order in which things happen.
func saveTogether(t *tx, f *foundTogether, members []*member) error {
	opened, changed, stock, told, events := make(columns, 8), make(columns, 5), make(columns, 9), make(columns, 1), make(columns, 5)
	w := writer{ctx: context.Background(), tx: t}
	holdsMove := slices.ContainsFunc(members, (*member).movesHolds)
	if holdsMove {
		w.exec("tell changes", letTriggersTell)
	}
	for _, m := range members {
		d := m.decision
		if d == nil {
			continue
		}
		for _, l := range d.Changed {
			changed.add(l.ID, microOrNull(l.Due), microOrNull(l.Returned), l.Renewals, textOrNull(l.Borrower.ID))
		}
		for _, l := range d.Opened {
			opened.add(l.ID, l.Book.ID, l.Book.Title, formatList(l.Book.Authors), l.CopyID, l.Borrower.ID, l.Since.UnixMicro(), microOrNull(l.Due))
		}
		for _, l := range slices.Concat(d.Changed, d.Opened) {
			if l.Borrower.ID != "" {
				events.add("loan", l.ID, false, 0, l.Borrower.ID)
			}
		}
		s := d.Stock
		if d.Happened != "" {
			events.add(string(d.Happened), d.BookID, s.Borrowed, s.Available, nil)
		}
		told.add(d.BookID)
		stock.add(f.seqs[d.BookID], s.Copies, s.Available, s.Waiting, s.Lent, s.Ready, s.Borrowed, microOrNull(s.Due), string(d.Happened))
	}
	w.together("change loans", changeTogether, changed)
	for _, m := range members {
		t.pipeline.queue = append(t.pipeline.queue, m.after...)
	}
	w.together("open loans", openTogether, opened)
	w.together("save stock", stockTogether, stock)
	if !holdsMove {
		w.together("note events", eventsTogether, events)
		w.together("tell changes", tellTogether, told)
	}
	return w.err
}

func (m *member) movesHolds() bool {
	return m.decision != nil && len(m.decision.Moved)+len(m.decision.Placed) > 0
}

// columns are the values of several records, column by column.
type columns [][]any

func (c columns) add(values ...any) {
	for i, v := range values {
		c[i] = append(c[i], v)
	}
}

// together runs a statement that takes records, if there are any.
func (w *writer) together(doing, text string, records columns) {
	if len(records[0]) == 0 {
		return
	}
	args := make([]any, len(records))
	for i, column := range records {
		args[i] = column
	}
	w.exec(doing, text, args...)
}
