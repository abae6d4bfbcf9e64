package library

import (
	"context"
	"time"
)

// MailOutcome is what has become of an attempt to send a mail.
type MailOutcome struct {
	Failure *MailFailure // nil: it was sent
	Final   bool         // no further attempt can change anything
	Seen    bool         // a mail server may have it nevertheless
	GivenUp bool         // the sender stops: nobody has failed
}

// EndMail says what has become of a mail that was claimed. A mail that was sent is sent,
// whoever has the claim by now; what else has become of it, who has it by now will say.
func (s *Service) EndMail(ctx context.Context, m *OutgoingMail, o MailOutcome) error {
	ctx = WithStoreTimeout(ctx, housekeepingTimeout)
	return s.store.Tx(ctx, func(tx Tx) error {
		open, err := tx.OpenMail(ctx, m.ID)
		if err != nil || open.ID == "" || o.Failure != nil && open.Claim != m.Claim {
			return err
		}
		switch {
		case o.Failure == nil:
			return s.mailSent(ctx, tx, m)
		case o.GivenUp:
			return s.putBack(ctx, tx, m, o, s.now())
		}
		return s.mailFailed(ctx, tx, m, o)
	})
}

func (s *Service) mailSent(ctx context.Context, tx Tx, m *OutgoingMail) error {
	if err := tx.EndNotices(ctx, noticeIDs(m.Subjects), NoticeEnd{State: NoticeSent, Attempts: 1, At: s.now()}); err != nil {
		return err
	}
	if err := tx.SetMailProblem(ctx, m.User, nil); err != nil {
		return err
	}
	outbox, err := tx.Outbox(ctx)
	if err == nil && !outbox.HasSent && s.mail != nil {
		outbox.From, outbox.PublicURL, outbox.HasSent = s.mail.From, s.mail.PublicURL, true
		err = tx.SaveOutbox(ctx, outbox)
	}
	if err != nil {
		return err
	}
	return tx.DeleteMail(ctx, m.ID)
}

func (s *Service) mailFailed(ctx context.Context, tx Tx, m *OutgoingMail, o MailOutcome) error {
	now := s.now()
	m.Attempts++
	next := now.Add(mailDelays[min(m.Attempts, len(mailDelays))-1])
	end := NoticeEnd{State: NoticeWaiting, Attempts: 1, Problem: o.Failure, At: now}
	if !o.Final && !next.After(m.Created.Add(mailTriedFor)) {
		if err := tx.EndNotices(ctx, noticeIDs(m.Subjects), end); err != nil {
			return err
		}
		return s.putBack(ctx, tx, m, o, next)
	}
	end.State = NoticeFailed
	if err := tx.EndNotices(ctx, noticeIDs(m.Subjects), end); err != nil {
		return err
	}
	if o.Final && o.Failure.Stage == stageRecipient && o.Failure.Code != 0 {
		if err := tx.SetMailProblem(ctx, m.User, &MailProblem{Code: o.Failure.Code, Since: now}); err != nil {
			return err
		}
	}
	return tx.DeleteMail(ctx, m.ID)
}

// putBack lets a mail wait until it is tried again.
func (s *Service) putBack(ctx context.Context, tx Tx, m *OutgoingMail, o MailOutcome, next time.Time) error {
	open := m.OpenMail
	open.Claim, open.Next, open.Fixed = "", next, m.WasFixed || o.Seen
	return tx.SaveMail(ctx, open, nil)
}
