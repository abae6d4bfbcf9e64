package service

import (
	"context"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// noticesKept is the age at which notices are deleted.
const noticesKept = 90 * 24 * time.Hour

// WithMail turns on writing notices; another part of the program sends them.
func WithMail(m library.MailSettings) Option { return func(s *Service) { s.mail = &m } }

// Mail returns the settings for mails; nil without mail.
func (s *Service) Mail() *library.MailSettings { return s.mail }

// Notices lists notices for admins. While the outbox is paused, waiting notices are shown as paused.
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
		q.State = library.NoticePaused // no notice has it
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

// MailWaits reports whether senders must wait for an admin to resume mail.
func (s *Service) MailWaits(ctx context.Context) (bool, error) {
	outbox, err := s.store.Outbox(ctx)
	return outbox.IsPaused(s.mail), err
}

// MailPaused reports to admins whether mails wait for one of them to resume mail.
func (s *Service) MailPaused(ctx context.Context, a library.Actor) (bool, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return false, err
	}
	return s.MailWaits(ctx)
}

// RetryNotice queues a failed notice again, and clears the mail problem of its person.
func (s *Service) RetryNotice(ctx context.Context, a library.Actor, id string) (library.Notice, error) {
	return changeTo(ctx, s, a, library.Administer, scope{}, func(tx library.Tx, caller library.Actor, _ library.Circulation) (library.Notice, error) {
		n, err := tx.Notice(ctx, id)
		if err != nil {
			return library.Notice{}, err
		}
		if n.State != library.NoticeFailed || n.Person.ID == "" { // or its person is forgotten
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

// ResumeMail lets the library send mails with the settings of this process. A process without mail
// keeps the saved settings of others, so it does not vouch for a copy.
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

// MailArrived clears the mail problem of a user after a mail was accepted.
func (s *Service) MailArrived(ctx context.Context, u library.User) error {
	return s.store.Tx(ctx, func(tx library.Tx) error { return s.mail.NoteProblem(ctx, tx, u, nil) })
}

// withMailProblems adds the mail problems to users.
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

// mailProblemsOf returns the mail problems of people.
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
