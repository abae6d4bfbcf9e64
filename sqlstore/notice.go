package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// A notice n is read with its person u, and the mail m that it is in.
const (
	noticeColumns = `n.id, n.kind, n.state, n.about, n.occasion, n.value, n.book_id, n.book_title,
		u.id, u.first_name, u.last_name, u.group_name, u.version, n.attempts, n.problem_code, n.problem_stage, n.created_at, n.sent_at,
		CASE WHEN m.attempts > 0 AND m.claim IS NULL THEN m.next_at END`
	noticesWithPeople = `notices n LEFT JOIN users u ON u.id = n.user_id LEFT JOIN mails m ON m.id = n.mail_id`
)

var noticesByCreation = ordering{columns: []string{`n.created_at`, `n.id`}, descending: true}

// Notices returns up to q.Limit notices after q.After, newest first.
func (s *Store) Notices(ctx context.Context, q library.NoticeQuery) ([]library.Notice, error) {
	var a engine.Arguments
	sel := selection{from: noticesWithPeople, where: noticeConditions(&a, q)}
	var after []any
	if c := q.After; c != nil {
		after = []any{c.Created.UnixMicro(), c.ID}
	}
	tail := noticesByCreation.page(&a, &sel, after, q.Limit)
	return engine.Collect(ctx, s.db, "list notices", scanNotice, sel.text(noticeColumns, tail), s.plannedFor(a)...)
}

// CountNotices counts the notices that match. Notices have no revision, so they are
// counted anew.
func (s *Store) CountNotices(ctx context.Context, q library.NoticeQuery) (int, error) {
	var a engine.Arguments
	sel := selection{from: `notices n`, where: noticeConditions(&a, q)}
	return s.countAnew(ctx, sel.text(`count(*)`, ""), a)
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
	n.Person, n.Occasion, n.Created = person.person(), fromMicro(occasion), fromMicro(created)
	n.Sent, n.NextAttempt = fromNullMicro(sent), fromNullMicro(next)
	if stage.Valid {
		n.Problem = &library.MailFailure{Stage: stage.String, Code: int(code.Int64)}
	}
	return n, nil
}

// addNotices writes notices, each once.
func (w *writer) addNotices(notices []library.Notice) {
	for _, n := range notices {
		w.exec("write notice", `
			INSERT INTO notices (id, kind, about, occasion, value, user_id, book_id, book_title, state, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
			n.ID, string(n.Kind), n.About, n.Occasion.UnixMicro(), n.Value, n.Person.ID, n.Book.ID, n.Book.Title, string(n.State), n.Created.UnixMicro())
	}
}

// AddNotices writes the notices that are not there yet.
func (t *tx) AddNotices(ctx context.Context, notices []library.Notice) error {
	w := writer{ctx: ctx, tx: t.sql}
	w.addNotices(notices)
	return w.err
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

// RetryNotice lets a notice wait again, and its person have mails again.
func (t *tx) RetryNotice(ctx context.Context, id string) error {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("retry notice", `UPDATE notices SET state = 'waiting', mail_id = NULL, tried_for = 0, problem_code = NULL, problem_stage = NULL WHERE id = $1`, id)
	w.exec("end mail problem", `DELETE FROM mail_problems WHERE user_id IN (SELECT user_id FROM notices WHERE id = $1)`, id)
	return w.err
}

// DeleteNotices deletes up to most notices that were written before an instant, except those
// about an open loan as it is due now.
func (t *tx) DeleteNotices(ctx context.Context, before time.Time, most int) (int, error) {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM notices WHERE id IN (
		SELECT id FROM notices WHERE created_at < $1
			AND NOT EXISTS (SELECT 1 FROM loans l WHERE l.id = about AND l.returned_at IS NULL AND l.due_at = occasion)
		ORDER BY created_at LIMIT $2)`, before.UnixMicro(), most)
	if err != nil {
		return 0, t.dialect.Error(ctx, "delete notices", err)
	}
	n, err := result.RowsAffected()
	return int(n), t.dialect.Error(ctx, "delete notices", err)
}

// A notice that has ended is in no mail, and forgets its person if what it is about has done
// so already: what is said about the end of a hold is written when that may be forgotten.
const (
	aboutForgotten = `(EXISTS (SELECT 1 FROM loans l WHERE l.id = notices.about AND l.user_id IS NULL)
		OR EXISTS (SELECT 1 FROM holds h WHERE h.id = notices.about AND h.user_id IS NULL))`
	endsNotice = `, mail_id = NULL, user_id = CASE WHEN ` + aboutForgotten + ` THEN NULL ELSE user_id END`
)

// forgetNotices takes a person out of the notices about what is forgotten. What waits of them
// is dropped.
func (w *writer) forgetNotices(userID string) {
	w.exec("forget notices", `UPDATE notices SET user_id = NULL, mail_id = NULL, state = CASE state WHEN 'waiting' THEN 'dropped' ELSE state END
		WHERE user_id = $1 AND `+aboutForgotten, userID)
}

// dropNotices drops what waits of a person who wants no reminders, or gets no mail at all.
func (t *tx) dropNotices(ctx context.Context, u library.User) error {
	w := writer{ctx: ctx, tx: t.sql}
	for _, kind := range library.UnwantedBy(u) {
		w.exec("drop notices", `UPDATE notices SET state = 'dropped'`+endsNotice+` WHERE user_id = $1 AND state = 'waiting' AND kind = $2`, u.ID, string(kind))
	}
	return w.err
}

// DueLoans returns open loans about which a reminder is due. Of a loan no more is read
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
	due := loansByDue.columns[0]
	sel := selection{from: `loans l JOIN users u ON u.id = l.user_id`, where: []string{
		`l.returned_at IS NULL`, due + ` >= ` + a.Add(r.From.UnixMicro()), due + ` <= ` + a.Add(r.To.UnixMicro()), `u.active`, `u.reminders`,
		`NOT EXISTS (SELECT 1 FROM notices n WHERE n.about = l.id AND n.kind = ` + a.Add(string(r.Kind)) +
			` AND n.occasion = l.due_at AND n.value >= ` + a.Add(r.Value) + `)`,
	}}
	sel.where = append(sel.where, ofUserAndBook(&a, `l`, userID, "")...)
	var place []any
	if after != nil {
		place = []any{after.Created.UnixMicro(), after.ID}
	}
	tail := loansByDue.page(&a, &sel, place, most)
	return engine.Collect(ctx, q, "look for loans that are due", scanDueLoan,
		sel.text(`l.id, l.book_id, l.book_title, l.book_authors, l.due_at, u.id, u.first_name, u.last_name, u.group_name, u.version`, tail), a...)
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
	l.Due, l.Borrower = fromMicro(due), borrower.person()
	var err error
	l.Book, err = book.ref()
	return l, err
}
