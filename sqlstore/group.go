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
	counted []string      // the readers who were locked before their loans were counted

	policy    *knownPolicy // nil if none is known yet
	policyKey string       // of the policy now; "" if no copy was read, with which it comes
}

// groupResult is what was loaded for one of the transactions.
type groupResult struct {
	caller library.User
	found  *library.Circulation // nil if it must be run alone
	seq    int64                // of the book
	isHeld bool                 // there are active holds of the book
}

var _ engine.Group = (*group)(nil)

// groupTexts are the statements that load a group. The first locks each book and its caller, and leaves out what
// somebody else has locked. The second reads the copies and the key of the policy. It comes after the lock on the reader: a limit
// that was set before the lock is seen here. Under a limit that is set later, others lock the reader, too: they wait until this
// group is committed, and count its loans.
type groupTexts struct {
	lock         string // for a policy without limits: only overdue loans are counted
	lockCounting string // for one with limits
	copies       string
}

// Arrays take PostgreSQL longer than values, so a group of one has none. The loan of each copy, and
// whether its book has holds, is looked up one by one: for many copies the planner would choose to go through all open
// loans or holds, if it were not told (OFFSET 0).
var (
	textsForOne  = newGroupTexts(`(SELECT $2::text AS book, $3::text AS caller) w`, lentCopies, `= $1`)
	textsForMany = newGroupTexts(`unnest($2::text[], $3::text[]) AS w (book, caller)`, lentCopiesOneByOne, `= ANY($1)`)
)

const lentCopiesOneByOne = ` FROM copies c
	LEFT JOIN LATERAL (SELECT * FROM loans WHERE copy_id = c.id AND returned_at IS NULL OFFSET 0) l ON true
	LEFT JOIN users lu ON lu.id = l.user_id `

func newGroupTexts(wanted, copies, among string) groupTexts {
	lock := func(counts string) string {
		return `SELECT ` + bookOnlyColumns + `, b.seq, ` + userColumns + `, ` + counts + `
			FROM ` + wanted + ` JOIN books b ON b.id = w.book JOIN users ON users.email_key = w.caller
			FOR UPDATE OF b SKIP LOCKED FOR SHARE OF users SKIP LOCKED`
	}
	return groupTexts{
		lock:         lock(`0, ` + overdueCount + `, 0`),
		lockCounting: lock(readerCounts),
		copies: `SELECT ` + lentCopyColumns + `, EXISTS (SELECT 1 FROM holds WHERE book_id = c.book_id AND ended_at IS NULL OFFSET 0),
			(SELECT ` + policyKey + ` FROM policy)` + copies + `WHERE c.book_id ` + among + ` ORDER BY c.seq`,
	}
}

const (
	// groupReaders locks the readers, where the policy limits what a reader may have: so that two loans at
	// once are not counted past each other.
	groupReaders = `SELECT id FROM users WHERE email_key = ANY($1) FOR NO KEY UPDATE SKIP LOCKED`

	// Most books have no holds. For those that have, the copies are read again with them, and the queues.
	heldCopies = `SELECT ` + copyColumns + lentCopiesOneByOne + `
		LEFT JOIN LATERAL (SELECT * FROM holds WHERE copy_id = c.id OFFSET 0) h ON true
		LEFT JOIN users hu ON hu.id = h.user_id WHERE c.book_id = ANY($1) ORDER BY c.seq`
	heldQueues = `SELECT ` + holdOnlyColumns + `, 0 FROM ` + holdsWithPeople + `
		WHERE h.book_id = ANY($1) AND h.ended_at IS NULL AND h.state = 'waiting' ORDER BY h.seq`

	// policyKey is another one whenever the policy is, also when it was changed by hand: xmin is the transaction that wrote it.
	policyKey        = `policy.version || ' ' || policy.xmin`
	policyWithItsKey = `SELECT ` + policyColumns + `, ` + policyKey + ` FROM policy`
)

// groups loads groups.
type groups struct {
	policy atomic.Pointer[knownPolicy] // that was read last
}

// knownPolicy is a policy as it was read, and its key.
type knownPolicy struct {
	library.Policy
	key string
}

func (p *knownPolicy) isLimited() bool { return p != nil && p.LimitsReaders() }

// load loads for all transactions what Load loads for one, with the same locks.
func (s *groups) load(ctx context.Context, t engine.Tx, loads []library.Load) (engine.Group, error) {
	g := &group{loads: loads, results: make([]groupResult, len(loads)), policy: s.policy.Load()}
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
	var readings []engine.Reading
	lock := texts.lock
	if g.policy.isLimited() {
		lock = texts.lockCounting
		readings = append(readings, engine.Reading{Doing: "lock readers", Text: groupReaders, Scan: engine.AllOf(&g.counted, engine.ScanText), Args: []any{callers}})
	}
	readings = append(readings,
		engine.Reading{Doing: "lock books", Text: lock, Scan: engine.Each(g.scanMember), Args: []any{now.UnixMicro(), book, caller}},
		engine.Reading{Doing: "read copies", Text: texts.copies, Scan: engine.Each(g.scanLentCopy), Args: []any{book}})
	if err := t.ReadAll(ctx, readings); err != nil {
		return nil, err
	}
	if rest := g.rest(); len(rest) > 0 {
		if err := t.ReadAll(ctx, rest); err != nil {
			return nil, err
		}
		s.policy.Store(g.policy)
	}
	g.complete()
	return g, nil
}

// rest reads what most groups do not need: a policy that is not known yet, and holds.
func (g *group) rest() (readings []engine.Reading) {
	var held []string
	isAnyFound := false
	for i := range g.results {
		r := &g.results[i]
		if r.found == nil {
			continue
		}
		isAnyFound = true
		if r.isHeld || len(r.found.Copies) == 0 { // without a copy nothing has said whether there are holds
			held, r.found.Copies = append(held, r.found.Book.ID), nil
		}
	}
	if isAnyFound && (g.policy == nil || g.policy.key != g.policyKey) {
		readings = append(readings, engine.Reading{Doing: "read policy", Text: policyWithItsKey, Scan: engine.Each(g.scanPolicy)})
	}
	if len(held) > 0 {
		readings = append(readings,
			engine.Reading{Doing: "read copies", Text: heldCopies, Scan: engine.Each(g.scanCopy), Args: []any{held}},
			engine.Reading{Doing: "read queues", Text: heldQueues, Scan: engine.Each(g.scanHold), Args: []any{held}})
	}
	return readings
}

// scanMember reads what a transaction has locked.
func (g *group) scanMember(record engine.Row) error {
	var (
		book   bookRow
		user   userRow
		r      groupResult
		reader library.Reader
	)
	dest := slices.Concat(book.dest(&r.seq), user.dest(), []any{&reader.Loans, &reader.Overdue, &reader.Holds})
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
	r.found = &library.Circulation{Book: b, Reader: readerFrom(r.caller, reader)}
	g.results[g.place(b.ID)] = r
	return nil
}

// place is that of the transaction about a book.
func (g *group) place(book string) int {
	return slices.IndexFunc(g.loads, func(l library.Load) bool { return l.Book == book })
}

func (g *group) scanPolicy(record engine.Row) (err error) {
	g.policy = new(knownPolicy)
	g.policy.Policy, err = scanPolicyAnd(record, &g.policy.key)
	return err
}

// scanLentCopy reads a copy without its hold, whether there are holds of the book, and which policy there is.
func (g *group) scanLentCopy(record engine.Row) error {
	var isHeld bool
	c, err := scanLentCopy(record, &isHeld, &g.policyKey)
	if found := g.about(c.BookID, err); found != nil {
		found.Copies = append(found.Copies, c)
		g.results[g.place(c.BookID)].isHeld = isHeld
	}
	return err
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

// complete adds the policy, and leaves those out who must be run alone. Where the policy limits the loans of a reader,
// each reader can be in a group once: a second loan in the group would not have counted the first.
func (g *group) complete() {
	seen := make(map[string]bool)
	for i, r := range g.results {
		switch {
		case r.found == nil:
		case g.policy.isLimited() && (seen[r.caller.ID] || !slices.Contains(g.counted, r.caller.ID)):
			g.results[i].found = nil
		default:
			r.found.Policy = g.policy.Policy
		}
		seen[r.caller.ID] = true
	}
}

// Loaded is what was loaded for a transaction; false if it must be run alone.
func (g *group) Loaded(i int) (library.User, *library.Circulation, bool) {
	r := g.results[i]
	return r.caller, r.found, r.found != nil
}
