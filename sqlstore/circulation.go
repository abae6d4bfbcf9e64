package sqlstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// circulating is what Load reads, statement by statement.
type circulating struct {
	caller *library.User
	book   *library.Book
	copies []library.Copy
	queue  []library.Hold
	policy *library.Policy
	reader *library.Reader
	limits []string // the reader, if there were limits when it was locked
	isHeld bool     // there are active holds of the book
}

// bookAndCaller is what most transactions begin with: a book, and the caller as its reader.
var bookAndCaller = `SELECT ` + bookOnlyColumns + `, ` + userColumns + `, ` + readerCounts + `, ` + policyColumns + `,
		EXISTS (SELECT 1 FROM holds WHERE book_id = b.id AND ended_at IS NULL)
	FROM books b CROSS JOIN users CROSS JOIN policy WHERE b.id = $2 AND email_key = $3`

// loadAtOnce reads that in one statement, where nothing has to be locked, and then what
// there is of copies and holds. It reports whether that was all: the book or the caller may
// not be there.
func (c *circulating) loadAtOnce(ctx context.Context, t *tx, l library.Load) (bool, error) {
	if t.dialect.LocksRecords() || l.Book == "" || l.Caller == "" || l.Reader != "" {
		return false, nil
	}
	err := t.sql.Read(ctx, engine.Reading{Doing: "read book and caller", Text: bookAndCaller,
		Args: []any{l.Now.UnixMicro(), l.Book, library.EmailKey(l.Caller)}, Scan: engine.Each(c.scanAtOnce)})
	if err != nil || c.book == nil {
		return false, err
	}
	return true, t.sql.ReadAll(ctx, c.copiesAndQueue(l))
}

func (c *circulating) scanAtOnce(record engine.Row) error {
	var b bookRow
	var u userRow
	var r library.Reader
	var p policyRow
	if err := record.Scan(b.dest(slices.Concat(u.dest(), []any{&r.Loans, &r.Overdue, &r.Holds}, p.dest(), []any{&c.isHeld})...)...); err != nil {
		return err
	}
	book, err := b.book()
	caller, failed := u.user()
	policy, bad := p.policy()
	reader := readerFrom(caller, r)
	c.book, c.caller, c.reader, c.policy = &book, &caller, &reader, &policy
	return errors.Join(err, failed, bad)
}

// copiesAndQueue reads no holds if there are none.
func (c *circulating) copiesAndQueue(l library.Load) []engine.Reading {
	args := []any{l.Book}
	if !c.isHeld {
		return []engine.Reading{{Doing: "read copies", Text: heldByNobody, Args: args, Scan: engine.AllOf(&c.copies, scanHeldByNobody)}}
	}
	return []engine.Reading{
		{Doing: "read copies", Text: copiesOfBook, Args: args, Scan: engine.AllOf(&c.copies, scanCopy)},
		{Doing: "read queue", Text: queueOfBook, Args: args, Scan: engine.AllOf(&c.queue, scanHold)},
	}
}

// readings are in the order of the locks. Each statement sees what happened while
// those before it waited.
func (c *circulating) readings(d *engine.Dialect, l library.Load) []engine.Reading {
	var all []engine.Reading
	add := func(doing, text string, scan func(engine.Records) error, args ...any) {
		all = append(all, engine.Reading{Doing: doing, Text: text, Args: args, Scan: scan})
	}
	if l.Book != "" {
		add("read book", `SELECT `+bookOnlyColumns+` FROM books b WHERE b.id = $1`+d.ForUpdate,
			engine.First(&c.book, scanBookOnly), l.Book)
	}
	who, reader := readerOf(l)
	if l.Book != "" && reader != "" && d.LocksRecords() {
		// Only if the policy limits what a reader may have, so that two loans at
		// once are not counted past each other.
		add("lock reader", `SELECT id FROM users WHERE `+who+` = $1
			AND EXISTS (SELECT 1 FROM policy WHERE max_loans > 0 OR max_holds > 0)`+d.ForNoKeyUpdate, engine.AllOf(&c.limits, engine.ScanText), reader)
	}
	if l.Book != "" && l.Reader != "" && d.LocksRecords() {
		// As the caller is, before the policy is read: a transaction that learns of a
		// limit that this one does not know waits until it can be counted.
		add("lock reader", `SELECT id FROM users WHERE id = $1`+d.ForShare, engine.None, l.Reader)
	}
	switch {
	case l.Book != "" && l.Caller != "" && l.Reader == "":
		add("read caller", callerWhoReads+d.ForShare, c.scanCaller, l.Now.UnixMicro(), reader)
	case l.Caller != "":
		add("read caller", userByEmail+d.ForShare, engine.First(&c.caller, func(r engine.Row) (library.User, error) { return scanUser(r) }), library.EmailKey(l.Caller))
	}
	if l.Book == "" {
		return all
	}
	c.isHeld = true // as far as is known
	all = append(all, c.copiesAndQueue(l)...)
	add("read policy", thePolicy, engine.First(&c.policy, scanPolicy))
	if l.Reader != "" {
		add("read reader", theReader, engine.First(&c.reader, scanReader), l.Now.UnixMicro(), l.Reader)
	}
	return all
}

// The reader at a time $1; mostly that is the caller, and read together.
const (
	theReader      = `SELECT ` + readerColumns + ` FROM users WHERE id = $2`
	callerWhoReads = `SELECT ` + userColumns + `, ` + readerCounts + ` FROM users WHERE email_key = $2`
)

// scanCaller reads a caller who is the reader, too.
func (c *circulating) scanCaller(rows engine.Records) error {
	return engine.Each(func(record engine.Row) error {
		u, r, err := scanCallerWhoReads(record)
		c.caller, c.reader = &u, &r
		return err
	})(rows)
}

func scanCallerWhoReads(record engine.Row) (library.User, library.Reader, error) {
	var r library.Reader
	u, err := scanUser(record, &r.Loans, &r.Overdue, &r.Holds)
	return u, readerFrom(u, r), err
}

// readerFrom is a user as a reader, with what was counted.
func readerFrom(u library.User, counted library.Reader) library.Reader {
	counted.Person, counted.Card = library.Person{ID: u.ID, FirstName: u.FirstName, LastName: u.LastName, Group: u.Group, Version: u.Version}, u.Card
	counted.Inactive = u.Inactive
	return counted
}

// countAgain locks and counts anew if the policy got its limits after the reader
// was to be locked.
func (c *circulating) countAgain(d *engine.Dialect, l library.Load) []engine.Reading {
	limited := c.policy != nil && c.policy.LimitsReaders()
	if !limited || len(c.limits) > 0 || c.reader == nil || !d.LocksRecords() {
		return nil
	}
	return []engine.Reading{
		{Doing: "lock reader", Text: `SELECT id FROM users WHERE id = $1` + d.ForNoKeyUpdate, Args: []any{c.reader.ID}, Scan: engine.None},
		{Doing: "read reader", Text: theReader, Args: []any{l.Now.UnixMicro(), c.reader.ID}, Scan: engine.First(&c.reader, scanReader)},
	}
}

// Load returns the caller, and the circulation of a book.
func (t *tx) Load(ctx context.Context, l library.Load) (library.User, *library.Circulation, error) {
	if caller, found, joined, err := t.sql.JoinGroup(ctx, l); joined || err != nil {
		return caller, found, err
	}
	var c circulating
	loaded, err := c.loadAtOnce(ctx, t, l)
	if err == nil && !loaded {
		err = t.sql.ReadAll(ctx, c.readings(t.dialect, l))
	}
	if err != nil {
		return library.User{}, nil, err
	}
	if again := c.countAgain(t.dialect, l); len(again) > 0 {
		if err := t.sql.ReadAll(ctx, again); err != nil {
			return library.User{}, nil, err
		}
	}
	var caller library.User
	switch {
	case c.caller != nil:
		caller = *c.caller
	case l.Caller != "":
		return library.User{}, nil, library.ErrUserNotFound
	}
	if c.book == nil {
		return caller, nil, nil
	}
	found := &library.Circulation{Book: *c.book, Copies: c.copies, Queue: c.queue, Policy: *c.policy}
	for i := range found.Queue {
		found.Queue[i].Position = i + 1
	}
	if c.reader != nil {
		found.Reader = *c.reader
	}
	return caller, found, nil
}

// readerOf is the column and the value by which to find the reader whom a transaction
// concerns. The value is "" if it concerns nobody.
func readerOf(l library.Load) (column, value string) {
	if l.Reader != "" {
		return "id", l.Reader
	}
	return "email_key", library.EmailKey(l.Caller)
}

// Save writes a decision. What is given up goes before what is taken, so that a
// copy can pass from one to the other. In a group the holds alone are written here.
func (t *tx) Save(ctx context.Context, d library.Decision) error {
	w := writer{ctx: ctx, tx: t.sql}
	joined, err := t.sql.Decide(d)
	if err != nil {
		return err
	}
	if joined {
		w.moveHolds(d)
		w.then(func() error { return t.AddNotices(ctx, d.Notices) })
		return w.err
	}
	for _, l := range d.Changed {
		w.changeLoan(l)
	}
	for _, c := range d.AddedCopies {
		w.addCopy(c)
	}
	for _, c := range d.EditedCopies {
		w.editCopy(c)
	}
	w.moveHolds(d)
	w.then(func() error { return t.AddNotices(ctx, d.Notices) })
	for _, id := range d.RemovedCopies {
		w.removeCopy(id)
	}
	for _, l := range d.Opened {
		w.openLoan(l)
	}
	w.saveStock(d)
	t.changes.decided(&d)
	return w.err
}

func (w *writer) moveHolds(d library.Decision) {
	for _, h := range slices.Concat(d.Moved, d.Fetched) {
		w.moveHold(h)
	}
	for _, h := range d.Placed {
		w.placeHold(h)
	}
}

// Forget takes the person out of past loans, and then of past holds.
func (t *tx) Forget(ctx context.Context, userID string, before time.Time, most int) (int, error) {
	if err := t.beforeForgetting(ctx); err != nil {
		return 0, err
	}
	forgotten := 0
	for _, text := range []string{
		`UPDATE loans SET user_id = NULL WHERE id IN (
			SELECT id FROM loans WHERE returned_at < $1 AND user_id `,
		`UPDATE holds SET user_id = NULL WHERE id IN (
			SELECT id FROM holds WHERE ended_at < $1 AND user_id `,
	} {
		args := []any{before.UnixMicro(), most - forgotten}
		if userID == "" {
			text += `IS NOT NULL`
		} else {
			text += `= $3`
			args = append(args, userID)
		}
		result, err := t.sql.ExecContext(ctx, text+` LIMIT $2)`, args...)
		if err != nil {
			return forgotten, t.dialect.Error(ctx, "forget", err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return forgotten, t.dialect.Error(ctx, "forget", err)
		}
		if forgotten += int(n); forgotten >= most {
			break
		}
	}
	t.changes.past = t.changes.past || forgotten > 0
	if userID != "" {
		return forgotten, t.ForgetNotices(ctx, userID)
	}
	return forgotten, nil
}

// beforeForgetting publishes the events so far: triggers take the person out of those
// that are there.
func (t *tx) beforeForgetting(ctx context.Context) error {
	w := writer{ctx: ctx, tx: t.sql}
	t.changes.publishEvents(&w)
	return w.err
}
