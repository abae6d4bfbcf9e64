package library

import (
	"context"
	"slices"
	"time"
)

// Mails are made of notices when they are about to be sent: one for a person at a time,
// with all that is still true. A sender claims a mail for a while, says when it is about to
// give it to a mail server, and what has become of it. Whoever dies in between loses the
// claim, and the mail is sent again with the same identifier. One that a server may have got
// already is sent as it was, less what is no longer true.

// ClaimLasts is how long a sender has a mail for itself, unless it renews the claim.
const ClaimLasts = 30 * time.Second

// mailDelays are the pauses between attempts. The last one is repeated until the pauses of a
// notice are mailTriedFor together: time in which nobody tries does not count.
var mailDelays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour}

const (
	mailTriedFor = 48 * time.Hour
	// maxGiven is how often a mail server may get the whole of a mail without a word about what
	// has become of it: that often a mailbox may have it.
	maxGiven = 2
)

// OpenMail is a mail that is to be sent, as a store keeps it.
type OpenMail struct {
	ID       string // of which the Message-ID is made
	UserID   string
	Created  time.Time // right before the first attempt
	Attempts int
	Next     time.Time // when to try again; of one that is being sent, when the claim ends
	Claim    string    // of the sender who is at it; "" for nobody
	Given    int       // how often a mail server may have got the whole of it; then nothing is added
}

// Subject is what a notice is about, as it is now: the loan or the hold.
type Subject struct {
	Notice
	Loan *Loan // only what a notice needs of it
	Hold *Hold
	Old  bool // there is a notice of its kind about a later occasion, or a higher value
}

// OutgoingMail is a mail that its caller may send.
type OutgoingMail struct {
	OpenMail
	User     User
	Policy   Policy
	Subjects []Subject
}

// OutgoingStore is what a store does with mails outside transactions.
type OutgoingStore interface {
	// RenewClaim lets a claim last until an instant, and reports whether it was still there. The
	// mail was given to a server so often at least.
	RenewClaim(ctx context.Context, mailID, claim string, until time.Time, given int) (bool, error)
	// NoticeCounts counts the notices by kind and state, and says when the oldest was
	// written that waits; zero if none does.
	NoticeCounts(ctx context.Context) (map[NoticeCount]int, time.Time, error)
}

// NoticeCount is what notices are counted by.
type NoticeCount struct {
	Kind  NoticeKind
	State NoticeState
}

// OutgoingTx is what a store does with mails inside a transaction.
type OutgoingTx interface {
	Outbox(ctx context.Context) (Outbox, error)
	// MailToRetry returns, and locks, the mail that is to be tried again next. It is zero if
	// there is none.
	MailToRetry(ctx context.Context, now time.Time) (OpenMail, error)
	// PersonToTell returns to whom there is something to tell who has no mail yet, or "".
	// Notices of a kind in waits count from that age on.
	PersonToTell(ctx context.Context, now time.Time, waits map[NoticeKind]time.Duration) (userID string, err error)
	// Recipient returns a user and keeps nobody waiting.
	Recipient(ctx context.Context, userID string) (User, error)
	// DueLoansOf is DueLoans for one person.
	DueLoansOf(ctx context.Context, userID string, r Reminder) ([]Loan, error)
	// Subjects returns the notices that wait in a mail, and, unless it was given to a server,
	// those that wait in none. A notice whose occasion is after now makes no other one old.
	Subjects(ctx context.Context, m OpenMail, now time.Time) ([]Subject, error)
	MailProblem(ctx context.Context, u User) (*MailProblem, error)
	SetMailProblem(ctx context.Context, u User, p *MailProblem) error
	// AddMail adds a mail, and reports whether its person had none.
	AddMail(ctx context.Context, m OpenMail) (bool, error)
	SaveMail(ctx context.Context, m OpenMail) error
	DeleteMail(ctx context.Context, id string) error
	// PutIntoMail puts notices into a mail, and returns those that still wait and are in no
	// other one.
	PutIntoMail(ctx context.Context, mailID string, notices []string) ([]string, error)
	// EndNotices ends what waits: it was dropped, or has failed or was sent by one more attempt
	// or none. What has forgotten its person by now does so, too.
	EndNotices(ctx context.Context, ids []string, end NoticeEnd) error
	// OpenMail returns a mail that is to be sent, and locks it. It is zero if there is none.
	OpenMail(ctx context.Context, id string) (OpenMail, error)
}

// NoticeEnd is what has become of notices.
type NoticeEnd struct {
	State    NoticeState   // NoticeWaiting: they wait again
	Attempts int           // more
	TriedFor time.Duration // more
	Problem  *MailFailure
	At       time.Time
}

// AloneForMail runs fn unless another process sends mails.
func (s *Service) AloneForMail(ctx context.Context, fn func(context.Context) error) (bool, error) {
	return s.store.Alone(WithStoreTimeout(ctx, housekeepingTimeout), MailLock, fn)
}

// stageRecipient is the stage at which a mail server refuses an address.
const stageRecipient = "rcpt"

// stillTrue parts notices: those that are to be sent, and the others. Of several about the
// same thing, the newest is sent.
func stillTrue(all []Subject, to User, now time.Time) (kept, dropped []Subject) {
	unwanted := UnwantedBy(to)
	slices.SortStableFunc(all, func(a, b Subject) int { return b.Created.Compare(a.Created) })
	told := make(map[[2]string]bool)
	for _, n := range all {
		about := [2]string{n.About, string(n.Kind)}
		if told[about] || slices.Contains(unwanted, n.Kind) || !n.isTrue(now) {
			dropped = append(dropped, n)
			continue
		}
		told[about] = true
		kept = append(kept, n)
	}
	return kept, dropped
}

func (n Subject) isTrue(now time.Time) bool {
	switch r := ruleOf(n.Kind); {
	case r == nil, n.Old: // a later program knows it; another notice says it
		return false
	case r.trueOfHold != nil:
		return n.Hold != nil && r.trueOfHold(*n.Hold, now)
	default:
		return n.Loan != nil && r.trueOfLoan(*n.Loan, n.Notice, now)
	}
}

// Day is the day that a notice is about: when the loan is due, or until when the copy is or
// was set aside; zero if there is none.
func (n Subject) Day(p Policy) Date {
	switch {
	case n.Loan != nil && !n.Loan.Due.IsZero():
		return p.Day(n.Loan.Due)
	case n.Hold != nil && !n.Hold.Until.IsZero():
		return p.Day(n.Hold.Until)
	case n.Hold != nil:
		return p.Day(n.Occasion)
	}
	return Date{}
}

func noticeIDs(list []Subject) []string {
	ids := make([]string, len(list))
	for i, n := range list {
		ids[i] = n.ID
	}
	return ids
}

func collectingKinds() map[NoticeKind]time.Duration {
	waits := make(map[NoticeKind]time.Duration)
	for _, r := range noticeRules {
		if r.collects > 0 {
			waits[r.kind] = r.collects
		}
	}
	return waits
}

// RenewClaim lets a sender have its mail for longer, and reports whether it still has it.
func (s *Service) RenewClaim(ctx context.Context, m *OutgoingMail) (bool, error) {
	return s.renewClaim(ctx, m, m.Given)
}

// GiveMail notes that a mail server is about to get the whole of a mail, and reports whether
// its sender still has it: otherwise somebody else sends it.
func (s *Service) GiveMail(ctx context.Context, m *OutgoingMail) (bool, error) {
	return s.renewClaim(ctx, m, m.Given+1)
}

func (s *Service) renewClaim(ctx context.Context, m *OutgoingMail, given int) (bool, error) {
	return s.store.RenewClaim(WithStoreTimeout(ctx, ClaimLasts/3), m.ID, m.Claim, s.now().Add(ClaimLasts), given)
}

// MailWaits reports whether a sender may send nothing, until an admin says so.
func (s *Service) MailWaits(ctx context.Context) (bool, error) {
	outbox, err := s.store.Outbox(ctx)
	return outbox.isPaused(s.mail), err
}

// NoticeCounts counts notices for metrics. While the outbox is paused, what waits is paused.
func (s *Service) NoticeCounts(ctx context.Context) (map[NoticeCount]int, time.Time, error) {
	counts, oldest, err := s.store.NoticeCounts(ctx)
	if err != nil {
		return nil, time.Time{}, err
	}
	isPaused, err := s.MailWaits(ctx)
	if isPaused {
		for _, kind := range NoticeKinds {
			if n, has := counts[NoticeCount{kind, NoticeWaiting}]; has {
				counts[NoticeCount{kind, NoticePaused}] = n
				delete(counts, NoticeCount{kind, NoticeWaiting})
			}
		}
	}
	return counts, oldest, err
}
