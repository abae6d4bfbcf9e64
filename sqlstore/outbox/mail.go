package outbox

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/sqlstore/engine"
)

const (
	mailColumns = `id, user_id, created_at, attempts, next_at, coalesce(claim, ''), given`
	// farAhead is from when on the end of a claim, or of a pause, is not believed: the clock has gone back.
	farAhead = 3 * time.Hour
)

// MailToRetry returns the mail to be tried again next, and locks it.
func (t *Tx) MailToRetry(ctx context.Context, now time.Time) (notice.OpenMail, error) {
	m, err := engine.ReadOne(ctx, t.sql, "look for mails", scanMail, `SELECT `+mailColumns+` FROM mails
		WHERE next_at <= $1 OR next_at > $2 ORDER BY next_at LIMIT 1`+t.sql.Dialect().ForUpdateSkipLocked, now.UnixMicro(), now.Add(farAhead).UnixMicro())
	if errors.Is(err, sql.ErrNoRows) {
		return notice.OpenMail{}, nil
	}
	return m, err
}

// PersonToTell returns a person with notices and no mail yet.
func (t *Tx) PersonToTell(ctx context.Context, now time.Time, waits map[library.NoticeKind]time.Duration) (string, error) {
	a := engine.Arguments{now.UnixMicro()}
	where := []string{`n.state = 'waiting'`, `n.mail_id IS NULL`, `n.user_id IS NOT NULL`,
		`NOT EXISTS (SELECT 1 FROM mails m WHERE m.user_id = n.user_id)`}
	for _, kind := range slices.Sorted(maps.Keys(waits)) {
		where = append(where, `(n.kind <> `+a.Add(string(kind))+` OR n.created_at <= `+a.Add(now.Add(-waits[kind]).UnixMicro())+` OR n.created_at > $1)`)
	}
	id, err := engine.ReadOne(ctx, t.sql, "look for people to write to", engine.ScanText,
		`SELECT n.user_id FROM notices n WHERE `+strings.Join(where, ` AND `)+` ORDER BY n.created_at LIMIT 1`, a...)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return id, err
}

func scanMail(record engine.Row) (m notice.OpenMail, err error) {
	var created, next int64
	err = record.Scan(&m.ID, &m.UserID, &created, &m.Attempts, &next, &m.Claim, &m.Given)
	m.Created, m.Next = engine.FromMicro(created), engine.FromMicro(next)
	return m, err
}

// Subjects returns the notices of a mail with their loans and holds.
func (t *Tx) Subjects(ctx context.Context, m notice.OpenMail, now time.Time) ([]notice.Subject, error) {
	among := `n.mail_id = $2`
	if m.Given == 0 {
		among = `(n.mail_id IS NULL OR n.mail_id = $2)`
	}
	return engine.Collect(ctx, t.sql, "read notices", scanSubject, `SELECT n.id, n.kind, n.about, n.occasion, n.value, n.created_at, n.tried_for, n.book_id, n.book_title,
			l.due_at, l.returned_at, l.claimed_at, l.book_title, l.renewals,
			(SELECT count(*) FROM holds w WHERE w.book_id = l.book_id AND w.state = 'waiting' AND w.ended_at IS NULL),
			EXISTS (SELECT 1 FROM loans o WHERE o.user_id = n.user_id AND o.returned_at IS NULL AND o.claimed_at IS NULL AND o.due_at < $3),
			EXISTS (SELECT 1 FROM users b WHERE b.id = n.user_id AND b.block <> ''),
			coalesce((SELECT category FROM users c WHERE c.id = n.user_id), ''), coalesce((SELECT kind FROM books b WHERE b.id = l.book_id), ''), h.state, h.until_at, h.book_title,
			EXISTS (SELECT 1 FROM notices x WHERE x.about = n.about AND x.kind = n.kind
				AND (h.id IS NOT NULL AND x.occasion > n.occasion AND x.occasion <= $3
					OR x.occasion = n.occasion AND x.value > n.value AND x.state <> 'dropped'))
		FROM notices n LEFT JOIN loans l ON l.id = n.about LEFT JOIN holds h ON h.id = n.about
		WHERE n.user_id = $1 AND n.state = 'waiting' AND `+among+` ORDER BY n.created_at, n.id`, m.UserID, m.ID, now.UnixMicro())
}

func scanSubject(record engine.Row) (n notice.Subject, err error) {
	var occasion, created, tried int64
	var due, returned, claimed, renewals, until sql.NullInt64
	var awaited int
	var hasOverdue, isBlocked bool
	var category, kind string
	var lent, state, held sql.NullString
	if err := record.Scan(&n.ID, &n.Kind, &n.About, &occasion, &n.Value, &created, &tried, &n.Book.ID, &n.Book.Title,
		&due, &returned, &claimed, &lent, &renewals, &awaited, &hasOverdue, &isBlocked, &category, &kind, &state, &until, &held, &n.Old); err != nil {
		return n, err
	}
	n.Occasion, n.Created, n.TriedFor = engine.FromMicro(occasion), engine.FromMicro(created), time.Duration(tried)*time.Microsecond
	if lent.Valid {
		n.Loan, n.Book.Title = &library.Loan{ID: n.About, Due: engine.FromNullMicro(due), Returned: engine.FromNullMicro(returned), Claimed: engine.FromNullMicro(claimed),
			Renewals: int(renewals.Int64), Awaited: awaited, BorrowerOverdue: hasOverdue, BorrowerBlocked: isBlocked, Category: category, Kind: kind}, lent.String
	}
	if state.Valid {
		n.Hold, n.Book.Title = &library.Hold{ID: n.About, State: library.HoldState(state.String), Until: engine.FromNullMicro(until)}, held.String
	}
	return n, nil
}

// AddMail adds a mail, unless its person has one.
func (t *Tx) AddMail(ctx context.Context, m notice.OpenMail) (bool, error) {
	return hasChanged(ctx, t.sql, "add mail", `INSERT INTO mails (id, user_id, created_at, attempts, next_at, claim, given)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		m.ID, m.UserID, m.Created.UnixMicro(), m.Attempts, m.Next.UnixMicro(), engine.TextOrNull(m.Claim), m.Given)
}

// SaveMail replaces a mail.
func (t *Tx) SaveMail(ctx context.Context, m notice.OpenMail) error {
	return t.write(ctx, statement("save mail", `UPDATE mails SET attempts = $2, next_at = $3, claim = $4, given = $5 WHERE id = $1`,
		m.ID, m.Attempts, m.Next.UnixMicro(), engine.TextOrNull(m.Claim), m.Given))
}

// PutIntoMail puts waiting notices into a mail, unless they are in another one.
func (t *Tx) PutIntoMail(ctx context.Context, mailID string, notices []string) (put []string, err error) {
	for _, id := range notices {
		isPut, err := hasChanged(ctx, t.sql, "put notice into a mail",
			`UPDATE notices SET mail_id = $2 WHERE id = $1 AND state = 'waiting' AND (mail_id IS NULL OR mail_id = $2)`, id, mailID)
		if err != nil {
			return nil, err
		}
		if isPut {
			put = append(put, id)
		}
	}
	return put, nil
}

// DeleteMail deletes a mail.
func (t *Tx) DeleteMail(ctx context.Context, id string) error {
	return t.write(ctx, statement("delete mail", `DELETE FROM mails WHERE id = $1`, id))
}

// OpenMail returns a mail to send, and locks it.
func (t *Tx) OpenMail(ctx context.Context, id string) (notice.OpenMail, error) {
	m, err := engine.ReadOne(ctx, t.sql, "read mail", scanMail, `SELECT `+mailColumns+` FROM mails WHERE id = $1`+t.sql.Dialect().ForUpdate, id)
	if errors.Is(err, sql.ErrNoRows) {
		return notice.OpenMail{}, nil
	}
	return m, err
}

// EndNotices ends waiting notices. Ended ones stay so.
func (t *Tx) EndNotices(ctx context.Context, ids []string, end notice.End) error {
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
	set := `state = $2, attempts = attempts + $3, tried_for = tried_for + $7, problem_code = $4, problem_stage = $5, sent_at = $6`
	if end.State != library.NoticeWaiting {
		set += endsNotice
	}
	for _, id := range ids {
		err := t.write(ctx, statement("end notice", `UPDATE notices SET `+set+` WHERE id = $1 AND state = 'waiting'`,
			id, string(end.State), end.Attempts, code, stage, sent, end.TriedFor.Microseconds()))
		if err != nil {
			return err
		}
	}
	return nil
}

// RenewClaim lets a claim last until an instant.
func (s *Store) RenewClaim(ctx context.Context, mailID, claim string, until time.Time, given int) (renewed bool, err error) {
	err = s.db.Tx(ctx, func(t engine.Tx) (err error) {
		renewed, err = hasChanged(ctx, t, "renew claim", `UPDATE mails SET next_at = $3, given = CASE WHEN given < $4 THEN $4 ELSE given END
			WHERE id = $1 AND claim = $2`, mailID, claim, until.UnixMicro(), given)
		return err
	})
	return renewed, err
}

// NoticeCounts counts the notices by kind and state.
func (s *Store) NoticeCounts(ctx context.Context) (map[notice.Count]int, time.Time, error) {
	counts := make(map[notice.Count]int)
	err := s.db.Read(ctx, engine.Reading{Doing: "count notices", Text: `SELECT kind, state, count(*) FROM notices GROUP BY kind, state`,
		Scan: engine.Each(func(r engine.Row) error {
			var by notice.Count
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
	return counts, engine.FromNullMicro(oldest), err
}
