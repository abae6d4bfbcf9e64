package library

import "context"

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
	return s.store.Tx(ctx, func(tx Tx) error { // which may run more than once, so m stays as it is
		open, err := tx.OpenMail(ctx, m.ID)
		if err != nil || open.ID == "" || o.Failure != nil && open.Claim != m.Claim {
			return err
		}
		open.Claim, open.Next, open.Given = "", s.now(), m.Given
		if o.Seen {
			open.Given++
		}
		switch {
		case o.Failure == nil:
			return s.mailSent(ctx, tx, m)
		case o.GivenUp:
			return tx.SaveMail(ctx, open)
		}
		return s.mailFailed(ctx, tx, m, open, o)
	})
}

func (s *Service) mailSent(ctx context.Context, tx Tx, m *OutgoingMail) error {
	if err := tx.EndNotices(ctx, noticeIDs(m.Subjects), NoticeEnd{State: NoticeSent, Attempts: 1, At: s.now()}); err != nil {
		return err
	}
	if err := s.setMailProblem(ctx, tx, m.User, nil); err != nil {
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

// mailFailed lets a mail be tried again later with what has been tried for less than two days.
// What fails for good fails, and so does what a server has got twice without an answer: people
// would have it for a third time.
func (s *Service) mailFailed(ctx context.Context, tx Tx, m *OutgoingMail, open OpenMail, o MailOutcome) error {
	now := s.now()
	open.Attempts++
	pause := mailDelays[min(open.Attempts, len(mailDelays))-1]
	open.Next = now.Add(pause)
	isOver := o.Final || open.Given >= maxGiven
	var waiting, failed []Subject
	for _, n := range m.Subjects {
		if isOver || n.TriedFor+pause > mailTriedFor {
			failed = append(failed, n)
		} else {
			waiting = append(waiting, n)
		}
	}
	end := NoticeEnd{State: NoticeWaiting, Attempts: 1, TriedFor: pause, Problem: o.Failure, At: now}
	if err := tx.EndNotices(ctx, noticeIDs(waiting), end); err != nil {
		return err
	}
	end.State, end.TriedFor = NoticeFailed, 0
	if err := tx.EndNotices(ctx, noticeIDs(failed), end); err != nil {
		return err
	}
	if o.Final && o.Failure.Stage == stageRecipient && o.Failure.Code != 0 {
		if err := s.setMailProblem(ctx, tx, m.User, &MailProblem{Code: o.Failure.Code, Since: now}); err != nil {
			return err
		}
	}
	if len(waiting) == 0 {
		return tx.DeleteMail(ctx, m.ID)
	}
	return tx.SaveMail(ctx, open)
}
