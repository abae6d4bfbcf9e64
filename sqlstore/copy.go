package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// A copy c is read with its open loan l, the borrower lu, the hold h for which
// it is set aside, and the holder hu.
const copyColumns = lentCopyColumns + `,
		h.id, h.book_id, h.book_title, h.book_authors, h.seq, h.until_at, h.fetched_at, h.created_at, hu.id, hu.first_name, hu.last_name, hu.group_name, hu.version`

// lentCopyColumns are without the hold.
const lentCopyColumns = `c.id, c.book_id, c.barcode, c.shelf, c.note, c.state, c.created_at, c.version, c.seen_at, c.missing_since, c.before_missing,
		l.id, l.book_id, l.book_title, l.book_authors, l.borrowed_at, l.due_at, l.claimed_at, l.renewals, coalesce(l.rule, ''),
		coalesce(l.several, FALSE), coalesce(lu.category, ''), coalesce(lu.block, '') <> '', lu.id, lu.first_name, lu.last_name, lu.group_name, lu.version`

const (
	lentPeople = ` LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL LEFT JOIN users lu ON lu.id = l.user_id `
	heldPeople = ` LEFT JOIN holds h ON h.copy_id = c.id LEFT JOIN users hu ON hu.id = h.user_id `
	lentCopies = ` FROM copies c` + lentPeople

	copiesWithPeople = `SELECT ` + copyColumns + lentCopies + heldPeople
)

const (
	copiesOfBook = copiesWithPeople + inBook
	// heldByNobody reads the copies of a book without holds.
	heldByNobody = `SELECT ` + lentCopyColumns + lentCopies + inBook
	inBook       = `WHERE c.book_id = $1 ORDER BY c.seq`
)

// Copy returns one copy.
func (s *Store) Copy(ctx context.Context, id string) (library.Copy, error) {
	return oneCopy(ctx, s, scanCopy, copiesWithPeople+`WHERE c.id = $1`, id)
}

// CopyByBarcode returns the copy with a barcode.
func (s *Store) CopyByBarcode(ctx context.Context, barcode string) (library.Copy, error) {
	return oneCopy(ctx, s, scanCopy, copiesWithPeople+`WHERE c.barcode = $1`, barcode)
}

// CopyInHand returns the identifiers of a copy and its book, and its state, without the rest.
func (s *Store) CopyInHand(ctx context.Context, id, barcode string) (library.Copy, error) {
	text, key := `SELECT id, book_id, state FROM copies WHERE barcode = $1`, barcode
	if id != "" {
		text, key = `SELECT id, book_id, state FROM copies WHERE id = $1`, id
	}
	return oneCopy(ctx, s, func(r engine.Row) (c library.Copy, err error) {
		err = r.Scan(&c.ID, &c.BookID, &c.State)
		return c, err
	}, text, key)
}

func oneCopy(ctx context.Context, s *Store, scan func(engine.Row) (library.Copy, error), text, key string) (library.Copy, error) {
	c, err := engine.ReadOne(ctx, s.db, "read copy", scan, text, key)
	if errors.Is(err, sql.ErrNoRows) {
		return library.Copy{}, library.ErrCopyNotFound
	}
	return c, err
}

// Copies returns the copies of a book, the oldest first.
func (s *Store) Copies(ctx context.Context, bookID string) ([]library.Copy, error) {
	return engine.Collect(ctx, s.db, "list copies", scanCopy, copiesOfBook, bookID)
}

// CopiesOf returns the copies of several books, with barcode, shelf and state.
func (s *Store) CopiesOf(ctx context.Context, bookIDs []string) ([]library.Copy, error) {
	var a engine.Arguments
	text := `SELECT id, book_id, barcode, shelf, state FROM copies WHERE book_id ` + s.dialect.Among(a.Add(s.dialect.List(bookIDs))) + ` ORDER BY book_id, seq`
	return engine.Collect(ctx, s.db, "list copies of books", func(record engine.Row) (c library.Copy, err error) {
		var barcode sql.NullString
		err = record.Scan(&c.ID, &c.BookID, &barcode, &c.Shelf, &c.State)
		c.Barcode = barcode.String
		return c, err
	}, text, s.dialect.PlannedFor(a)...)
}

// copyRow is the copyColumns of a row.
type copyRow struct {
	library.Copy
	barcode                   sql.NullString
	created                   int64
	loanID, holdID            sql.NullString
	loanBook, holdBook        refRow
	since, due, until, placed sql.NullInt64
	seen, missing, claimed    sql.NullInt64
	renewals, seq, fetched    sql.NullInt64
	borrower, holder          personRow
	blocked, several          bool
	rule, category            string
}

// lentDest is for the lentCopyColumns.
func (r *copyRow) lentDest() []any {
	dest := []any{&r.ID, &r.BookID, &r.barcode, &r.Shelf, &r.Note, &r.State, &r.created, &r.Version, &r.seen, &r.missing, &r.Before, &r.loanID}
	dest = append(dest, r.loanBook.dest()...)
	dest = append(dest, &r.since, &r.due, &r.claimed, &r.renewals, &r.rule, &r.several, &r.category, &r.blocked)
	return append(dest, r.borrower.dest()...)
}

func (r *copyRow) dest() []any {
	dest := append(r.lentDest(), &r.holdID)
	dest = append(dest, r.holdBook.dest()...)
	dest = append(dest, &r.seq, &r.until, &r.fetched, &r.placed)
	return append(dest, r.holder.dest()...)
}

func (r *copyRow) copy() (library.Copy, error) {
	c := r.Copy
	c.Barcode, c.Created = r.barcode.String, engine.FromMicro(r.created)
	c.Seen, c.MissingSince = engine.FromNullMicro(r.seen), engine.FromNullMicro(r.missing)
	if r.loanID.Valid {
		ref, err := r.loanBook.ref()
		if err != nil {
			return c, err
		}
		c.Loan = &library.Loan{
			ID: r.loanID.String, Book: ref, CopyID: c.ID, Barcode: c.Barcode, Borrower: r.borrower.person(),
			Since: engine.FromMicro(r.since.Int64), Due: engine.FromNullMicro(r.due), Renewals: int(r.renewals.Int64),
			Claimed: engine.FromNullMicro(r.claimed), Shelf: c.Shelf, Rule: r.rule, Several: r.several,
			Category: r.category, BorrowerBlocked: r.blocked,
		}
	}
	if r.holdID.Valid {
		ref, err := r.holdBook.ref()
		if err != nil {
			return c, err
		}
		c.Hold = &library.Hold{
			ID: r.holdID.String, Book: ref, CopyID: c.ID, Barcode: c.Barcode, Holder: r.holder.person(),
			State: library.Ready, Seq: r.seq.Int64, Until: engine.FromNullMicro(r.until), Fetched: engine.FromNullMicro(r.fetched), Created: engine.FromMicro(r.placed.Int64),
		}
	}
	return c, nil
}

func scanCopy(record engine.Row) (library.Copy, error) {
	var r copyRow
	if err := record.Scan(r.dest()...); err != nil {
		return library.Copy{}, err
	}
	return r.copy()
}

// scanHeldByNobody reads a copy without a hold.
func scanHeldByNobody(record engine.Row) (library.Copy, error) { return scanLentCopy(record) }

// scanLentCopy reads a copy without a hold, and the columns after the lentCopyColumns.
func scanLentCopy(record engine.Row, more ...any) (library.Copy, error) {
	var r copyRow
	if err := record.Scan(append(r.lentDest(), more...)...); err != nil {
		return library.Copy{}, err
	}
	return r.copy()
}

func (w *writer) addCopy(c library.Copy) {
	w.exec("add copy", `
		INSERT INTO copies (id, book_id, barcode, shelf, note, state, created_at, version, missing_since, before_missing)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		c.ID, c.BookID, engine.TextOrNull(c.Barcode), c.Shelf, c.Note, string(c.State), c.Created.UnixMicro(), c.Version,
		engine.MicroOrNull(c.MissingSince), string(c.Before))
}

func (w *writer) editCopy(c library.Copy) {
	w.expect("edit copy", library.ErrCopyNotFound, `
		UPDATE copies SET barcode = $2, shelf = $3, note = $4, state = $5, version = $6,
			seen_at = $7, missing_since = $8, before_missing = $9, touched = touched + 1 WHERE id = $1`,
		c.ID, engine.TextOrNull(c.Barcode), c.Shelf, c.Note, string(c.State), c.Version,
		engine.MicroOrNull(c.Seen), engine.MicroOrNull(c.MissingSince), string(c.Before))
}

// touchCopy writes that a copy was lent, returned, set aside or seen.
func (w *writer) touchCopy(c library.Copy) {
	w.expect("touch copy", library.ErrCopyNotFound, `UPDATE copies SET seen_at = $2, touched = touched + 1 WHERE id = $1`, c.ID, engine.MicroOrNull(c.Seen))
}

// removeCopy removes a copy. Its past loans stay, without it.
func (w *writer) removeCopy(id string) {
	w.expect("remove copy", library.ErrCopyNotFound, `DELETE FROM copies WHERE id = $1`, id)
}
