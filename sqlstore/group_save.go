package sqlstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Save writes decisions, in the order of [tx.Save], and publishes what they change: by one
// statement, unless something is to be written after loans were closed and before others are
// opened.
func (g *group) Save(ctx context.Context, t engine.Tx, decisions []*library.Decision, others func()) error {
	var changed, opened, stock [][]any
	var all changes
	inOrder, forgets := others != nil, false
	for _, d := range decisions {
		for _, l := range d.Changed {
			changed = append(changed, []any{l.ID, engine.MicroOrNull(l.Due), engine.MicroOrNull(l.Returned), l.Renewals, engine.TextOrNull(l.Borrower.ID)})
			forgets = forgets || l.Borrower.ID == ""
		}
		for _, l := range d.Opened {
			opened = append(opened, []any{l.ID, l.Book.ID, l.Book.Title, engine.FormatList(l.Book.Authors), l.CopyID, l.Borrower.ID, l.Since.UnixMicro(), engine.MicroOrNull(l.Due)})
		}
		s := d.Stock
		stock = append(stock, []any{g.results[g.place(d.BookID)].seq, s.Copies, s.Available, s.Waiting, s.Lent, s.Ready, s.Borrowed, engine.MicroOrNull(s.Due)})
		inOrder = inOrder || len(d.Changed) > 0 && len(d.Opened) > 0
		all.decided(d)
	}
	w := writer{ctx: ctx, tx: t}
	s := atOnce{isOne: len(decisions) == 1}
	loan, person := changedLoan, `` // mostly the person stays, and what is not written is not checked by triggers
	if forgets {
		loan, person = forgottenLoan, `, user_id = d.user_id`
	}
	s.change(changed, loan, `UPDATE loans SET due_at = d.due_at, returned_at = d.returned_at, renewals = d.renewals`+person+`
		FROM `, ` WHERE loans.id = d.id AND loans.returned_at IS NULL`)
	if inOrder {
		s.run(&w, "change loans")
		if others != nil {
			others()
		}
	}
	s.insert(opened, openedLoan, `loans`)
	s.change(stock, savedStock, `UPDATE stock SET copies = d.copies, available = d.available, waiting = d.waiting, lent = d.lent, ready = d.ready,
		borrowed = d.borrowed, due_at = d.due_at FROM `, ` WHERE stock.seq = d.seq`)
	s.insert(all.eventRows(), publishedEvent, `changes`)
	if books := all.invalid(); books != "" {
		s.add(t.Dialect().Invalidate(s.args.Add(books)))
	}
	s.run(&w, "save loans")
	return w.err
}

// recordColumns are the names and types of the columns of records that are written.
type recordColumns struct {
	names string
	types []string
}

var (
	changedLoan   = recordColumns{`id, due_at, returned_at, renewals`, []string{"text", "bigint", "bigint", "int"}}
	forgottenLoan = recordColumns{changedLoan.names + `, user_id`, append(slices.Clone(changedLoan.types), "text")}
	openedLoan    = recordColumns{`id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, due_at`,
		[]string{"text", "text", "text", "text", "text", "text", "bigint", "bigint"}}
	savedStock     = recordColumns{`seq, copies, available, waiting, lent, ready, borrowed, due_at`, []string{"bigint", "int", "int", "int", "int", "int", "bool", "bigint"}}
	publishedEvent = recordColumns{eventColumns, eventTypes}
)

// atOnce is statements that change different records, and are sent as one: to begin and to end
// a statement takes PostgreSQL longer than to change a record. None sees what another does.
type atOnce struct {
	isOne  bool // for one decision
	args   engine.Arguments
	parts  []string
	checks []string // fail if a part has not changed what it must: see [engine.Statement]
}

// run sends the statements, and begins anew.
func (s *atOnce) run(w *writer, doing string) {
	if len(s.parts) > 0 {
		w.exec(doing, `WITH `+strings.Join(s.parts, `, `)+` SELECT `+strings.Join(append(s.checks, `1`), `, `), s.args...)
	}
	*s = atOnce{isOne: s.isOne}
}

func (s *atOnce) add(text string) {
	s.parts = append(s.parts, `s`+strconv.Itoa(len(s.parts))+` AS (`+text+`)`)
}

func (s *atOnce) insert(rows [][]any, c recordColumns, table string) {
	if len(rows) > 0 {
		s.add(`INSERT INTO ` + table + ` (` + c.names + `) SELECT d.* FROM ` + s.records(rows, c))
	}
}

// change adds a statement that must change as many records as there are rows.
func (s *atOnce) change(rows [][]any, c recordColumns, update, where string) {
	if len(rows) == 0 {
		return
	}
	text := update + s.records(rows, c) + where + ` RETURNING 1`
	s.checks = append(s.checks, `1 / ((SELECT count(*) FROM s`+strconv.Itoa(len(s.parts))+`) = `+s.args.Add(len(rows))+`::int)::int`)
	s.add(text)
}

// records is a table d with the first columns of the rows. With arrays the text is the same for
// any number of rows, and planned once; but PostgreSQL takes values faster than arrays, and most decisions have the same few rows.
func (s *atOnce) records(rows [][]any, c recordColumns) string {
	var b strings.Builder
	if !s.isOne {
		b.WriteString(`unnest(`)
		for i, t := range c.types {
			column := make([]any, len(rows))
			for j, row := range rows {
				column[j] = row[i]
			}
			s.write(&b, i, column, t+`[]`)
		}
	} else {
		b.WriteString(`(VALUES `)
		for j, row := range rows {
			if j > 0 {
				b.WriteString(`, `)
			}
			b.WriteByte('(')
			for i, t := range c.types {
				s.write(&b, i, row[i], t)
			}
			b.WriteByte(')')
		}
	}
	return b.String() + `) AS d (` + c.names + `)`
}

// write writes the place of a value in a list.
func (s *atOnce) write(b *strings.Builder, i int, value any, kind string) {
	if i > 0 {
		b.WriteString(`, `)
	}
	b.WriteString(s.args.Add(value))
	b.WriteString(`::`)
	b.WriteString(kind)
}
