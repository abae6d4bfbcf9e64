package sqlstore

import (
	"context"
	"slices"
	"sync/atomic"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// group is what several transactions have loaded that are committed as one. The
// statements are in the SQL of PostgreSQL, whose engine alone commits groups.
type group struct {
	loads   []library.Load
	results []groupResult // of the loads
	policy  *library.Policy
	counted []string // the readers who were locked before their loans were counted
}

// groupResult is what was loaded for one of the transactions.
type groupResult struct {
	caller library.User
	found  *library.Circulation // nil if it must be run alone
	seq    int64                // of the book
}

var _ engine.Group = (*group)(nil)

// groupTexts are the statements that load a group. The first locks each book and its
// caller; what somebody else has locked is left out. It also sees the policy: a transaction that
// changes it keeps all books locked meanwhile. Each statement sees what happened before
// the locks of those before it were taken.
type groupTexts struct{ lock, copies, queues string }

// Arrays take PostgreSQL longer than values, so a group of one has none. The loan and the hold
// of each copy are looked up one by one: for many copies the planner would choose to go through all open
// loans, if it were not told.
var (
	textsForOne  = newGroupTexts(`(SELECT $2::text AS book, $3::text AS caller) w`, copiesWithPeople, `= $1`)
	textsForMany = newGroupTexts(`unnest($2::text[], $3::text[]) AS w (book, caller)`, `SELECT `+copyColumns+` FROM copies c
			LEFT JOIN LATERAL (SELECT * FROM loans WHERE copy_id = c.id AND returned_at IS NULL OFFSET 0) l ON true
			LEFT JOIN users lu ON lu.id = l.user_id
			LEFT JOIN LATERAL (SELECT * FROM holds WHERE copy_id = c.id OFFSET 0) h ON true
			LEFT JOIN users hu ON hu.id = h.user_id `, `= ANY($1)`)
)

func newGroupTexts(wanted, copies, among string) groupTexts {
	return groupTexts{
		lock: `SELECT ` + bookOnlyColumns + `, b.seq, ` + userColumns + `, ` + readerCounts + `, ` + policyColumns + `
			FROM ` + wanted + ` JOIN books b ON b.id = w.book JOIN users ON users.email_key = w.caller CROSS JOIN policy
			FOR UPDATE OF b SKIP LOCKED FOR SHARE OF users SKIP LOCKED`,
		copies: copies + `WHERE c.book_id ` + among + ` ORDER BY c.seq`,
		queues: `SELECT ` + holdOnlyColumns + `, 0 FROM ` + holdsWithPeople + `
			WHERE h.book_id ` + among + ` AND h.ended_at IS NULL AND h.state = 'waiting' ORDER BY h.seq`,
	}
}

// groupReaders locks the readers, where the policy limits what a reader may have: so that two loans at
// once are not counted past each other.
const groupReaders = `SELECT id FROM users WHERE email_key = ANY($1) FOR NO KEY UPDATE SKIP LOCKED`

// groups loads groups.
type groups struct {
	limited atomic.Bool // the policy had limits when it was read last
}

// load loads for all transactions what Load loads for one, with the same locks.
func (s *groups) load(ctx context.Context, t engine.Tx, loads []library.Load) (engine.Group, error) {
	g := &group{loads: loads, results: make([]groupResult, len(loads))}
	var readings []engine.Reading
	add := func(doing, text string, scan func(engine.Records) error, args ...any) {
		readings = append(readings, engine.Reading{Doing: doing, Text: text, Args: args, Scan: scan})
	}
	var books, callers []string
	now := loads[0].Now
	for _, l := range loads {
		books, callers = append(books, l.Book), append(callers, library.EmailKey(l.Caller))
		if l.Now.After(now) {
			now = l.Now
		}
	}
	texts, book, caller := textsForMany, any(books), any(callers)
	if len(loads) == 1 {
		texts, book, caller = textsForOne, books[0], callers[0]
	}
	if s.limited.Load() {
		add("lock readers", groupReaders, engine.AllOf(&g.counted, engine.ScanText), callers)
	}
	add("lock books", texts.lock, engine.Each(g.scanMember), now.UnixMicro(), book, caller)
	add("read copies", texts.copies, engine.Each(g.scanCopy), book)
	add("read queues", texts.queues, engine.Each(g.scanHold), book)
	if err := t.ReadAll(ctx, readings); err != nil {
		return nil, err
	}
	if g.policy != nil {
		s.limited.Store(g.isLimited())
	}
	g.leaveOut()
	return g, nil
}

// scanMember reads what a transaction has locked.
func (g *group) scanMember(record engine.Row) error {
	var (
		book   bookRow
		user   userRow
		policy policyRow
		r      groupResult
		reader library.Reader
	)
	dest := slices.Concat(book.dest(&r.seq), user.dest(), []any{&reader.Loans, &reader.Overdue, &reader.Holds}, policy.dest())
	if err := record.Scan(dest...); err != nil {
		return err
	}
	b, err := book.book()
	if err != nil {
		return err
	}
	if r.caller, err = user.user(); err != nil {
		return err
	}
	if g.policy == nil { // it is the same in each row
		p, err := policy.policy()
		if err != nil {
			return err
		}
		g.policy = &p
	}
	r.found = &library.Circulation{Book: b, Policy: *g.policy, Reader: readerFrom(r.caller, reader)}
	g.results[g.place(b.ID)] = r
	return nil
}

// place is that of the transaction about a book.
func (g *group) place(book string) int {
	return slices.IndexFunc(g.loads, func(l library.Load) bool { return l.Book == book })
}

func (g *group) scanCopy(record engine.Row) error {
	c, err := scanCopy(record)
	if found := g.about(c.BookID, err); found != nil {
		found.Copies = append(found.Copies, c)
	}
	return err
}

func (g *group) scanHold(record engine.Row) error {
	h, err := scanHold(record)
	if found := g.about(h.Book.ID, err); found != nil {
		h.Position = len(found.Queue) + 1
		found.Queue = append(found.Queue, h)
	}
	return err
}

// about is what was loaded of a book that is locked.
func (g *group) about(book string, err error) *library.Circulation {
	if err != nil {
		return nil
	}
	return g.results[g.place(book)].found
}

func (g *group) isLimited() bool { return g.policy.MaxLoans > 0 || g.policy.MaxHolds > 0 }

// leaveOut leaves those out who must be run alone. Where the policy limits the loans of a reader,
// each reader can be in a group once: a second loan in the group would not have counted the first.
func (g *group) leaveOut() {
	if g.policy == nil || !g.isLimited() {
		return
	}
	seen := make(map[string]bool)
	for i, r := range g.results {
		if seen[r.caller.ID] || !slices.Contains(g.counted, r.caller.ID) {
			g.results[i].found = nil
		}
		seen[r.caller.ID] = true
	}
}

// Loaded is what was loaded for a transaction; false if it must be run alone.
func (g *group) Loaded(i int) (library.User, *library.Circulation, bool) {
	r := g.results[i]
	return r.caller, r.found, r.found != nil
}
