package library

import (
	"context"
	"strings"
	"time"
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
// mails are sent: see service.WithMail.
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

// IsPaused reports whether a process with these settings may send nothing. Nobody is to
// hear from a copy of a library. Links are the same with a slash at the end of the address.
func (o Outbox) IsPaused(m *MailSettings) bool {
	if o.Paused || !o.HasSent || m == nil {
		return o.Paused
	}
	return m.From != o.From || strings.TrimSuffix(m.PublicURL, "/") != strings.TrimSuffix(o.PublicURL, "/")
}

// Shown is the notice as admins see it: while the outbox is paused, what waits is paused.
func (n Notice) Shown(isPaused bool) Notice {
	if isPaused && n.State == NoticeWaiting {
		n.State, n.NextAttempt = NoticePaused, time.Time{}
	}
	return n
}

// NoteProblem notes what a mail to a user says about the address.
func (m *MailSettings) NoteProblem(ctx context.Context, tx NoticeTx, u User, p *MailProblem) error {
	if m == nil || m.Diverted {
		return nil
	}
	return tx.SetMailProblem(ctx, u, p)
}
