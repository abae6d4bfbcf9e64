package library

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.org/library/internal/pagination"
)

// NoticeKind is what a notice tells.
type NoticeKind string

const (
	NoticeHoldReady   NoticeKind = "hold_ready"
	NoticeHoldExpired NoticeKind = "hold_expired"
	NoticeDueSoon     NoticeKind = "due_soon"
	NoticeOverdue     NoticeKind = "overdue"
)

// NoticeState is how far a notice has come.
type NoticeState string

const (
	NoticeWaiting NoticeState = "waiting"
	NoticePaused  NoticeState = "paused" // waiting, until an admin says that mails may be sent: never stored
	NoticeSent    NoticeState = "sent"
	NoticeDropped NoticeState = "dropped" // it was no longer true, or not wanted
	NoticeFailed  NoticeState = "failed"
)

// NoticeStates is every state of notices.
var NoticeStates = []NoticeState{NoticeWaiting, NoticePaused, NoticeSent, NoticeDropped, NoticeFailed}

// Notice is something that a person is told by mail, once. There is one for what it is
// about, its kind, occasion and value, whatever crashes. Notices are written only where
// mails are sent: see [WithMail].
type Notice struct {
	ID       string
	Kind     NoticeKind
	State    NoticeState
	About    string    // identifier of the loan or the hold
	Occasion time.Time // when the hold became ready, or until when it was; when the loan is due
	Value    int       // how many days overdue, as the policy says; 0 for other kinds
	Person   Person    // zero if the person is forgotten
	Book     BookRef
	Created  time.Time
	Sent     time.Time // zero unless it was sent

	Attempts    int
	TriedFor    time.Duration // the pauses between its attempts, together
	NextAttempt time.Time     // zero unless it waits after a failure
	Problem     *MailFailure  // of the last attempt
}

// MailFailure is why a mail could not be sent: how far it came, and what the mail server said.
type MailFailure struct {
	Stage string // connect, tls, auth, mail, rcpt or data
	Code  int    // of the answer; 0 if there was none
}

// MailProblem is an address that a mail server refuses.
type MailProblem struct {
	Code  int
	Since time.Time
}

// noticesKept is how long notices are kept.
const noticesKept = 90 * 24 * time.Hour

// NoticeQuery says which notices to list, newest first.
type NoticeQuery struct {
	State  NoticeState // "" for any
	Kind   NoticeKind  // "" for any
	UserID string      // "" for no matter whose
	Since  time.Time   // those that were written before are not listed
	Limit  int
	After  *Cursor
}

// NoticeStore is what a store does with notices.
type NoticeStore interface {
	Notices(ctx context.Context, q NoticeQuery) ([]Notice, error)
	CountNotices(ctx context.Context, q NoticeQuery) (int, error)
	// DueLoans returns up to most open loans that are due between the two instants of a
	// reminder, in the order of their due dates, from after on. Those about which there is
	// a notice of the kind, with this value or a higher one, are left out, and so are those
	// of people who want no reminders or are not active.
	DueLoans(ctx context.Context, r Reminder, after *Cursor, most int) ([]Loan, error)
	Outbox(ctx context.Context) (Outbox, error)
	// MailProblems are those of the users who have one with their address.
	MailProblems(ctx context.Context, userIDs []string) (map[string]MailProblem, error)
}

// NoticeTx is what a store does with notices inside a transaction.
type NoticeTx interface {
	// DueLoans is that of NoticeStore.
	DueLoans(ctx context.Context, r Reminder, after *Cursor, most int) ([]Loan, error)
	// AddNotices writes the notices that are not there yet.
	AddNotices(ctx context.Context, notices []Notice) error
	Notice(ctx context.Context, id string) (Notice, error) // ErrNoticeNotFound; locked
	// RetryNotice lets a notice wait again, outside any mail, and ends the mail problem of its person.
	RetryNotice(ctx context.Context, id string) error
	// DeleteNotices deletes up to most notices that were written before an instant. Those
	// about an open loan as it is due now stay, so that nobody is told the same again.
	DeleteNotices(ctx context.Context, before time.Time, most int) (int, error)
	Outbox(ctx context.Context) (Outbox, error)
	SaveOutbox(ctx context.Context, o Outbox) error
	MailProblem(ctx context.Context, u User) (*MailProblem, error)
	SetMailProblem(ctx context.Context, u User, p *MailProblem) error
}

// Reminder is a notice that is due about all loans that are due between two instants.
type Reminder struct {
	Kind     NoticeKind
	Value    int
	From, To time.Time // both are included
}

// Notices are a reminder about each of the loans.
func (r Reminder) Notices(loans []Loan, now time.Time) []Notice {
	notices := make([]Notice, len(loans))
	for i, l := range loans {
		notices[i] = newNotice(r.Kind, l.ID, l.Borrower, l.Book, l.Due, r.Value, now)
	}
	return notices
}

// Outbox is what a library knows of the mails that it has sent.
type Outbox struct {
	Paused          bool // an admin must say that mails may be sent
	From, PublicURL string
	HasSent         bool // with these settings
}

// MailSettings is with what a process sends mails.
type MailSettings struct {
	From      string // an e-mail address
	PublicURL string // of the browser client; "" for none
	// Diverted says that all mails go to somebody who tries the library out. What becomes of
	// them says nothing about the addresses of people.
	Diverted bool
}

// WithMail lets notices be written, which another part of the program sends.
func WithMail(m MailSettings) Option { return func(s *Service) { s.mail = &m } }

// Mail is with what the library writes to people; nil if it does not.
func (s *Service) Mail() *MailSettings { return s.mail }

// IsPaused reports whether a process with these settings may send nothing. Nobody is to
// hear from a copy of a library. Links are the same with a slash at the end of the address.
func (o Outbox) IsPaused(m *MailSettings) bool {
	if o.Paused || !o.HasSent || m == nil {
		return o.Paused
	}
	return m.From != o.From || strings.TrimSuffix(m.PublicURL, "/") != strings.TrimSuffix(o.PublicURL, "/")
}

// Notices lists notices for admins. While the outbox is paused, what waits is paused.
func (s *Service) Notices(ctx context.Context, a Actor, q NoticeQuery) (List[Notice], error) {
	if err := a.Authorize(Administer); err != nil {
		return List[Notice]{}, err
	}
	outbox, err := s.store.Outbox(ctx)
	if err != nil {
		return List[Notice]{}, err
	}
	q.Since = s.now().Add(-noticesKept)
	isPaused := outbox.IsPaused(s.mail)
	switch {
	case isPaused && q.State == NoticePaused:
		q.State = NoticeWaiting
	case isPaused && q.State == NoticeWaiting:
		q.State = NoticePaused // which none is
	}
	return pagination.Read(pager[Notice]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountNotices(ctx, q) },
		Read: func(limit, _ int, after *Cursor) ([]Notice, error) {
			q.Limit, q.After = limit, after
			return s.store.Notices(ctx, q)
		},
		Show:   func(n Notice) Notice { return n.Shown(isPaused) },
		Bytes:  func(n Notice) int { return 512 + n.Book.Weight() },
		Cursor: func(n Notice) Cursor { return Cursor{Order: NoticesByCreation, Created: n.Created, ID: n.ID} },
	})
}

// Shown is the notice as admins see it: while the outbox is paused, what waits is paused.
func (n Notice) Shown(isPaused bool) Notice {
	if isPaused && n.State == NoticeWaiting {
		n.State, n.NextAttempt = NoticePaused, time.Time{}
	}
	return n
}

// MailWaits reports whether a sender may send nothing, until an admin says so.
func (s *Service) MailWaits(ctx context.Context) (bool, error) {
	outbox, err := s.store.Outbox(ctx)
	return outbox.IsPaused(s.mail), err
}

// MailPaused reports to admins whether mails wait until one of them says that they may be sent.
func (s *Service) MailPaused(ctx context.Context, a Actor) (bool, error) {
	if err := a.Authorize(Administer); err != nil {
		return false, err
	}
	return s.MailWaits(ctx)
}

// RetryNotice lets a notice that has failed wait again. Its person is written to again.
func (s *Service) RetryNotice(ctx context.Context, a Actor, id string) (Notice, error) {
	return changeTo(ctx, s, a, Administer, scope{}, func(tx Tx, caller Actor, _ Circulation) (Notice, error) {
		n, err := tx.Notice(ctx, id)
		if err != nil {
			return Notice{}, err
		}
		if n.State != NoticeFailed || n.Person.ID == "" { // or nobody knows whose it was
			return Notice{}, ErrNotFailed
		}
		if err := tx.RetryNotice(ctx, id); err != nil {
			return Notice{}, err
		}
		n.State, n.Problem, n.NextAttempt = NoticeWaiting, nil, time.Time{}
		outbox, err := tx.Outbox(ctx)
		if err != nil {
			return Notice{}, err
		}
		n = n.Shown(outbox.IsPaused(s.mail))
		return n, s.saveResponse(ctx, tx, caller, Administer, n, n.About)
	})
}

// ResumeMail lets the library send mails, from now on with the settings of this process. One
// that sends none leaves those that others have sent with, and so does not speak for a copy.
func (s *Service) ResumeMail(ctx context.Context, a Actor) error {
	_, err := changeTo(ctx, s, a, Administer, scope{}, func(tx Tx, caller Actor, _ Circulation) (struct{}, error) {
		outbox, err := tx.Outbox(ctx)
		if err != nil {
			return struct{}{}, err
		}
		outbox.Paused = false
		if s.mail != nil {
			outbox = Outbox{From: s.mail.From, PublicURL: s.mail.PublicURL, HasSent: true}
		}
		if err := tx.SaveOutbox(ctx, outbox); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.saveResponse(ctx, tx, caller, Administer, struct{}{})
	})
	return err
}

// MailArrived notes that a mail to a user has come through: the address is good again.
func (s *Service) MailArrived(ctx context.Context, u User) error {
	return s.store.Tx(ctx, func(tx Tx) error { return s.mail.NoteProblem(ctx, tx, u, nil) })
}

// NoteProblem notes what a mail to a user says about the address.
func (m *MailSettings) NoteProblem(ctx context.Context, tx NoticeTx, u User, p *MailProblem) error {
	if m == nil || m.Diverted {
		return nil
	}
	return tx.SetMailProblem(ctx, u, p)
}

// withMailProblems adds to users whether their address is refused.
func (s *Service) withMailProblems(ctx context.Context, users []User) ([]User, error) {
	problems, err := mailProblemsOf(ctx, s, users, func(u User) string { return u.ID })
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
func mailProblemsOf[T any](ctx context.Context, s *Service, people []T, id func(T) string) (map[string]MailProblem, error) {
	if s.mail == nil || len(people) == 0 {
		return nil, nil
	}
	ids := make([]string, len(people))
	for i, p := range people {
		ids[i] = id(p)
	}
	return s.store.MailProblems(ctx, ids)
}
