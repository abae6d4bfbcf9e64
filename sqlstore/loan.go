package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/internal/revcache"
	"example.org/library/sqlstore/engine"
)

// A loan l is read with the barcode of its copy c and the borrower u, and with
// what decides whether it can be renewed at the time $1.
const (
	loanColumns = `l.id, l.book_id, l.book_title, l.book_authors, l.copy_id, c.barcode,
		u.id, u.first_name, u.last_name, u.group_name, u.version, l.borrowed_at, l.due_at, l.returned_at, l.renewals, l.claimed_at, l.lost, l.rule, l.several, l.due_given, coalesce(c.shelf, ''),
		coalesce(u.category, ''), coalesce((SELECT kind FROM books WHERE id = l.book_id), ''), coalesce(u.block, '') <> '',
		` + renewalColumns
	// renewalColumns are Awaited and BorrowerOverdue of a loan l.
	renewalColumns = `CASE WHEN l.returned_at IS NULL THEN
			(SELECT count(*) FROM holds w WHERE w.book_id = l.book_id AND w.state = 'waiting' AND w.ended_at IS NULL) ELSE 0 END,
		l.returned_at IS NULL AND EXISTS (
			SELECT 1 FROM loans o WHERE o.user_id = l.user_id AND o.returned_at IS NULL AND o.claimed_at IS NULL AND o.due_at < $1)`
	loansWithPeople = `loans l LEFT JOIN copies c ON c.id = l.copy_id LEFT JOIN users u ON u.id = l.user_id`
)

// never is the due date of loans without one: they come last.
const never = math.MaxInt64

var (
	loansByDue    = engine.Ordering{Columns: []string{`coalesce(l.due_at, 9223372036854775807)`, `l.id`}}
	loansByClaim  = engine.Ordering{Columns: []string{`l.claimed_at`, `l.id`}}
	loansByReturn = engine.Ordering{Columns: []string{`l.returned_at`, `l.id`}, Descending: true}
)

// Loan returns one loan.
func (s *Store) Loan(ctx context.Context, id string, now time.Time) (library.Loan, error) {
	l, err := engine.ReadOne(ctx, s.db, "read loan", scanLoan,
		`SELECT `+loanColumns+` FROM `+loansWithPeople+` WHERE l.id = $2`, now.UnixMicro(), id)
	if errors.Is(err, sql.ErrNoRows) {
		return library.Loan{}, library.ErrLoanNotFound
	}
	return l, err
}

// Loans returns up to q.Limit loans after q.After.
func (s *Store) Loans(ctx context.Context, q library.LoanQuery) ([]library.Loan, error) {
	a := engine.Arguments{q.Now.UnixMicro()}
	sel := engine.Selection{From: loansWithPeople, Where: loanConditions(&a, q)}
	order, after := loansByDue, []any(nil)
	switch q.Filter {
	case library.ReturnedLoans:
		order = loansByReturn
	case library.ClaimedLoans:
		order = loansByClaim
	}
	if c := q.After; c != nil {
		at := int64(never)
		if !c.Created.IsZero() {
			at = c.Created.UnixMicro()
		}
		after = []any{at, c.ID}
	}
	tail := order.Page(&a, &sel, after, q.Limit)
	return engine.Collect(ctx, s.db, "list loans", scanLoan, sel.Text(loanColumns, tail), s.dialect.PlannedFor(a)...)
}

// CountLoans counts the matching loans, whatever q.Limit and q.After.
func (s *Store) CountLoans(ctx context.Context, q library.LoanQuery) (int, error) {
	var a engine.Arguments
	sel := engine.Selection{From: `loans l`, Where: loanConditions(&a, q)}
	if q.Filter == library.OverdueLoans { // another one at any time
		return s.counts.Anew(ctx, sel.Text(`count(*)`, ""), a)
	}
	return s.counts.Cached(ctx, sel.Text(`count(*)`, ""), a, revcache.Anything)
}

func loanConditions(a *engine.Arguments, q library.LoanQuery) []string {
	where := []string{`l.returned_at IS NULL`}
	switch q.Filter {
	case library.ReturnedLoans:
		where[0] = `l.returned_at IS NOT NULL`
	case library.OverdueLoans:
		where = append(where, `l.claimed_at IS NULL`, `coalesce(l.due_at, 9223372036854775807) < `+a.Add(q.Now.UnixMicro()))
	case library.ClaimedLoans:
		where = append(where, `l.claimed_at IS NOT NULL`)
	}
	if q.From != nil {
		where = append(where, `l.returned_at >= `+a.Add(q.From.Begin(q.Zone).UnixMicro()))
	}
	if q.To != nil {
		where = append(where, `l.returned_at < `+a.Add(q.To.AddDays(1).Begin(q.Zone).UnixMicro()))
	}
	if in := inGroup(a, q.Group); in != nil {
		where = append(where, `l.user_id IN (SELECT id FROM users WHERE `+strings.Join(in, ` AND `)+`)`)
	}
	return append(where, ofUserAndBook(a, `l`, q.UserID, q.BookID)...)
}

// ofUserAndBook are the conditions for the loans or holds of a user and of a book; ""
// is for all.
func ofUserAndBook(a *engine.Arguments, table, userID, bookID string) (where []string) {
	if userID != "" {
		where = append(where, table+`.user_id = `+a.Add(userID))
	}
	if bookID != "" {
		where = append(where, table+`.book_id = `+a.Add(bookID))
	}
	return where
}

func scanLoan(record engine.Row) (library.Loan, error) {
	var (
		l               library.Loan
		book            refRow
		copyID, barcode sql.NullString
		borrower        personRow
		since           int64
		due, returned   sql.NullInt64
		claimed         sql.NullInt64
	)
	dest := append([]any{&l.ID}, book.dest()...)
	dest = append(append(dest, &copyID, &barcode), borrower.dest()...)
	if err := record.Scan(append(dest, &since, &due, &returned, &l.Renewals, &claimed, &l.Lost, &l.Rule, &l.Several, &l.DueGiven, &l.Shelf, &l.Category, &l.Kind, &l.BorrowerBlocked, &l.Awaited, &l.BorrowerOverdue)...); err != nil {
		return library.Loan{}, err
	}
	l.CopyID, l.Barcode, l.Borrower = copyID.String, barcode.String, borrower.person()
	l.Since, l.Due, l.Returned = engine.FromMicro(since), engine.FromNullMicro(due), engine.FromNullMicro(returned)
	l.Claimed = engine.FromNullMicro(claimed)
	var err error
	l.Book, err = book.ref()
	return l, err
}

func (w *writer) openLoan(l library.Loan) {
	w.exec("open loan", `
		INSERT INTO loans (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, due_at, rule, several, due_given)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		l.ID, l.Book.ID, l.Book.Title, engine.FormatList(l.Book.Authors), l.CopyID, l.Borrower.ID, l.Since.UnixMicro(), engine.MicroOrNull(l.Due), l.Rule, l.Several, l.DueGiven)
}

// changeLoans writes the loans that a decision closes, renews or moves to other copies.
// While two loans exchange their copies, the first is closed: a copy never has two open loans.
func (w *writer) changeLoans(d library.Decision) {
	moved := slices.DeleteFunc(slices.Clone(d.Changed), func(l library.Loan) bool { return !l.Open() || !d.HasOtherCopy(l) })
	if len(moved) == 2 {
		w.expect("close loan", library.ErrNotOpen, `UPDATE loans SET returned_at = borrowed_at WHERE id = $1 AND returned_at IS NULL`, moved[0].ID)
		w.changeLoan(moved[1], true)
		w.expect("move loan", library.ErrNotOpen, `UPDATE loans SET copy_id = $2, returned_at = NULL WHERE id = $1`, moved[0].ID, moved[0].CopyID)
		return
	}
	for _, l := range d.Changed {
		w.changeLoan(l, d.HasOtherCopy(l))
	}
}

// changeLoan closes, renews or moves an open loan, whose person stays or is forgotten.
// Foreign keys and triggers check only the columns that are written.
func (w *writer) changeLoan(l library.Loan, hasOtherCopy bool) {
	set, args := ``, []any{l.ID, engine.MicroOrNull(l.Due), engine.MicroOrNull(l.Returned), l.Renewals, engine.MicroOrNull(l.Claimed), l.Lost, l.Rule}
	if l.Borrower.ID == "" {
		set = `, user_id = NULL`
	}
	if hasOtherCopy {
		set, args = set+`, copy_id = $8`, append(args, l.CopyID)
	}
	w.expect("change loan", library.ErrNotOpen, `
		UPDATE loans SET due_at = $2, returned_at = $3, renewals = $4, claimed_at = $5, lost = $6, rule = $7`+set+` WHERE id = $1 AND returned_at IS NULL`, args...)
}

// reopenLoan opens a loan again. Its dates and renewals are as they were.
func (w *writer) reopenLoan(l library.Loan) {
	w.expect("reopen loan", library.ErrTooLate, `
		UPDATE loans SET returned_at = NULL, lost = $3 WHERE id = $1 AND returned_at IS NOT NULL AND user_id = $2`, l.ID, l.Borrower.ID, l.Lost)
}

// LastReturned returns the newest ended loan of a copy.
func (t *tx) LastReturned(ctx context.Context, copyID string) (library.Loan, error) {
	l, err := engine.ReadOne(ctx, t.sql, "read last loan", scanLoan,
		`SELECT `+loanColumns+` FROM `+loansWithPeople+` WHERE l.copy_id = $2 AND l.returned_at IS NOT NULL
		ORDER BY l.returned_at DESC, l.borrowed_at DESC, l.id DESC LIMIT 1`, int64(0), copyID)
	if errors.Is(err, sql.ErrNoRows) {
		return library.Loan{}, library.ErrLoanNotFound
	}
	return l, err
}

// HasBooks reports whether the user has an open loan or an active hold.
func (t *tx) HasBooks(ctx context.Context, userID string, now time.Time) (bool, error) {
	return engine.ReadOne(ctx, t.sql, "look for loans and holds", engine.ScanBool,
		`SELECT EXISTS (SELECT 1 FROM loans WHERE user_id = $1 AND returned_at IS NULL) OR
			EXISTS (SELECT 1 FROM holds WHERE user_id = $1 AND ended_at IS NULL AND (until_at IS NULL OR until_at >= $2))`, userID, now.UnixMicro())
}

// HasOpenLoans reports whether the user has a book now.
func (t *tx) HasOpenLoans(ctx context.Context, userID string) (bool, error) {
	return engine.ReadOne(ctx, t.sql, "look for loans", engine.ScanBool,
		`SELECT EXISTS (SELECT 1 FROM loans WHERE user_id = $1 AND returned_at IS NULL)`, userID)
}
