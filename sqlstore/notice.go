package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// A notice n is read with its person u and its mail m.
const (
	noticeColumns = `n.id, n.kind, n.state, n.about, n.occasion, n.value, n.book_id, n.book_title,
		u.id, u.first_name, u.last_name, u.group_name, u.version, n.attempts, n.problem_code, n.problem_stage, n.created_at, n.sent_at,
		CASE WHEN m.attempts > 0 AND m.claim IS NULL THEN m.next_at END`
	noticesWithPeople = `notices n LEFT JOIN users u ON u.id = n.user_id LEFT JOIN mails m ON m.id = n.mail_id`
)

var noticesByCreation = engine.Ordering{Columns: []string{`n.created_at`, `n.id`}, Descending: true}

// Notices returns up to q.Limit notices after q.After, newest first.
func (s *Store) Notices(ctx context.Context, q library.NoticeQuery) ([]library.Notice, error) {
	var a engine.Arguments
	sel := engine.Selection{From: noticesWithPeople, Where: noticeConditions(&a, q)}
	var after []any
	if c := q.After; c != nil {
		after = []any{c.Created.UnixMicro(), c.ID}
	}
	tail := noticesByCreation.Page(&a, &sel, after, q.Limit)
	return engine.Collect(ctx, s.db, "list notices", scanNotice, sel.Text(noticeColumns, tail), s.dialect.PlannedFor(a)...)
}

// CountNotices counts the matching notices. Notices have no revision, so they are
// counted anew.
func (s *Store) CountNotices(ctx context.Context, q library.NoticeQuery) (int, error) {
	var a engine.Arguments
	sel := engine.Selection{From: `notices n`, Where: noticeConditions(&a, q)}
	return s.counts.Anew(ctx, sel.Text(`count(*)`, ""), a)
}

func noticeConditions(a *engine.Arguments, q library.NoticeQuery) (where []string) {
	if q.State != "" {
		where = append(where, `n.state = `+a.Add(string(q.State)))
	}
	if !q.Since.IsZero() {
		where = append(where, `n.created_at >= `+a.Add(q.Since.UnixMicro()))
	}
	if q.Kind != "" {
		where = append(where, `n.kind = `+a.Add(string(q.Kind)))
	}
	return append(where, ofUserAndBook(a, `n`, q.UserID, "")...)
}

func scanNotice(record engine.Row) (library.Notice, error) {
	var (
		n                 library.Notice
		person            personRow
		occasion, created int64
		code              sql.NullInt64
		stage             sql.NullString
		sent, next        sql.NullInt64
	)
	dest := append([]any{&n.ID, &n.Kind, &n.State, &n.About, &occasion, &n.Value, &n.Book.ID, &n.Book.Title}, person.dest()...)
	if err := record.Scan(append(dest, &n.Attempts, &code, &stage, &created, &sent, &next)...); err != nil {
		return library.Notice{}, err
	}
	n.Person, n.Occasion, n.Created = person.person(), engine.FromMicro(occasion), engine.FromMicro(created)
	n.Sent, n.NextAttempt = engine.FromNullMicro(sent), engine.FromNullMicro(next)
	if stage.Valid {
		n.Problem = &library.MailFailure{Stage: stage.String, Code: int(code.Int64)}
	}
	return n, nil
}

// Notice returns one notice and locks it.
func (t *tx) Notice(ctx context.Context, id string) (library.Notice, error) {
	lock := t.dialect.ForUpdate
	if lock != "" {
		lock += ` OF n`
	}
	n, err := engine.ReadOne(ctx, t.sql, "read notice", scanNotice, `SELECT `+noticeColumns+` FROM `+noticesWithPeople+` WHERE n.id = $1`+lock, id)
	if errors.Is(err, sql.ErrNoRows) {
		return library.Notice{}, library.ErrNoticeNotFound
	}
	return n, err
}

// DueLoans returns open loans with a due reminder. Of a loan no more is read
// than a notice needs.
func (s *Store) DueLoans(ctx context.Context, r library.Reminder, after *library.Cursor, most int) ([]library.Loan, error) {
	return dueLoans(ctx, s.db, r, "", after, most)
}

// DueLoans does the same inside a transaction.
func (t *tx) DueLoans(ctx context.Context, r library.Reminder, after *library.Cursor, most int) ([]library.Loan, error) {
	return dueLoans(ctx, t.sql, r, "", after, most)
}

func dueLoans(ctx context.Context, q engine.Reader, r library.Reminder, userID string, after *library.Cursor, most int) ([]library.Loan, error) {
	var a engine.Arguments
	due := loansByDue.Columns[0]
	sel := engine.Selection{From: `loans l JOIN users u ON u.id = l.user_id`, Where: []string{
		`l.returned_at IS NULL`, `l.claimed_at IS NULL`, due + ` >= ` + a.Add(r.From.UnixMicro()), due + ` <= ` + a.Add(r.To.UnixMicro()), `u.active`, `u.reminders`,
		`NOT EXISTS (SELECT 1 FROM notices n WHERE n.about = l.id AND n.kind = ` + a.Add(string(r.Kind)) +
			` AND n.occasion = l.due_at AND n.value >= ` + a.Add(r.Value) + ` AND n.state <> 'dropped')`,
	}}
	sel.Where = append(sel.Where, ofUserAndBook(&a, `l`, userID, "")...)
	var place []any
	if after != nil {
		place = []any{after.Created.UnixMicro(), after.ID}
	}
	tail := loansByDue.Page(&a, &sel, place, most)
	return engine.Collect(ctx, q, "look for loans that are due", scanDueLoan,
		sel.Text(`l.id, l.book_id, l.book_title, l.book_authors, l.due_at, u.id, u.first_name, u.last_name, u.group_name, u.version`, tail), a...)
}

func scanDueLoan(record engine.Row) (library.Loan, error) {
	var (
		l        library.Loan
		book     refRow
		borrower personRow
		due      int64
	)
	dest := append(append([]any{&l.ID}, book.dest()...), &due)
	if err := record.Scan(append(dest, borrower.dest()...)...); err != nil {
		return library.Loan{}, err
	}
	l.Due, l.Borrower = engine.FromMicro(due), borrower.person()
	var err error
	l.Book, err = book.ref()
	return l, err
}
