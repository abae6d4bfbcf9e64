package service

import (
	"context"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// noticesKept is how long notices are kept.
const noticesKept = 90 * 24 * time.Hour

// WithMail lets notices be written, which another part of the program sends.
func WithMail(m library.MailSettings) Option { return func(s *Service) { s.mail = &m } }

// Mail is with what the library writes to people; nil if it does not.
func (s *Service) Mail() *library.MailSettings { return s.mail }

// Notices lists notices for admins. While the outbox is paused, what waits is paused.
func (s *Service) Notices(ctx context.Context, a library.Actor, q library.NoticeQuery) (List[library.Notice], error) {
	if err := a.Authorize(library.Administer); err != nil {
		return List[library.Notice]{}, err
	}
	outbox, err := s.store.Outbox(ctx)
	if err != nil {
		return List[library.Notice]{}, err
	}
	q.Since = s.now().Add(-noticesKept)
	isPaused := outbox.IsPaused(s.mail)
	switch {
	case isPaused && q.State == library.NoticePaused:
		q.State = library.NoticeWaiting
	case isPaused && q.State == library.NoticeWaiting:
		q.State = library.NoticePaused // which none is
	}
	return pagination.Read(pager[library.Notice]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountNotices(ctx, q) },
		Read: func(limit, _ int, after *library.Cursor) ([]library.Notice, error) {
			q.Limit, q.After = limit, after
			return s.store.Notices(ctx, q)
		},
		Show:  func(n library.Notice) library.Notice { return n.Shown(isPaused) },
		Bytes: func(n library.Notice) int { return 512 + n.Book.Weight() },
		Cursor: func(n library.Notice) library.Cursor {
			return library.Cursor{Order: library.NoticesByCreation, Created: n.Created, ID: n.ID}
		},
	})
}

// MailWaits reports whether a sender may send nothing, until an admin says so.
func (s *Service) MailWaits(ctx context.Context) (bool, error) {
	outbox, err := s.store.Outbox(ctx)
	return outbox.IsPaused(s.mail), err
}

// MailPaused reports to admins whether mails wait until one of them says that they may be sent.
func (s *Service) MailPaused(ctx context.Context, a library.Actor) (bool, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return false, err
	}
	return s.MailWaits(ctx)
}

// RetryNotice lets a notice that has failed wait again. Its person is written to again.
func (s *Service) RetryNotice(ctx context.Context, a library.Actor, id string) (library.Notice, error) {
	return changeTo(ctx, s, a, library.Administer, scope{}, func(tx library.Tx, caller library.Actor, _ library.Circulation) (library.Notice, error) {
		n, err := tx.Notice(ctx, id)
		if err != nil {
			return library.Notice{}, err
		}
		if n.State != library.NoticeFailed || n.Person.ID == "" { // or nobody knows whose it was
			return library.Notice{}, library.ErrNotFailed
		}
		if err := tx.RetryNotice(ctx, id); err != nil {
			return library.Notice{}, err
		}
		n.State, n.Problem, n.NextAttempt = library.NoticeWaiting, nil, time.Time{}
		outbox, err := tx.Outbox(ctx)
		if err != nil {
			return library.Notice{}, err
		}
		n = n.Shown(outbox.IsPaused(s.mail))
		return n, s.saveResponse(ctx, tx, caller, library.Administer, n, n.About)
	})
}

// ResumeMail lets the library send mails, from now on with the settings of this process. One
// that sends none leaves those that others have sent with, and so does not speak for a copy.
func (s *Service) ResumeMail(ctx context.Context, a library.Actor) error {
	_, err := changeTo(ctx, s, a, library.Administer, scope{}, func(tx library.Tx, caller library.Actor, _ library.Circulation) (struct{}, error) {
		outbox, err := tx.Outbox(ctx)
		if err != nil {
			return struct{}{}, err
		}
		outbox.Paused = false
		if s.mail != nil {
			outbox = library.Outbox{From: s.mail.From, PublicURL: s.mail.PublicURL, HasSent: true}
		}
		if err := tx.SaveOutbox(ctx, outbox); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.saveResponse(ctx, tx, caller, library.Administer, struct{}{})
	})
	return err
}

// MailArrived notes that a mail to a user has come through: the address is good again.
func (s *Service) MailArrived(ctx context.Context, u library.User) error {
	return s.store.Tx(ctx, func(tx library.Tx) error { return s.mail.NoteProblem(ctx, tx, u, nil) })
}

// withMailProblems adds to users whether their address is refused.
func (s *Service) withMailProblems(ctx context.Context, users []library.User) ([]library.User, error) {
	problems, err := mailProblemsOf(ctx, s, users, func(u library.User) string { return u.ID })
	if err != nil || len(problems) == 0 {
		return users, err
	}
	users = slices.Clone(users) // they may be shared
	for i := range users {
		if p, has := problems[users[i].ID]; has {
			users[i].MailProblem = &p
		}
	}
	return users, nil
}

// mailProblemsOf are those of the people whose address is refused.
func mailProblemsOf[T any](ctx context.Context, s *Service, people []T, id func(T) string) (map[string]library.MailProblem, error) {
	if s.mail == nil || len(people) == 0 {
		return nil, nil
	}
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = id(p)
	}
	return s.store.MailProblems(ctx, ids)
}
