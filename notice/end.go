package notice

import (
	"context"

	"example.org/library"
)

// Outcome is the result of an attempt to send a mail.
type Outcome struct {
	Failure *library.MailFailure // nil: it was sent
	Final   bool                 // no further attempt can change anything
	Seen    bool                 // a mail server may have it nevertheless
	GivenUp bool                 // the sender stops: nobody has failed
}

// End notes the outcome of a claimed mail. Success counts even if another sender has the claim
// now; a failure is then left to the other sender.
func (s *Service) End(ctx context.Context, m *Mail, o Outcome) error {
	ctx = library.WithStoreTimeout(ctx, timeout)
	return s.store.MailTx(ctx, func(tx Tx) error { // may run more than once, so m stays as it is
		open, err := tx.OpenMail(ctx, m.ID)
		if err != nil || open.ID == "" || o.Failure != nil && open.Claim != m.Claim {
			return err
		}
		open.Claim, open.Next, open.Given = "", s.Now(), m.Given
		if o.Seen {
			open.Given++
		}
		switch {
		case o.Failure == nil:
			return s.sent(ctx, tx, m)
		case o.GivenUp:
			return tx.SaveMail(ctx, open)
		}
		return s.failed(ctx, tx, m, open, o)
	})
}

func (s *Service) sent(ctx context.Context, tx Tx, m *Mail) error {
	if err := tx.EndNotices(ctx, noticeIDs(m.Subjects), End{State: library.NoticeSent, Attempts: 1, At: s.Now()}); err != nil {
		return err
	}
	if err := s.library.Mail().NoteProblem(ctx, tx, m.User, nil); err != nil {
		return err
	}
	outbox, err := tx.Outbox(ctx)
	if mail := s.library.Mail(); err == nil && !outbox.HasSent && mail != nil {
		outbox.From, outbox.PublicURL, outbox.HasSent = mail.From, mail.PublicURL, true
		err = tx.SaveOutbox(ctx, outbox)
	}
	if err != nil {
		return err
	}
	return tx.DeleteMail(ctx, m.ID)
}

// failed keeps notices for another attempt until they were tried for two days. A final failure ends all of them, and so
// does a second time without an answer of the server: people would get the mail for a third time.
func (s *Service) failed(ctx context.Context, tx Tx, m *Mail, open OpenMail, o Outcome) error {
	now := s.Now()
	open.Attempts++
	pause := delays[min(open.Attempts, len(delays))-1]
	open.Next = now.Add(pause)
	isOver := o.Final || open.Given >= maxGiven
	var waiting, failed []Subject
	for _, n := range m.Subjects {
		if isOver || n.TriedFor+pause > triedFor {
			failed = append(failed, n)
		} else {
			waiting = append(waiting, n)
		}
	}
	end := End{State: library.NoticeWaiting, Attempts: 1, TriedFor: pause, Problem: o.Failure, At: now}
	if err := tx.EndNotices(ctx, noticeIDs(waiting), end); err != nil {
		return err
	}
	end.State, end.TriedFor = library.NoticeFailed, 0
	if err := tx.EndNotices(ctx, noticeIDs(failed), end); err != nil {
		return err
	}
	if o.Final && o.Failure.Stage == stageRecipient && o.Failure.Code != 0 {
		if err := s.library.Mail().NoteProblem(ctx, tx, m.User, &library.MailProblem{Code: o.Failure.Code, Since: now}); err != nil {
			return err
		}
	}
	if len(waiting) == 0 {
		return tx.DeleteMail(ctx, m.ID)
	}
	return tx.SaveMail(ctx, open)
}
