package sqlstore

import (
	"context"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/webhook"
)

// The tables of mails and web hooks are in package outbox. Here is the rest for
// senders: transactions, and the records of mails.

var (
	_ webhook.Store = (*Store)(nil)
	_ webhook.Tx    = (*tx)(nil)
	_ notice.Store  = (*Store)(nil)
	_ notice.Tx     = (*tx)(nil)
)

// HookTx is Tx for web hooks.
func (s *Store) HookTx(ctx context.Context, fn func(webhook.Tx) error) error {
	return s.inTx(ctx, func(t *tx) error { return fn(t) })
}

// MailTx is Tx for mails.
func (s *Store) MailTx(ctx context.Context, fn func(notice.Tx) error) error {
	return s.inTx(ctx, func(t *tx) error { return fn(t) })
}

// PolicyNow returns the library's rules without a lock.
func (t *tx) PolicyNow(ctx context.Context) (library.Policy, error) {
	return readPolicy(ctx, t.sql, wholePolicy)
}

// Recipient returns a user without a lock.
func (t *tx) Recipient(ctx context.Context, userID string) (library.User, error) {
	return readUser(ctx, t.sql, oneUser, userID)
}

// DueLoansOf returns the open loans of a person with a due reminder.
func (t *tx) DueLoansOf(ctx context.Context, userID string, r library.Reminder) ([]library.Loan, error) {
	return dueLoans(ctx, t.sql, r, userID, nil, 0)
}
