package outbox

import (
	"context"
	"time"

	"example.org/library"
)

// AddNotices writes the missing notices. A dropped one waits again: nobody was told of it, and its day has come.
func (t *Tx) AddNotices(ctx context.Context, notices []library.Notice) error {
	for _, n := range notices {
		err := t.write(ctx, statement("write notice", `
			INSERT INTO notices (id, kind, about, occasion, value, user_id, book_id, book_title, state, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (about, kind, occasion, value) DO UPDATE SET state = excluded.state, user_id = excluded.user_id, created_at = excluded.created_at,
				attempts = 0, tried_for = 0, problem_code = NULL, problem_stage = NULL
			WHERE notices.state = 'dropped'`,
			n.ID, string(n.Kind), n.About, n.Occasion.UnixMicro(), n.Value, n.Person.ID, n.Book.ID, n.Book.Title, string(n.State), n.Created.UnixMicro()))
		if err != nil {
			return err
		}
	}
	return nil
}

// RetryNotice lets a notice wait again, and its person have mails again.
func (t *Tx) RetryNotice(ctx context.Context, id string) error {
	return t.write(ctx,
		statement("retry notice", `UPDATE notices SET state = 'waiting', mail_id = NULL, tried_for = 0, problem_code = NULL, problem_stage = NULL WHERE id = $1`, id),
		statement("end mail problem", `DELETE FROM mail_problems WHERE user_id IN (SELECT user_id FROM notices WHERE id = $1)`, id))
}

// DeleteNotices deletes up to most notices from before an instant, except those about an open loan and its present due date, or the whole loan.
func (t *Tx) DeleteNotices(ctx context.Context, before time.Time, most int) (int, error) {
	result, err := t.sql.ExecContext(ctx, `DELETE FROM notices WHERE id IN (
		SELECT id FROM notices WHERE created_at < $1
			AND NOT EXISTS (SELECT 1 FROM loans l WHERE l.id = about AND l.returned_at IS NULL AND (l.due_at = occasion OR l.borrowed_at = occasion))
		ORDER BY created_at LIMIT $2)`, before.UnixMicro(), most)
	if err != nil {
		return 0, t.sql.Dialect().Error(ctx, "delete notices", err)
	}
	n, err := result.RowsAffected()
	return int(n), t.sql.Dialect().Error(ctx, "delete notices", err)
}

// A notice that has ended is in no mail, and forgets its person if its loan or hold has done
// so already: the end of a hold is written when its person may be forgotten.
const (
	aboutForgotten = `(EXISTS (SELECT 1 FROM loans l WHERE l.id = notices.about AND l.user_id IS NULL)
		OR EXISTS (SELECT 1 FROM holds h WHERE h.id = notices.about AND h.user_id IS NULL))`
	endsNotice = `, mail_id = NULL, user_id = CASE WHEN ` + aboutForgotten + ` THEN NULL ELSE user_id END`
)

// ForgetNotices takes a person out of the notices about forgotten records. The rest of them is dropped.
func (t *Tx) ForgetNotices(ctx context.Context, userID string) error {
	return t.write(ctx, statement("forget notices", `UPDATE notices SET user_id = NULL, mail_id = NULL, state = CASE state WHEN 'waiting' THEN 'dropped' ELSE state END
		WHERE user_id = $1 AND `+aboutForgotten, userID))
}

// DropNotices drops the waiting notices of a person without reminders or mail.
func (t *Tx) DropNotices(ctx context.Context, u library.User) error {
	for _, kind := range library.UnwantedBy(u) {
		err := t.write(ctx, statement("drop notices", `UPDATE notices SET state = 'dropped'`+endsNotice+` WHERE user_id = $1 AND state = 'waiting' AND kind = $2`, u.ID, string(kind)))
		if err != nil {
			return err
		}
	}
	return nil
}
