package service

import (
	"context"
	"time"

	"example.org/library"
)

const (
	// remindAtOnce limits the reminders written by one transaction, so nobody waits long.
	remindAtOnce = 50
	// After a transaction, lending has the database for nine times as long, but at most remindPause,
	// so reminders to 10,000 people are written within a minute.
	remindRest, remindPause = 9, 150 * time.Millisecond
)

// writeReminders writes the due reminders about loans, each in the same transaction as the search for
// it.
func (s *Service) writeReminders(ctx context.Context, done *Housekeeping) error {
	if s.mail == nil {
		return nil
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return err
	}
	for _, r := range p.DueReminders(s.now()) {
		some, err := s.store.DueLoans(ctx, r, nil, 1) // without a transaction: mostly there are none
		if err == nil && len(some) > 0 {
			err = s.remind(ctx, r, &done.Noticed)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remind writes the notices of one reminder.
func (s *Service) remind(ctx context.Context, r library.Reminder, sum *int) error {
	var after *library.Cursor
	for {
		var loans []library.Loan
		began := time.Now()
		err := s.store.Tx(ctx, func(tx library.Tx) (err error) {
			if loans, err = tx.DueLoans(ctx, r, after, remindAtOnce); err != nil || len(loans) == 0 {
				return err
			}
			return tx.AddNotices(ctx, r.Notices(loans, s.now()))
		})
		if err != nil {
			return err
		}
		*sum += len(loans)
		if len(loans) < remindAtOnce {
			return nil
		}
		last := loans[len(loans)-1]
		after = &library.Cursor{Created: last.Due, ID: last.ID}
		select {
		case <-time.After(min(remindRest*time.Since(began), remindPause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// deleteNotices deletes old notices.
func (s *Service) deleteNotices(ctx context.Context) error {
	var deleted int
	return s.inBatches(ctx, forgetAtOnce, &deleted, func(tx library.Tx) (int, error) {
		return tx.DeleteNotices(ctx, s.now().Add(-noticesKept), forgetAtOnce)
	})
}
