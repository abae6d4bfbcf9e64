package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/sqlstore/engine"
)

const (
	policyColumns = `loan_days, renewals, max_loans, max_holds, block_overdue, hold_days, history_days,
		time_zone, closed_weekdays, closed_dates, due_soon_days, overdue_days, self_borrow, self_return, notice_wanted, rules, policy.version`
	// thePolicy is the part for lending, without the texts of mails.
	thePolicy   = `SELECT ` + policyColumns + ` FROM policy`
	wholePolicy = `SELECT ` + policyColumns + `, notice_time, mail_note, default_locale FROM policy`
	noMailNote  = `{}`
	noRules     = `[]`
)

// Policy returns the library's rules.
func (s *Store) Policy(ctx context.Context) (library.Policy, error) {
	return readPolicy(ctx, s.db, wholePolicy)
}

// Policy returns the library's rules and locks them until the end of the
// transaction.
func (t *tx) Policy(ctx context.Context) (library.Policy, error) {
	return readPolicy(ctx, t.sql, wholePolicy+t.dialect.ForUpdate)
}

func readPolicy(ctx context.Context, q engine.Reader, text string) (library.Policy, error) {
	return engine.ReadOne(ctx, q, "read policy", scanWholePolicy, text)
}

// scanPolicyAnd reads the policyColumns and the columns after them.
func scanPolicyAnd(record engine.Row, more ...any) (library.Policy, error) {
	var r policyRow
	if err := record.Scan(append(r.dest(), more...)...); err != nil {
		return library.Policy{}, err
	}
	return r.policy()
}

func scanWholePolicy(record engine.Row) (library.Policy, error) {
	var r policyRow
	var note []byte
	if err := record.Scan(append(r.dest(), &r.NoticeTime, &note, &r.Locale)...); err != nil {
		return library.Policy{}, err
	}
	if string(note) != noMailNote {
		if err := json.Unmarshal(note, &r.MailNote); err != nil {
			return library.Policy{}, err
		}
	}
	return r.policy()
}

// policyRow is the policyColumns of a row.
type policyRow struct {
	library.Policy
	history                  sql.NullInt64
	weekdays, dates, overdue []byte
	rules                    []byte
	selfBorrow, selfReturn   bool
}

func (r *policyRow) dest() []any {
	return []any{&r.LoanDays, &r.Renewals, &r.MaxLoans, &r.MaxHolds, &r.BlockOverdue, &r.HoldDays, &r.history,
		&r.TimeZone, &r.weekdays, &r.dates, &r.DueSoonDays, &r.overdue, &r.selfBorrow, &r.selfReturn, &r.NoticeWanted, &r.rules, &r.Version}
}

func (r *policyRow) policy() (_ library.Policy, err error) {
	p := r.Policy
	p.DeskLends, p.DeskTakesBack = !r.selfBorrow, !r.selfReturn
	if r.history.Valid {
		days := int(r.history.Int64)
		p.HistoryDays = &days
	}
	if p.ClosedWeekdays, err = parseWeekdays(r.weekdays); err != nil {
		return library.Policy{}, err
	}
	if err := json.Unmarshal(r.dates, &p.ClosedDates); err != nil {
		return library.Policy{}, err
	}
	p.Rules = []library.PolicyRule{}
	if string(r.rules) != noRules {
		if err := json.Unmarshal(r.rules, &p.Rules); err != nil {
			return library.Policy{}, err
		}
	}
	return p, json.Unmarshal(r.overdue, &p.OverdueDays)
}

// SavePolicy replaces the library's rules.
func (t *tx) SavePolicy(ctx context.Context, p library.Policy) error {
	var history any
	if p.HistoryDays != nil {
		history = *p.HistoryDays
	}
	dates, _ := json.Marshal(append([]library.Date{}, p.ClosedDates...)) // dates and numbers always marshal
	overdue, _ := json.Marshal(append([]int{}, p.OverdueDays...))
	rules, _ := json.Marshal(append([]library.PolicyRule{}, p.Rules...))
	note := []byte(noMailNote)
	if len(p.MailNote) > 0 {
		note, _ = json.Marshal(p.MailNote)
	}
	_, err := t.sql.ExecContext(ctx, `
		UPDATE policy SET loan_days = $1, renewals = $2, max_loans = $3, max_holds = $4, block_overdue = $5,
			hold_days = $6, history_days = $7, time_zone = $8, closed_weekdays = $9, closed_dates = $10,
			due_soon_days = $11, overdue_days = $12, self_borrow = $13, self_return = $14, version = $15,
			notice_time = $16, mail_note = $17, default_locale = $18, notice_wanted = $19, rules = $20`,
		p.LoanDays, p.Renewals, p.MaxLoans, p.MaxHolds, p.BlockOverdue, p.HoldDays, history, p.TimeZone,
		formatWeekdays(p.ClosedWeekdays), string(dates), p.DueSoonDays, string(overdue), !p.DeskLends, !p.DeskTakesBack, p.Version,
		cmp.Or(p.NoticeTime, library.DefaultPolicy().NoticeTime), string(note), cmp.Or(p.Locale, library.DefaultPolicy().Locale), p.NoticeWanted, string(rules))
	t.changes.everything = true
	return t.dialect.Error(ctx, "save policy", err)
}

// Ends returns every due date and every end of a time on the shelf of holds.
func (t *tx) Ends(ctx context.Context) ([]time.Time, error) {
	return engine.Collect(ctx, t.sql, "read due dates", func(r engine.Row) (time.Time, error) {
		var at int64
		err := r.Scan(&at)
		return engine.FromMicro(at), err
	}, `SELECT due_at FROM loans WHERE due_at IS NOT NULL UNION SELECT until_at FROM holds WHERE until_at IS NOT NULL
		UNION SELECT due_at FROM stock WHERE due_at IS NOT NULL`)
}

// MoveEnds puts other instants in the place of these. One statement for each table
// moves all of them: one after the other, an instant could be moved twice. Those who have
// the loans and holds learn of it; nothing has happened to the books.
func (t *tx) MoveEnds(ctx context.Context, moves []library.EndMove) error {
	if len(moves) == 0 {
		return nil
	}
	rows := make([]string, len(moves))
	for i, m := range moves {
		rows[i] = fmt.Sprintf(`(CAST(%d AS BIGINT), CAST(%d AS BIGINT))`, m.From.UnixMicro(), m.To.UnixMicro())
	}
	moved := `WITH moved (was_at, is_at) AS (VALUES ` + strings.Join(rows, `, `) + `) `
	err := t.sql.Read(ctx, engine.Reading{Doing: "read due dates", Scan: engine.Each(t.endMoves), Text: moved + `
		SELECT CAST($1 AS TEXT), id, user_id FROM loans JOIN moved ON due_at = was_at AND was_at <> is_at WHERE user_id IS NOT NULL
		UNION ALL SELECT CAST($2 AS TEXT), id, user_id FROM holds JOIN moved ON until_at = was_at AND was_at <> is_at WHERE user_id IS NOT NULL`,
		Args: []any{string(library.LoanChanged), string(library.HoldChanged)}})
	if err != nil {
		return err
	}
	for _, text := range []string{
		`loans SET due_at = moved.is_at FROM moved WHERE loans.due_at = moved.was_at`,
		`holds SET until_at = moved.is_at FROM moved WHERE holds.until_at = moved.was_at`,
		`stock SET due_at = moved.is_at FROM moved WHERE stock.due_at = moved.was_at`,
		`notices SET occasion = moved.is_at FROM moved WHERE notices.occasion = moved.was_at AND notices.about IN (SELECT id FROM loans WHERE returned_at IS NULL)`,
	} {
		if _, err := t.sql.ExecContext(ctx, moved+`UPDATE `+text); err != nil {
			return t.dialect.Error(ctx, "move due dates", err)
		}
	}
	t.changes.everything = true
	return nil
}

// endMoves publishes the new end of a loan or a hold.
func (t *tx) endMoves(record engine.Row) error {
	var kind, id, person string
	err := record.Scan(&kind, &id, &person)
	t.changes.record(library.ChangeKind(kind), id, person, library.OtherStep)
	return err
}

// Days of the week are kept by their names in requests.
func formatWeekdays(days []time.Weekday) string {
	names := make([]string, len(days))
	for i, d := range days {
		names[i] = calendar.WeekdayName(d)
	}
	return engine.FormatList(names)
}

func parseWeekdays(text []byte) ([]time.Weekday, error) {
	names, err := engine.ParseList[string](text)
	if err != nil {
		return nil, err
	}
	days := make([]time.Weekday, 0, len(names))
	for _, name := range names {
		day, ok := calendar.ParseWeekday(name)
		if !ok {
			return nil, fmt.Errorf("%q is no day of the week", name)
		}
		days = append(days, day)
	}
	return days, nil
}
