package sqlstore

import (
	"context"
	"slices"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// group is what several transactions have loaded that are committed as one. The
// statements are in the SQL of PostgreSQL, whose engine alone commits groups.
type group struct {
	loads   []library.Load
	results []groupResult // of the loads
	books   map[string]library.Book
	seqs    map[string]int64        // of the books
	callers map[string]library.User // by the key of their e-mail address
	readers map[string]library.Reader
	copies  map[string][]library.Copy // by book
	queues  map[string][]library.Hold // by book
	policy  *library.Policy
	limits  []string // the readers, if there were limits when they were locked
}

// groupResult is what was loaded for one of the transactions.
type groupResult struct {
	caller library.User
	found  *library.Circulation // nil if it must be run alone
}

var _ engine.Group = (*group)(nil)

// Each statement sees what happened before the locks of those before it were
// taken. What somebody else has locked is left out.
var (
	skipLocked  = ` SKIP LOCKED`
	groupBooks  = `SELECT ` + bookOnlyColumns + `, b.seq FROM books b WHERE b.id = ANY($1) FOR UPDATE` + skipLocked
	groupLimits = `SELECT id FROM users WHERE email_key = ANY($1)
		AND EXISTS (SELECT 1 FROM policy WHERE max_loans > 0 OR max_holds > 0) FOR NO KEY UPDATE` + skipLocked
	groupCallers = `SELECT ` + userColumns + `, ` + readerCounts + ` FROM users WHERE email_key = ANY($2) FOR SHARE` + skipLocked
	// The loan and the hold of each copy are looked up one by one. For many copies
	// the planner would choose to go through all open loans.
	groupCopies = `SELECT ` + copyColumns + ` FROM copies c
			LEFT JOIN LATERAL (SELECT * FROM loans WHERE copy_id = c.id AND returned_at IS NULL OFFSET 0) l ON true
			LEFT JOIN users lu ON lu.id = l.user_id
			LEFT JOIN LATERAL (SELECT * FROM holds WHERE copy_id = c.id OFFSET 0) h ON true
			LEFT JOIN users hu ON hu.id = h.user_id
		WHERE c.book_id = ANY($1) ORDER BY c.seq`
	groupQueues = `SELECT ` + holdOnlyColumns + `, 0 FROM ` + holdsWithPeople + `
		WHERE h.book_id = ANY($1) AND h.ended_at IS NULL AND h.state = 'waiting' ORDER BY h.seq`
)

// loadGroup loads for all transactions what Load loads for one, with the same locks
// in the same order.
func loadGroup(ctx context.Context, t engine.Tx, loads []library.Load) (engine.Group, error) {
	var books, callers []string
	now := loads[0].Now
	for _, l := range loads {
		books, callers = append(books, l.Book), append(callers, library.EmailKey(l.Caller))
		if l.Now.After(now) {
			now = l.Now
		}
	}
	slices.Sort(callers)
	callers = slices.Compact(callers)
	g := &group{
		loads: loads,
		books: make(map[string]library.Book), seqs: make(map[string]int64),
		callers: make(map[string]library.User), readers: make(map[string]library.Reader),
		copies: make(map[string][]library.Copy), queues: make(map[string][]library.Hold),
	}
	err := t.ReadAll(ctx, []engine.Reading{
		{Doing: "read books", Text: groupBooks, Args: []any{books}, Scan: engine.Each(g.scanBook)},
		{Doing: "lock readers", Text: groupLimits, Args: []any{callers}, Scan: engine.AllOf(&g.limits, engine.ScanText)},
		{Doing: "read callers", Text: groupCallers, Args: []any{now.UnixMicro(), callers}, Scan: engine.Each(g.scanCaller)},
		{Doing: "read copies", Text: groupCopies, Args: []any{books}, Scan: engine.Each(g.scanCopy)},
		{Doing: "read queues", Text: groupQueues, Args: []any{books}, Scan: engine.Each(g.scanHold)},
		{Doing: "read policy", Text: thePolicy, Scan: engine.First(&g.policy, scanPolicy)},
	})
	if err != nil {
		return nil, err
	}
	g.assign()
	return g, nil
}

func (g *group) scanBook(record engine.Row) error {
	var r bookRow
	var seq int64
	if err := record.Scan(r.dest(&seq)...); err != nil {
		return err
	}
	b, err := r.book()
	g.books[b.ID], g.seqs[b.ID] = b, seq
	return err
}

func (g *group) scanCaller(record engine.Row) error {
	u, r, err := scanCallerWhoReads(record)
	g.callers[library.EmailKey(u.Email)], g.readers[u.ID] = u, r
	return err
}

func (g *group) scanCopy(record engine.Row) error {
	c, err := scanCopy(record)
	g.copies[c.BookID] = append(g.copies[c.BookID], c)
	return err
}

func (g *group) scanHold(record engine.Row) error {
	h, err := scanHold(record)
	h.Position = len(g.queues[h.Book.ID]) + 1
	g.queues[h.Book.ID] = append(g.queues[h.Book.ID], h)
	return err
}

// assign gives each transaction what was loaded for it. Where the policy limits the
// loans of a reader, each reader can be in a group once: a second loan in the group
// would not have counted the first.
func (g *group) assign() {
	g.results = make([]groupResult, len(g.loads))
	limited := g.policy != nil && (g.policy.MaxLoans > 0 || g.policy.MaxHolds > 0)
	seen := make(map[string]bool)
	for i, l := range g.loads {
		book, hasBook := g.books[l.Book]
		caller, hasCaller := g.callers[library.EmailKey(l.Caller)]
		switch {
		case !hasBook, !hasCaller, g.policy == nil: // gone, or locked
		case limited && (seen[caller.ID] || !slices.Contains(g.limits, caller.ID)):
		default:
			seen[caller.ID] = true
			g.results[i] = groupResult{caller, &library.Circulation{Book: book, Copies: g.copies[book.ID], Queue: g.queues[book.ID],
				Policy: *g.policy, Reader: g.readers[caller.ID]}}
		}
	}
}

// Loaded is what was loaded for a transaction; false if it must be run alone.
func (g *group) Loaded(i int) (library.User, *library.Circulation, bool) {
	r := g.results[i]
	return r.caller, r.found, r.found != nil
}

// Several records of a kind are written by one statement. Those that must change
// something fail in the database if they do not, as for [engine.Statement].
const (
	groupOpen = `
		INSERT INTO loans (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, due_at)
		SELECT d.* FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) AS d`
	groupChange = `WITH changed AS (
			UPDATE loans SET due_at = d.due_at, returned_at = d.returned_at, renewals = d.renewals, user_id = d.user_id
			FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[], $5::text[]) AS d (id, due_at, returned_at, renewals, user_id)
			WHERE loans.id = d.id AND loans.returned_at IS NULL RETURNING 1)
		SELECT 1 / (count(*) = cardinality($1))::int FROM changed`
	groupStock = `WITH changed AS (
			UPDATE stock SET copies = d.copies, available = d.available, waiting = d.waiting, lent = d.lent, ready = d.ready,
				borrowed = d.borrowed, due_at = d.due_at
			FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::int[], $6::int[], $7::bool[], $8::bigint[])
				AS d (seq, copies, available, waiting, lent, ready, borrowed, due_at)
			WHERE stock.seq = d.seq RETURNING 1)
		SELECT 1 / (count(*) = cardinality($1))::int FROM changed`
)

// Save writes decisions, in the order of [tx.Save], and publishes what they change.
func (g *group) Save(ctx context.Context, t engine.Tx, decisions []*library.Decision, others func()) error {
	opened, changed, stock := make(columns, 8), make(columns, 5), make(columns, 8)
	w := writer{ctx: ctx, tx: t}
	var all changes
	for _, d := range decisions {
		for _, l := range d.Changed {
			changed.add(l.ID, microOrNull(l.Due), microOrNull(l.Returned), l.Renewals, textOrNull(l.Borrower.ID))
		}
		for _, l := range d.Opened {
			opened.add(l.ID, l.Book.ID, l.Book.Title, formatList(l.Book.Authors), l.CopyID, l.Borrower.ID, l.Since.UnixMicro(), microOrNull(l.Due))
		}
		s := d.Stock
		stock.add(g.seqs[d.BookID], s.Copies, s.Available, s.Waiting, s.Lent, s.Ready, s.Borrowed, microOrNull(s.Due))
		all.decided(d)
	}
	w.execAll("change loans", groupChange, changed)
	others()
	w.execAll("open loans", groupOpen, opened)
	w.execAll("save stock", groupStock, stock)
	all.publish(&w)
	return w.err
}

// columns are the values of several records, column by column.
type columns [][]any

func (c columns) add(values ...any) {
	for i, v := range values {
		c[i] = append(c[i], v)
	}
}

// execAll runs a statement that takes records, if there are any.
func (w *writer) execAll(doing, text string, records columns) {
	if len(records[0]) == 0 {
		return
	}
	args := make([]any, len(records))
	for i, column := range records {
		args[i] = column
	}
	w.exec(doing, text, args...)
}
