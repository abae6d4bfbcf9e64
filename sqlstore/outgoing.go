package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

const (
	mailColumns = `id, user_id, created_at, attempts, next_at, coalesce(claim, ''), fixed`
	// farAhead is from when on the end of a claim, or of a pause, is not believed: the clock has gone back.
	farAhead = 3 * time.Hour
)

// Outbox returns with what the library has sent mails. Whoever changes that waits.
func (t *tx) Outbox(ctx context.Context) (library.Outbox, error) {
	return engine.ReadOne(ctx, t.sql, "read outbox", scanOutbox, theOutbox+t.dialect.ForShare)
}

// PolicyNow returns the library's rules without a lock.
func (t *tx) PolicyNow(ctx context.Context) (library.Policy, error) {
	return readPolicy(ctx, t.sql, wholePolicy)
}

// NextMail returns the mail to be sent next, or the person to whom there is something to tell.
func (t *tx) NextMail(ctx context.Context, now time.Time, waits map[library.NoticeKind]time.Duration) (library.OpenMail, error) {
	m, err := engine.ReadOne(ctx, t.sql, "look for mails", scanMail, `SELECT `+mailColumns+` FROM mails
		WHERE next_at <= $1 OR next_at > $2 ORDER BY next_at LIMIT 1`+t.dialect.ForUpdateSkipLocked, now.UnixMicro(), now.Add(farAhead).UnixMicro())
	if !errors.Is(err, sql.ErrNoRows) {
		return m, err
	}
	a := engine.Arguments{now.UnixMicro()}
	where := []string{`n.state = 'waiting'`, `n.mail_id IS NULL`, `n.user_id IS NOT NULL`,
		`NOT EXISTS (SELECT 1 FROM mails m WHERE m.user_id = n.user_id)`}
	for _, kind := range slices.Sorted(maps.Keys(waits)) {
		where = append(where, `(n.kind <> `+a.Add(string(kind))+` OR n.created_at <= `+a.Add(now.Add(-waits[kind]).UnixMicro())+` OR n.created_at > $1)`)
	}
	m.UserID, err = engine.ReadOne(ctx, t.sql, "look for people to write to", engine.ScanText,
		`SELECT n.user_id FROM notices n WHERE `+strings.Join(where, ` AND `)+` ORDER BY n.created_at LIMIT 1`, a...)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return m, err
}

func scanMail(record engine.Row) (m library.OpenMail, err error) {
	var created, next int64
	err = record.Scan(&m.ID, &m.UserID, &created, &m.Attempts, &next, &m.Claim, &m.Fixed)
	m.Created, m.Next = fromMicro(created), fromMicro(next)
	return m, err
}

// DueLoansOf returns the open loans of a person about which a reminder is due.
func (t *tx) DueLoansOf(ctx context.Context, userID string, r library.Reminder) ([]library.Loan, error) {
	return dueLoans(ctx, t.sql, r, userID, nil, 0)
}

// Subjects returns the notices of a mail with what they are about.
func (t *tx) Subjects(ctx context.Context, m library.OpenMail, now time.Time) ([]library.Subject, error) {
	among := `n.mail_id = $2`
	if !m.Fixed {
		among = `(n.mail_id IS NULL OR n.mail_id = $2)`
	}
	return engine.Collect(ctx, t.sql, "read notices", scanSubject, `SELECT n.id, n.kind, n.about, n.occasion, n.value, n.created_at, n.book_id, n.book_title,
			l.due_at, l.returned_at, l.book_title, h.state, h.until_at, h.book_title,
			EXISTS (SELECT 1 FROM notices x WHERE x.about = n.about AND x.kind = n.kind
				AND (x.occasion > n.occasion AND x.occasion <= $3 OR x.occasion = n.occasion AND x.value > n.value))
		FROM notices n LEFT JOIN loans l ON l.id = n.about LEFT JOIN holds h ON h.id = n.about
		WHERE n.user_id = $1 AND n.state = 'waiting' AND `+among+` ORDER BY n.created_at, n.id`, m.UserID, m.ID, now.UnixMicro())
}

func scanSubject(record engine.Row) (n library.Subject, err error) {
	var occasion, created int64
	var due, returned, until sql.NullInt64
	var lent, state, held sql.NullString
	if err := record.Scan(&n.ID, &n.Kind, &n.About, &occasion, &n.Value, &created, &n.Book.ID, &n.Book.Title,
		&due, &returned, &lent, &state, &until, &held, &n.Old); err != nil {
		return n, err
	}
	n.Occasion, n.Created = fromMicro(occasion), fromMicro(created)
	if lent.Valid {
		n.Loan, n.Book.Title = &library.Loan{ID: n.About, Due: fromNullMicro(due), Returned: fromNullMicro(returned)}, lent.String
	}
	if state.Valid {
		n.Hold, n.Book.Title = &library.Hold{ID: n.About, State: library.HoldState(state.String), Until: fromNullMicro(until)}, held.String
	}
	return n, nil
}

// SaveMail adds or replaces a mail, and puts notices into it.
func (t *tx) SaveMail(ctx context.Context, m library.OpenMail, notices []string) error {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("save mail", `INSERT INTO mails (id, user_id, created_at, attempts, next_at, claim, fixed) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (id) DO UPDATE SET attempts = excluded.attempts, next_at = excluded.next_at, claim = excluded.claim, fixed = excluded.fixed`,
		m.ID, m.UserID, m.Created.UnixMicro(), m.Attempts, m.Next.UnixMicro(), textOrNull(m.Claim), m.Fixed)
	for _, id := range notices {
		w.exec("put notice into a mail", `UPDATE notices SET mail_id = $2 WHERE id = $1`, id, m.ID)
	}
	return w.err
}

// DeleteMail deletes a mail.
func (t *tx) DeleteMail(ctx context.Context, id string) error {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("delete mail", `DELETE FROM mails WHERE id = $1`, id)
	return w.err
}

// OpenMail returns a mail that is to be sent, and locks it.
func (t *tx) OpenMail(ctx context.Context, id string) (library.OpenMail, error) {
	m, err := engine.ReadOne(ctx, t.sql, "read mail", scanMail, `SELECT `+mailColumns+` FROM mails WHERE id = $1`+t.dialect.ForUpdate, id)
	if errors.Is(err, sql.ErrNoRows) {
		return library.OpenMail{}, nil
	}
	return m, err
}

// EndNotices ends what waits. What was ended meanwhile stays so.
func (t *tx) EndNotices(ctx context.Context, ids []string, end library.NoticeEnd) error {
	w := writer{ctx: ctx, tx: t.sql}
	var code, stage, sent any
	if p := end.Problem; p != nil {
		stage = p.Stage
		if p.Code != 0 {
			code = p.Code
		}
	}
	if end.State == library.NoticeSent {
		sent = end.At.UnixMicro()
	}
	set := `state = $2, attempts = attempts + $3, problem_code = $4, problem_stage = $5, sent_at = $6`
	if end.State != library.NoticeWaiting {
		set += endsNotice
	}
	for _, id := range ids {
		w.exec("end notice", `UPDATE notices SET `+set+` WHERE id = $1 AND state = 'waiting'`, id, string(end.State), end.Attempts, code, stage, sent)
	}
	return w.err
}

// MailProblem returns why nobody writes to a user; nil if there is no reason.
func (t *tx) MailProblem(ctx context.Context, u library.User) (*library.MailProblem, error) {
	p, err := engine.ReadOne(ctx, t.sql, "read mail problem", func(r engine.Row) (p library.MailProblem, err error) {
		var since int64
		err = r.Scan(&p.Code, &since)
		p.Since = fromMicro(since)
		return p, err
	}, `SELECT code, since_at FROM mail_problems WHERE user_id = $1 AND email_key = $2`, u.ID, library.EmailKey(u.Email))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &p, err
}

// SetMailProblem notes that an address is refused, or no longer.
func (t *tx) SetMailProblem(ctx context.Context, u library.User, p *library.MailProblem) error {
	w := writer{ctx: ctx, tx: t.sql}
	w.exec("end mail problem", `DELETE FROM mail_problems WHERE user_id = $1`, u.ID)
	if p != nil {
		w.exec("note mail problem", `INSERT INTO mail_problems (user_id, email_key, code, since_at) SELECT id, CAST($2 AS TEXT), CAST($3 AS INTEGER), CAST($4 AS BIGINT) FROM users WHERE id = $1`,
			u.ID, library.EmailKey(u.Email), p.Code, p.Since.UnixMicro())
	}
	return w.err
}

// RenewClaim lets a claim last until an instant.
func (s *Store) RenewClaim(ctx context.Context, mailID, claim string, until time.Time) (renewed bool, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		result, err := t.sql.ExecContext(ctx, `UPDATE mails SET next_at = $3 WHERE id = $1 AND claim = $2`, mailID, claim, until.UnixMicro())
		if err != nil {
			return t.dialect.Error(ctx, "renew claim", err)
		}
		n, err := result.RowsAffected()
		renewed = n == 1
		return t.dialect.Error(ctx, "renew claim", err)
	})
	return renewed, err
}

// NoticeCounts counts the notices by kind and state.
func (s *Store) NoticeCounts(ctx context.Context) (map[library.NoticeCount]int, time.Time, error) {
	counts := make(map[library.NoticeCount]int)
	err := s.db.Read(ctx, engine.Reading{Doing: "count notices", Text: `SELECT kind, state, count(*) FROM notices GROUP BY kind, state`,
		Scan: engine.Each(func(r engine.Row) error {
			var by library.NoticeCount
			var n int
			err := r.Scan(&by.Kind, &by.State, &n)
			counts[by] = n
			return err
		})})
	if err != nil {
		return nil, time.Time{}, err
	}
	oldest, err := engine.ReadOne(ctx, s.db, "look for the oldest notice", func(r engine.Row) (at sql.NullInt64, err error) {
		err = r.Scan(&at)
		return at, err
	}, `SELECT min(created_at) FROM notices WHERE state = 'waiting'`)
	return counts, fromNullMicro(oldest), err
}
