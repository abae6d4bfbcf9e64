// Package notice tells people by mail what is due, overdue or ready for them.
//
// A mail is made of notices when it is about to be sent: one for a person at a time, with all that is still true. A
// sender claims a mail for a while, says when it is about to give it to a mail server, and notes the outcome. When a
// sender dies in between, its claim ends, and the mail is sent again with the same identifier. A mail that a server may
// have already is sent as it was, less what is no longer true.
//
// Kinds of notices, and when they are written, are in package library; package mail carries mails. Start reading at
// [Service.Claim] and [Service.End], at [Start] for the worker that sends, and at [Letter] for the words.
package notice

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"example.org/library"
	"example.org/library/service"
)

// Service makes mails for senders.
type Service struct {
	store   Store
	library *service.Service
	claims  atomic.Uint64 // new mails and others take turns
}

// New returns the mails of a library, kept by the store.
func New(store Store, s *service.Service) *Service { return &Service{store: store, library: s} }

// Now is the time of the library's clock.
func (s *Service) Now() time.Time { return s.library.Now() }

// timeout bounds each transaction.
const timeout = 15 * time.Second

// ClaimLasts is how long a sender has a mail for itself, unless it renews the claim.
const ClaimLasts = 30 * time.Second

// delays are the pauses between attempts. The last one is repeated until the pauses of a
// notice are triedFor together: time without attempts does not count.
var delays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour}

const (
	triedFor = 48 * time.Hour
	// maxGiven is how often a mail server may get the whole of a mail without an answer: so often a
	// mailbox may have it.
	maxGiven = 2
)

// OpenMail is a mail to be sent, as a store keeps it.
type OpenMail struct {
	ID       string // becomes the Message-ID
	UserID   string
	Created  time.Time // right before the first attempt
	Attempts int
	Next     time.Time // when to try again; while it is being sent, the end of the claim
	Claim    string    // of the present sender; "" for nobody
	Given    int       // how often a mail server may have got the whole of it; then nothing is added
}

// Subject is the loan or the hold of a notice, as it is now.
type Subject struct {
	library.Notice
	Loan *library.Loan // only the fields that a notice needs
	Hold *library.Hold
	Old  bool // a later one of its kind is there: of the hold, or about the same due date with a higher value
}

// Mail is a mail for its caller to send.
type Mail struct {
	OpenMail
	User     library.User
	Policy   library.Policy
	Subjects []Subject
}

// Store keeps mails.
type Store interface {
	// Alone is as in [library.HousekeepingStore].
	Alone(ctx context.Context, l library.Lock, fn func(context.Context) error) (ran bool, err error)
	// MailTx is one transaction, as [library.Store.Tx] is.
	MailTx(ctx context.Context, fn func(Tx) error) error

	// RenewClaim lets a claim last until an instant, and reports whether it was still there. The
	// mail was given to a server so often at least.
	RenewClaim(ctx context.Context, mailID, claim string, until time.Time, given int) (bool, error)
	// NoticeCounts counts the notices by kind and state, and returns when the
	// oldest waiting notice was written; zero if none waits.
	NoticeCounts(ctx context.Context) (map[Count]int, time.Time, error)
}

// Count is a kind and a state of notices.
type Count struct {
	Kind  library.NoticeKind
	State library.NoticeState
}

// Tx reads and writes mails inside a transaction.
type Tx interface {
	library.NoticeTx
	// PolicyNow is as in [library.PolicyTx].
	PolicyNow(ctx context.Context) (library.Policy, error)

	// MailToRetry returns, and locks, the next mail to be tried again. It is zero if there is none.
	MailToRetry(ctx context.Context, now time.Time) (OpenMail, error)
	// PersonToTell returns a person with waiting notices and without a mail, or "". Notices
	// of a kind in waits count from their age there on.
	PersonToTell(ctx context.Context, now time.Time, waits map[library.NoticeKind]time.Duration) (userID string, err error)
	// Recipient returns a user and keeps nobody waiting.
	Recipient(ctx context.Context, userID string) (library.User, error)
	// DueLoansOf is DueLoans for one person.
	DueLoansOf(ctx context.Context, userID string, r library.Reminder) ([]library.Loan, error)
	// Subjects returns the waiting notices of a mail, and, unless it was given to a server,
	// waiting notices without a mail. A notice whose occasion is after now makes no other one old.
	Subjects(ctx context.Context, m OpenMail, now time.Time) ([]Subject, error)
	// AddMail adds a mail, and reports whether its person had none.
	AddMail(ctx context.Context, m OpenMail) (bool, error)
	SaveMail(ctx context.Context, m OpenMail) error
	DeleteMail(ctx context.Context, id string) error
	// PutIntoMail puts notices into a mail, and returns them without notices that have ended or are in another mail.
	PutIntoMail(ctx context.Context, mailID string, notices []string) ([]string, error)
	// EndNotices ends waiting notices: they were dropped, or have failed or were sent, by one
	// more attempt or none. So do notices whose person was forgotten meanwhile.
	EndNotices(ctx context.Context, ids []string, end End) error
	// OpenMail returns a mail to be sent, and locks it. It is zero if there is none.
	OpenMail(ctx context.Context, id string) (OpenMail, error)
}

// End is the outcome for notices.
type End struct {
	State    library.NoticeState // NoticeWaiting: they wait again
	Attempts int                 // more
	TriedFor time.Duration       // more
	Problem  *library.MailFailure
	At       time.Time
}

// Alone runs fn unless another process sends mails.
func (s *Service) Alone(ctx context.Context, fn func(context.Context) error) (bool, error) {
	return s.store.Alone(library.WithStoreTimeout(ctx, timeout), library.MailLock, fn)
}

// stageRecipient is the stage where a mail server refuses an address.
const stageRecipient = "rcpt"

// stillTrue parts notices into true and untrue ones. Of several about the same thing, the newest is kept.
func stillTrue(all []Subject, to library.User, p library.Policy, now time.Time) (kept, dropped []Subject) {
	unwanted := library.UnwantedBy(to)
	slices.SortStableFunc(all, func(a, b Subject) int { return b.Created.Compare(a.Created) })
	told := make(map[[2]string]bool)
	for _, n := range all {
		about := [2]string{n.About, string(n.Kind)}
		if told[about] || slices.Contains(unwanted, n.Kind) || n.Old || !n.IsTrue(n.Loan, n.Hold, p, now) {
			dropped = append(dropped, n)
			continue
		}
		told[about] = true
		kept = append(kept, n)
	}
	return kept, dropped
}

// Day returns the day of a notice: when the loan is due, or until when the copy is or
// was set aside; zero if there is none.
func (n Subject) Day(p library.Policy) library.Date {
	switch {
	case n.Loan != nil && !n.Loan.Due.IsZero():
		return p.Day(n.Loan.Due)
	case n.Hold != nil && !n.Hold.Until.IsZero():
		return p.Day(n.Hold.Until)
	case n.Hold != nil:
		return p.Day(n.Occasion)
	}
	return library.Date{}
}

func noticeIDs(list []Subject) []string {
	ids := make([]string, len(list))
	for i, n := range list {
		ids[i] = n.ID
	}
	return ids
}

// Renew lets a sender have its mail for longer, and reports whether it still has it.
func (s *Service) Renew(ctx context.Context, m *Mail) (bool, error) {
	return s.renew(ctx, m, m.Given)
}

// Give notes, right before a mail server gets the whole of a mail, and reports whether
// its sender still has it: otherwise somebody else sends it.
func (s *Service) Give(ctx context.Context, m *Mail) (bool, error) {
	return s.renew(ctx, m, m.Given+1)
}

func (s *Service) renew(ctx context.Context, m *Mail, given int) (bool, error) {
	return s.store.RenewClaim(library.WithStoreTimeout(ctx, ClaimLasts/3), m.ID, m.Claim, s.Now().Add(ClaimLasts), given)
}

// Waits reports whether a sender may send nothing, until an admin says so.
func (s *Service) Waits(ctx context.Context) (bool, error) { return s.library.MailWaits(ctx) }

// Counts counts notices for metrics. While the outbox is paused, waiting notices are paused.
func (s *Service) Counts(ctx context.Context) (map[Count]int, time.Time, error) {
	counts, oldest, err := s.store.NoticeCounts(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	isPaused, err := s.Waits(ctx)
	if isPaused {
		for _, kind := range library.NoticeKinds {
			if n, has := counts[Count{kind, library.NoticeWaiting}]; has {
				counts[Count{kind, library.NoticePaused}] = n
				delete(counts, Count{kind, library.NoticeWaiting})
			}
		}
	}
	return counts, oldest, err
}
