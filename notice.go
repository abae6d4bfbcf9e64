package library

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/library/internal/validation"
)

// NoticeKind is the kind of a notice.
type NoticeKind string

const (
	NoticeHoldReady   NoticeKind = "hold_ready"
	NoticeHoldExpired NoticeKind = "hold_expired"
	NoticeDueSoon     NoticeKind = "due_soon"
	NoticeOverdue     NoticeKind = "overdue"
	NoticeWanted      NoticeKind = "wanted"
)

// NoticeState is the state of a notice.
type NoticeState string

const (
	NoticeWaiting NoticeState = "waiting"
	NoticePaused  NoticeState = "paused" // waiting until an admin lets mails be sent; never stored
	NoticeSent    NoticeState = "sent"
	NoticeDropped NoticeState = "dropped" // no longer true, or not wanted
	NoticeFailed  NoticeState = "failed"
)

// NoticeStates is every state of notices.
var NoticeStates = []NoticeState{NoticeWaiting, NoticePaused, NoticeSent, NoticeDropped, NoticeFailed}

// Notice is a message to a person by mail, sent once. Its subject, kind, occasion and value identify
// it, so a crash repeats none. Notices are written only in libraries with mail: see service.WithMail.
type Notice struct {
	ID       string
	Kind     NoticeKind
	State    NoticeState
	About    string    // identifier of the loan or the hold
	Occasion time.Time // when the hold became ready, or its last moment; when the loan is due, or began if somebody waits for it
	Value    int       // days overdue, from the policy; 0 for other kinds
	Person   Person    // zero if the person is forgotten
	Book     BookRef
	Created  time.Time
	Sent     time.Time // zero before

	Attempts    int
	TriedFor    time.Duration // the pauses between its attempts, together
	NextAttempt time.Time     // after a failure; else zero
	Problem     *MailFailure  // of the last attempt
}

// MailFailure is the reason a mail was not sent: the stage, and the mail server's answer.
type MailFailure struct {
	Stage string // connect, tls, auth, mail, rcpt or data
	Code  int    // of the answer; 0 if there was none
}

// MailProblem is a refusal of an address by a mail server.
type MailProblem struct {
	Code  int
	Since time.Time
}

// NoticeQuery selects notices, newest first.
type NoticeQuery struct {
	State  NoticeState // "" for any
	Kind   NoticeKind  // "" for any
	UserID string      // "" for any user
	Since  time.Time   // written then or later
	Limit  int
	After  *Cursor
}

// NoticeStore reads notices.
type NoticeStore interface {
	Notices(ctx context.Context, q NoticeQuery) ([]Notice, error)
	CountNotices(ctx context.Context, q NoticeQuery) (int, error)
	// DueLoans returns up to most open loans due between the two instants of a reminder, in the order
	// of their due dates, from after on. It leaves out loans with a notice of the kind and this value
	// or a higher one, unless it was dropped, and loans of people without reminders or switched off.
	DueLoans(ctx context.Context, r Reminder, after *Cursor, most int) ([]Loan, error)
	Outbox(ctx context.Context) (Outbox, error)
	// MailProblems returns the problems with the addresses of users.
	MailProblems(ctx context.Context, userIDs []string) (map[string]MailProblem, error)
}

// NoticeTx writes notices inside a transaction.
type NoticeTx interface {
	// DueLoans is the same as in NoticeStore.
	DueLoans(ctx context.Context, r Reminder, after *Cursor, most int) ([]Loan, error)
	// AddNotices writes the notices not there yet. A dropped one waits again.
	AddNotices(ctx context.Context, notices []Notice) error
	Notice(ctx context.Context, id string) (Notice, error) // ErrNoticeNotFound; locked
	// RetryNotice lets a notice wait again, outside any mail, and ends the mail problem of its person.
	RetryNotice(ctx context.Context, id string) error
	// DeleteNotices deletes up to most notices written before an instant. Notices about an open loan
	// with its present due date, or its beginning, stay, so nobody gets the same mail again.
	DeleteNotices(ctx context.Context, before time.Time, most int) (int, error)
	Outbox(ctx context.Context) (Outbox, error)
	SaveOutbox(ctx context.Context, o Outbox) error
	MailProblem(ctx context.Context, u User) (*MailProblem, error)
	SetMailProblem(ctx context.Context, u User, p *MailProblem) error
}

// Reminder describes the notices due about all loans due between two instants.
type Reminder struct {
	Kind     NoticeKind
	Value    int
	From, To time.Time // both are included
}

// Notices returns a notice about each of the loans.
func (r Reminder) Notices(loans []Loan, now time.Time) []Notice {
	notices := make([]Notice, len(loans))
	for i, l := range loans {
		notices[i] = newNotice(r.Kind, l.ID, l.Borrower, l.Book, l.Due, r.Value, now)
	}
	return notices
}

// Outbox is the state of sending mails.
type Outbox struct {
	Paused          bool // until an admin lets mails be sent
	From, PublicURL string
	HasSent         bool // with these settings
}

// MailSettings are the settings for sending mails.
type MailSettings struct {
	From      string // an e-mail address
	PublicURL string // of the browser client; "" for none
	// Diverted means a trial of the library with all mails going to one mailbox, so their fate says
	// nothing about people's addresses.
	Diverted bool
}

// IsPaused reports whether a process with these settings may send nothing, because the database may be
// a copy of a library. A slash at the end of the address makes no difference.
func (o Outbox) IsPaused(m *MailSettings) bool {
	if o.Paused || !o.HasSent || m == nil {
		return o.Paused
	}
	return m.From != o.From || strings.TrimSuffix(m.PublicURL, "/") != strings.TrimSuffix(o.PublicURL, "/")
}

// Shown returns the notice for admins: while the outbox is paused, waiting notices are.
func (n Notice) Shown(isPaused bool) Notice {
	if isPaused && n.State == NoticeWaiting {
		n.State, n.NextAttempt = NoticePaused, time.Time{}
	}
	return n
}

// NoteProblem records or clears a problem with the user's address.
func (m *MailSettings) NoteProblem(ctx context.Context, tx NoticeTx, u User, p *MailProblem) error {
	if m == nil || m.Diverted {
		return nil
	}
	return tx.SetMailProblem(ctx, u, p)
}

// noticeTimeLayout is the form of NoticeTime. Such texts compare like their times.
const noticeTimeLayout = "15:04"

// noticeTime returns the time of day for reminders. An invalid text, saved by a later program, counts
// as the default.
func (p Policy) noticeTime() string {
	if _, err := time.Parse(noticeTimeLayout, p.NoticeTime); err != nil || len(p.NoticeTime) != len(noticeTimeLayout) {
		return DefaultPolicy().NoticeTime
	}
	return p.NoticeTime
}

func (p *problems) noticeTime(text string) string {
	if text != "" && (Policy{NoticeTime: text}).noticeTime() != text {
		p.Add(Detail{Field: "noticeTime", Code: validation.CodeNotTime, Message: "must be a time of the day such as 08:00"})
	}
	return text
}

// mailNote checks the texts. It leaves out languages without a text and returns nil if no text is
// left, so equal policies compare equal.
func (p *problems) mailNote(notes map[string]string) (checked map[string]string) {
	for _, locale := range slices.Sorted(maps.Keys(notes)) {
		field := "mailNote." + locale
		if !slices.Contains(Locales, locale) {
			p.Add(validation.UnknownValue("mailNote", Locales))
			continue
		}
		text := p.Text(field, notes[locale], MaxMailNote)
		if text == "" {
			continue
		}
		if checked == nil {
			checked = make(map[string]string)
		}
		checked[locale] = text
	}
	return checked
}
