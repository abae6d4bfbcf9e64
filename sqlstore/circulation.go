package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
)

// What Load reads, in this order, which is also the order of the locks. Each
// statement sees what happened while those before it waited.
const (
	circulatingBook = `SELECT ` + bookOnlyColumns + `, ` + noStockColumns + ` FROM books b WHERE b.id = $1`

	// limitedReader finds the reader only if the policy limits what a reader may
	// have; then the record is locked, so that two loans at once are not counted
	// past each other.
	limitedReader = `SELECT id FROM users WHERE id = $1
		AND EXISTS (SELECT 1 FROM policy WHERE max_loans > 0 OR max_holds > 0)`
	theReader = `SELECT ` + readerColumns + ` FROM users WHERE id = $2`
)

// Load returns the caller, and the circulation of a book.
func (t *tx) Load(ctx context.Context, l library.Load) (library.User, *library.Circulation, error) {
	c, err := t.circulation(ctx, l)
	if err != nil && !errors.Is(err, library.ErrBookNotFound) {
		return library.User{}, nil, err
	}
	var u library.User
	if l.Caller != "" {
		if u, err = readUser(ctx, t.sql, nil, oneUser+t.dialect.forShare, l.Caller); err != nil {
			return library.User{}, nil, err
		}
	}
	if c == nil {
		return u, nil, nil
	}
	return u, c, t.complete(ctx, l, c)
}

// circulation locks the book, and the reader if need be.
func (t *tx) circulation(ctx context.Context, l library.Load) (*library.Circulation, error) {
	if l.Book == "" {
		return nil, nil
	}
	b, err := scanBook(t.sql.QueryRowContext(ctx, circulatingBook+t.dialect.forUpdate, l.Book))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, library.ErrBookNotFound
	}
	if err != nil {
		return nil, dbError(ctx, "read book", err)
	}
	if t.dialect.forNoKeyUpdate != "" && reader(l) != "" {
		_, err := t.sql.ExecContext(ctx, limitedReader+t.dialect.forNoKeyUpdate, reader(l))
		if err != nil {
			return nil, dbError(ctx, "lock reader", err)
		}
	}
	return &library.Circulation{Book: b}, nil
}

// complete reads everything about a book that is locked.
func (t *tx) complete(ctx context.Context, l library.Load, c *library.Circulation) (err error) {
	if c.Copies, err = collect(ctx, t.sql, "read copies", scanCopy, copiesOfBook, l.Book); err != nil {
		return err
	}
	if c.Queue, err = collect(ctx, t.sql, "read queue", scanHold, queueOfBook, l.Book); err != nil {
		return err
	}
	for i := range c.Queue {
		c.Queue[i].Position = i + 1
	}
	if c.Policy, err = readPolicy(ctx, t.sql, thePolicy); err != nil || reader(l) == "" {
		return err
	}
	c.Reader, err = scanReader(t.sql.QueryRowContext(ctx, theReader, l.Now.UnixMicro(), reader(l)))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return dbError(ctx, "read reader", err)
}

// reader is whom a transaction concerns.
func reader(l library.Load) string {
	if l.Reader != "" {
		return l.Reader
	}
	return l.Caller
}

// Save writes a decision. What is given up goes before what is taken, so that a
// copy can pass from one to the other; the stock goes last, because it tells of
// all of it.
func (t *tx) Save(ctx context.Context, d library.Decision) error {
	w := writer{ctx: ctx, tx: t}
	for _, l := range d.Changed {
		w.changeLoan(l)
	}
	for _, c := range d.AddedCopies {
		w.addCopy(c)
	}
	for _, c := range d.EditedCopies {
		w.editCopy(c)
	}
	for _, h := range d.Moved {
		w.moveHold(h)
	}
	for _, h := range d.Placed {
		w.placeHold(h)
	}
	for _, id := range d.RemovedCopies {
		w.removeCopy(id)
	}
	for _, l := range d.Opened {
		w.openLoan(l)
	}
	w.saveStock(d)
	return w.err
}

// writer runs the statements of a decision, until one fails.
type writer struct {
	ctx context.Context
	tx  *tx
	err error
}

func (w *writer) exec(doing, text string, args ...any) { w.expect(doing, -1, nil, text, args...) }

// expect is exec for a statement that must change n records; otherwise the error
// is notFound.
func (w *writer) expect(doing string, n int, notFound error, text string, args ...any) {
	if w.err != nil {
		return
	}
	result, err := w.tx.sql.ExecContext(w.ctx, text, args...)
	switch {
	case err != nil:
		w.err = w.tx.saveError(w.ctx, doing, err)
	case n >= 0:
		w.err = dbError(w.ctx, doing, expect(result, n, notFound))
	}
}

// saveError is what the schema has against a decision, in the words of the
// domain. A decision about what was loaded and locked runs into none of these,
// but for barcodes and identifiers, which belong to the whole library.
func (t *tx) saveError(ctx context.Context, doing string, err error) error {
	d := t.dialect.diagnose(err)
	switch d.constraint {
	case copiesBarcode:
		return library.ErrBarcodeTaken
	case copiesID, loansID, holdsID:
		return library.ErrIdentifierTaken
	case loansOnePerCopy, copyIsLent:
		return library.ErrBookBorrowed
	case loansOnePerReader:
		return library.ErrHasIt
	case holdsOnePerReader:
		return library.ErrAlreadyHeld
	case holdsOnePerCopy, copyIsSetAside:
		return library.ErrReserved
	case copyOfTheBook:
		return library.ErrCopyNotFound
	case loansUser, holdsUser:
		return library.ErrUserNotFound
	case loansBook, holdsBook, copiesBook:
		return library.ErrBookNotFound
	}
	return dbError(ctx, doing, err)
}

// Forget takes the person out of past loans, and then of past holds.
func (t *tx) Forget(ctx context.Context, userID string, before time.Time, most int) (int, error) {
	forgotten := 0
	for _, text := range []string{
		`UPDATE loans SET user_id = NULL, version = version + 1 WHERE id IN (
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
			return forgotten, dbError(ctx, "forget", err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return forgotten, dbError(ctx, "forget", err)
		}
		if forgotten += int(n); forgotten >= most {
			break
		}
	}
	return forgotten, nil
}
