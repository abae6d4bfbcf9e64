package sqlstore

import (
	"context"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// circulating is the rows of Load.
type circulating struct {
	caller *library.User
	book   *library.Book
	copies []library.Copy
	queue  []library.Hold
	policy *library.Policy
	reader *library.Reader
	isHeld bool // there are active holds of the book
}

// readings are the statements of Load, in the order of the locks: the book before people. Each
// statement sees every change from before the locks of the others. Loans and holds are counted
// if the policy limits them.
func (c *circulating) readings(d *engine.Dialect, l library.Load, isLimited bool) []engine.Reading {
	var all []engine.Reading
	add := func(doing, text string, scan func(engine.Records) error, args ...any) {
		all = append(all, engine.Reading{Doing: doing, Text: text, Args: args, Scan: scan})
	}
	lock := d.ForShare
	if l.Alone {
		lock = d.ForNoKeyUpdate
	}
	if l.Book == "" {
		if l.Caller != "" {
			add("read caller", userByEmail+lock, c.scanUser, library.EmailKey(l.Caller))
		}
		return all
	}
	add("read book", `SELECT `+bookOnlyColumns+` FROM books b WHERE b.id = $1`+d.ForUpdate, engine.First(&c.book, scanBookOnly), l.Book)
	who, reader := readerOf(l)
	caller := callerUnlimited
	if isLimited {
		caller = callerWhoReads
	}
	if isLimited && reader != "" && d.LocksRecords() {
		// Two transactions at once must not count past each other.
		add("lock reader", `SELECT id FROM users WHERE `+who+` = $1`+d.ForNoKeyUpdate, engine.None, reader)
	}
	switch {
	case l.Reader != "":
		if d.LocksRecords() {
			add("lock reader", `SELECT id FROM users WHERE id = $1`+d.ForShare, engine.None, reader)
		}
		add("read caller", userByEmail+lock, c.scanUser, library.EmailKey(l.Caller))
		add("read reader", theReader, engine.First(&c.reader, scanReader), l.Now.UnixMicro(), reader)
	case l.Caller != "":
		add("read caller", caller+lock, c.scanCaller, l.Now.UnixMicro(), reader)
	}
	add("read policy", policyAndHolds, c.scanPolicy, l.Book)
	add("read copies", heldByNobody, engine.AllOf(&c.copies, scanHeldByNobody), l.Book)
	return all
}

// The reader at a time $1, mostly the caller; and the policy, before which the reader is locked: a
// transaction with a new limit waits until this one can be counted.
const (
	theReader       = `SELECT ` + readerColumns + ` FROM users WHERE id = $2`
	callerWhoReads  = `SELECT ` + userColumns + `, ` + readerCounts + ` FROM users WHERE email_key = $2`
	callerUnlimited = `SELECT ` + userColumns + `, 0, ` + overdueCount + `, 0 FROM users WHERE email_key = $2`
	policyAndHolds  = `SELECT ` + policyColumns + `, EXISTS (SELECT 1 FROM holds WHERE book_id = $1 AND ended_at IS NULL) FROM policy`
)

func (c *circulating) scanUser(rows engine.Records) error {
	return engine.First(&c.caller, func(record engine.Row) (library.User, error) { return scanUser(record) })(rows)
}

// scanCaller reads a caller who is the reader, too.
func (c *circulating) scanCaller(rows engine.Records) error {
	return engine.Each(func(record engine.Row) error {
		var r library.Reader
		u, err := scanUser(record, &r.Loans, &r.Overdue, &r.Holds)
		r.Person = library.Person{ID: u.ID, FirstName: u.FirstName, LastName: u.LastName, Group: u.Group, Version: u.Version}
		r.Category, r.Card, r.Inactive, r.Station, r.Note, r.Block = u.Category, u.Card, u.Inactive, u.Station, u.Note, u.Block
		c.caller, c.reader = &u, &r
		return err
	})(rows)
}

func (c *circulating) scanPolicy(rows engine.Records) error {
	return engine.First(&c.policy, func(record engine.Row) (library.Policy, error) { return scanPolicyAnd(record, &c.isHeld) })(rows)
}

// moreReadings returns the statements for books with holds and for limits that were not known.
func (c *circulating) moreReadings(d *engine.Dialect, l library.Load, isLimited bool) (more []engine.Reading) {
	add := func(doing, text string, scan func(engine.Records) error, args ...any) {
		more = append(more, engine.Reading{Doing: doing, Text: text, Args: args, Scan: scan})
	}
	if c.isHeld {
		add("read copies", copiesOfBook, engine.AllOf(&c.copies, scanCopy), l.Book)
		add("read queue", queueOfBook, engine.AllOf(&c.queue, scanHold), l.Book)
	}
	if c.reader == nil || !c.policy.LimitsReaders() {
		return more
	}
	if !isLimited {
		if d.LocksRecords() {
			add("lock reader", `SELECT id FROM users WHERE id = $1`+d.ForNoKeyUpdate, engine.None, c.reader.ID)
		}
		add("read reader", theReader, engine.First(&c.reader, scanReader), l.Now.UnixMicro(), c.reader.ID)
	}
	if c.policy.LimitsKinds() {
		add("count kinds", loansOfKinds, c.scanKinds, c.reader.ID, l.Now.UnixMicro())
	}
	return more
}

// scanKinds reads the loans and holds of the reader by kind. It comes after everything that replaces the reader.
func (c *circulating) scanKinds(rows engine.Records) (err error) {
	c.reader.LoansOfKind, c.reader.HoldsOfKind, err = scanKinds(rows)
	return err
}

// Load returns the caller, and the circulation of a book.
func (t *tx) Load(ctx context.Context, l library.Load) (library.User, *library.Circulation, error) {
	var caller library.User
	if err := t.sql.WaitInLine(ctx, l); err != nil {
		return caller, nil, err
	}
	var c circulating
	isLimited := !t.unlimited.Load()
	if err := t.sql.ReadAll(ctx, c.readings(t.dialect, l, isLimited)); err != nil {
		return caller, nil, err
	}
	switch {
	case c.caller != nil:
		caller = *c.caller
	case l.Caller != "":
		return caller, nil, library.ErrUserNotFound
	}
	if c.book == nil {
		return caller, nil, nil
	}
	t.unlimited.Store(!c.policy.LimitsReaders())
	if more := c.moreReadings(t.dialect, l, isLimited); len(more) > 0 {
		if err := t.sql.ReadAll(ctx, more); err != nil {
			return caller, nil, err
		}
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

// Save writes a decision. Records are given up before others are taken, so a
// copy can pass from one to the other.
func (t *tx) Save(ctx context.Context, d library.Decision) error {
	w := writer{ctx: ctx, tx: t.sql}
	for _, h := range d.Moved {
		if h.CopyID == "" {
			w.moveHold(h)
		}
	}
	w.changeLoans(d)
	for _, c := range d.AddedCopies {
		w.addCopy(c)
	}
	for _, c := range d.EditedCopies {
		w.editCopy(c)
	}
	for _, c := range d.TouchedCopies {
		w.touchCopy(c)
	}
	for _, h := range slices.Concat(d.Moved, d.Fetched) {
		if h.CopyID != "" {
			w.moveHold(h)
		}
	}
	for _, h := range d.Placed {
		w.placeHold(h)
	}
	w.then(func() error { return t.AddNotices(ctx, d.Notices) })
	for _, id := range d.RemovedCopies {
		w.removeCopy(id)
	}
	for _, l := range d.Opened {
		w.openLoan(l)
	}
	for _, l := range d.Reopened {
		w.reopenLoan(l)
	}
	w.saveStock(d)
	t.changes.decided(&d)
	return w.err
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

// beforeForgetting publishes the events so far: triggers take the person out of events
// in the table.
func (t *tx) beforeForgetting(ctx context.Context) error {
	w := writer{ctx: ctx, tx: t.sql}
	t.changes.publishEvents(&w)
	return w.err
}
