package notice

import (
	"context"
	"slices"
	"time"

	"example.org/library"
)

// Claim makes the next mail and claims it for its caller, or returns nil if there is nothing to send now.
func (s *Service) Claim(ctx context.Context, claim string) (*Mail, error) {
	ctx = library.WithStoreTimeout(ctx, timeout)
	for {
		var m *Mail
		more := false
		newFirst := s.claims.Add(1)%2 == 0
		err := s.store.MailTx(ctx, func(tx Tx) (err error) {
			m, more, err = s.claim(ctx, tx, claim, newFirst)
			return err
		})
		if err != nil || !more {
			return m, err
		}
	}
}

// claim reports more if there may be another mail although this came to none.
func (s *Service) claim(ctx context.Context, tx Tx, claim string, newFirst bool) (_ *Mail, more bool, err error) {
	now := s.Now()
	outbox, err := tx.Outbox(ctx)
	if mail := s.library.Mail(); err != nil || mail == nil || outbox.IsPaused(mail) {
		return nil, false, err
	}
	open, err := nextMail(ctx, tx, now, newFirst)
	if err != nil || open.UserID == "" {
		return nil, false, err
	}
	m := &Mail{OpenMail: open}
	if m.User, err = tx.Recipient(ctx, open.UserID); err != nil {
		return nil, false, err
	}
	if m.Given >= maxGiven { // each time the process ended before it noted the outcome
		if m.Subjects, err = tx.Subjects(ctx, open, now); err != nil {
			return nil, false, err
		}
		return nil, true, s.sent(ctx, tx, m)
	}
	if err := s.complete(ctx, tx, m, now); err != nil {
		return nil, false, err
	}
	m.Claim, m.Next = claim, now.Add(ClaimLasts)
	isClaimed, err := m.save(ctx, tx, now)
	return m, !isClaimed, err
}

// nextMail returns the mail to be sent next. New mails and further attempts take turns, so
// neither kind waits for all of the other.
func nextMail(ctx context.Context, tx Tx, now time.Time, newFirst bool) (m OpenMail, err error) {
	for _, isNew := range []bool{newFirst, !newFirst} {
		if isNew {
			m.UserID, err = tx.PersonToTell(ctx, now, library.CollectingKinds())
		} else {
			m, err = tx.MailToRetry(ctx, now)
		}
		if err != nil || m.UserID != "" {
			break
		}
	}
	return m, err
}

// save saves a mail with its notices, and reports whether it is left to send: another
// process may take itself for the only sender, too, and have been faster.
func (m *Mail) save(ctx context.Context, tx Tx, now time.Time) (bool, error) {
	if len(m.Subjects) == 0 {
		return false, tx.DeleteMail(ctx, m.ID)
	}
	if m.ID == "" {
		m.ID, m.Created = library.NewID(), now
		if isAdded, err := tx.AddMail(ctx, m.OpenMail); err != nil || !isAdded {
			return false, err
		}
	} else if err := tx.SaveMail(ctx, m.OpenMail); err != nil {
		return false, err
	}
	put, err := tx.PutIntoMail(ctx, m.ID, noticeIDs(m.Subjects))
	if err != nil {
		return false, err
	}
	m.Subjects = slices.DeleteFunc(m.Subjects, func(n Subject) bool { return !slices.Contains(put, n.ID) })
	if len(m.Subjects) == 0 {
		return false, tx.DeleteMail(ctx, m.ID)
	}
	return true, nil
}

// complete writes the reminders that are due now, and puts all true notices into the mail.
func (s *Service) complete(ctx context.Context, tx Tx, m *Mail, now time.Time) (err error) {
	if m.Policy, err = tx.PolicyNow(ctx); err != nil {
		return err
	}
	if m.Given == 0 && !m.User.Silent && !m.User.Inactive {
		for _, r := range m.Policy.DueReminders(now) {
			loans, err := tx.DueLoansOf(ctx, m.User.ID, r)
			if err == nil && len(loans) > 0 {
				err = tx.AddNotices(ctx, r.Notices(loans, now))
			}
			if err != nil {
				return err
			}
		}
	}
	all, err := tx.Subjects(ctx, m.OpenMail, now)
	if err != nil {
		return err
	}
	kept, dropped := stillTrue(all, m.User, m.Policy, now)
	if err := tx.EndNotices(ctx, noticeIDs(dropped), End{State: library.NoticeDropped, At: now}); err != nil {
		return err
	}
	problem, err := tx.MailProblem(ctx, m.User)
	if err != nil {
		return err
	}
	if problem != nil && !s.library.Mail().Diverted {
		refused := &library.MailFailure{Stage: stageRecipient, Code: problem.Code}
		return tx.EndNotices(ctx, noticeIDs(kept), End{State: library.NoticeFailed, Problem: refused, At: now})
	}
	m.Subjects = kept
	return nil
}
