// Package outbox keeps the messages of the library: notices, the mails made of them, and the events of web hooks. It is
// a transactional outbox: a message is written in the transaction of its change, and senders take it from here.
//
// Notices are written in notice.go, and become mails in mail.go. The settings of mails, and refused addresses, are in
// settings.go; web hooks are in hook.go and hook_tx.go. The lists of notices are in package sqlstore, as all lists are.
package outbox

import (
	"context"

	"example.org/library/sqlstore/engine"
)

// Store reads the outbox. It is a part of the store of package sqlstore.
type Store struct{ db engine.Engine }

// New returns the outbox of a database.
func New(db engine.Engine) *Store { return &Store{db: db} }

// Tx is the outbox inside a transaction.
type Tx struct {
	sql    engine.Tx
	unseen func() // see NewTx
}

// NewTx returns the outbox inside a transaction. It calls unseen before it writes to the tables
// of web hooks, so the transaction publishes a change outside of books.
func NewTx(t engine.Tx, unseen func()) *Tx { return &Tx{sql: t, unseen: unseen} }

// statement is a change that breaks no rule of the domain, whatever its outcome.
func statement(doing, text string, args ...any) engine.Statement {
	return engine.Statement{Doing: doing, Text: text, Args: args, Explain: explain}
}

func explain(ctx context.Context, d *engine.Dialect, doing string, notFound, err error) error {
	if d.Diagnose(err).Constraint == engine.NothingChanged {
		return notFound
	}
	return d.Error(ctx, doing, err)
}

// write runs statements, until one fails. Where they are sent together, they fail later.
func (t *Tx) write(ctx context.Context, statements ...engine.Statement) error {
	for _, s := range statements {
		if err := t.sql.Write(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// hasChanged runs a statement and reports whether it has changed a record.
func hasChanged(ctx context.Context, t engine.Tx, doing, text string, args ...any) (bool, error) {
	result, err := t.ExecContext(ctx, text, args...)
	if err != nil {
		return false, t.Dialect().Error(ctx, doing, err)
	}
	n, err := result.RowsAffected()
	return n > 0, t.Dialect().Error(ctx, doing, err)
}
