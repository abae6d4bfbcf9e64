package library

import (
	"context"
	"slices"
	"time"
)

// Mails are made of notices when they are about to be sent: one for a person at a time,
// with all that is still true. A sender claims a mail for a while, sends it, and says what
// has become of it. Whoever dies in between loses the claim, and the mail is sent again
// with the same identifier, as it was, less what is no longer true.

// ClaimLasts is how long a sender has a mail for itself, unless it renews the claim.
const ClaimLasts = 30 * time.Second

// mailDelays are the pauses between attempts; the last one is repeated until mailTriedFor is over.
var mailDelays = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour}

const mailTriedFor = 48 * time.Hour

// OpenMail is a mail that is to be sent, as a store keeps it.
type OpenMail struct {
	ID       string // of which the Message-ID is made
	UserID   string
	Created  time.Time // right before the first attempt
	Attempts int
	Next     time.Time // when to try again; of one that is being sent, when the claim ends
	Claim    string    // of the sender who is at it; "" for nobody
	Fixed    bool      // a mail server may have it: nothing is added
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
	WasFixed bool // before it was claimed
}

// OutgoingStore is what a store does with mails outside transactions.
type OutgoingStore interface {
	// RenewClaim lets a claim last until an instant, and reports whether it was still there.
	RenewClaim(ctx context.Context, mailID, claim string, until time.Time) (bool, error)
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
	// NextMail returns, and locks, the mail that is to be sent next, or one without an
	// identifier for a person to whom there is something to tell. UserID is "" if there is
	// nothing to do. Notices of a kind in waits count from that age on.
	NextMail(ctx context.Context, now time.Time, waits map[NoticeKind]time.Duration) (OpenMail, error)
	// DueLoansOf is DueLoans for one person.
	DueLoansOf(ctx context.Context, userID string, r Reminder) ([]Loan, error)
	// Subjects returns the notices that wait in a mail, and, unless it is fixed, those that
	// wait in none. A notice whose occasion is after now makes no other one old.
	Subjects(ctx context.Context, m OpenMail, now time.Time) ([]Subject, error)
	MailProblem(ctx context.Context, u User) (*MailProblem, error)
	SetMailProblem(ctx context.Context, u User, p *MailProblem) error
	// SaveMail adds or replaces a mail with its notices, and DeleteMail deletes it.
	SaveMail(ctx context.Context, m OpenMail, notices []string) error
	DeleteMail(ctx context.Context, id string) error
	// EndNotices ends what waits: it was dropped, or has failed or was sent by one more attempt
	// or none. What has forgotten its person by now does so, too.
	EndNotices(ctx context.Context, ids []string, end NoticeEnd) error
	// OpenMail returns a mail that is to be sent, and locks it. It is zero if there is none.
	OpenMail(ctx context.Context, id string) (OpenMail, error)
}

// NoticeEnd is what has become of notices.
type NoticeEnd struct {
	State    NoticeState // NoticeWaiting: they wait again
	Attempts int         // more
	Problem  *MailFailure
	At       time.Time
}

// AloneForMail runs fn unless another process sends mails.
func (s *Service) AloneForMail(ctx context.Context, fn func(context.Context) error) (bool, error) {
	return s.store.Alone(WithStoreTimeout(ctx, housekeepingTimeout), MailLock, fn)
}

// ClaimMail makes the next mail and claims it for its caller, or returns nil if there is
// nothing to send now.
func (s *Service) ClaimMail(ctx context.Context, claim string) (*OutgoingMail, error) {
	ctx = WithStoreTimeout(ctx, housekeepingTimeout)
	for {
		var m *OutgoingMail
		more := false
		err := s.store.Tx(ctx, func(tx Tx) (err error) {
			m, more, err = s.claimMail(ctx, tx, claim)
			return err
		})
		if err != nil || !more {
			return m, err
		}
	}
}

// claimMail reports more if there may be another mail although this came to none.
func (s *Service) claimMail(ctx context.Context, tx Tx, claim string) (_ *OutgoingMail, more bool, err error) {
	now := s.now()
	outbox, err := tx.Outbox(ctx)
	if err != nil || s.mail == nil || outbox.isPaused(s.mail) {
		return nil, false, err
	}
	open, err := tx.NextMail(ctx, now, collectingKinds())
	if err != nil || open.UserID == "" {
		return nil, false, err
	}
	m := &OutgoingMail{OpenMail: open, WasFixed: open.Fixed}
	if m.User, err = tx.User(ctx, open.UserID); err != nil {
		return nil, false, err
	}
	if err := s.completeMail(ctx, tx, m, now); err != nil {
		return nil, false, err
	}
	if len(m.Subjects) == 0 {
		return nil, true, tx.DeleteMail(ctx, m.ID)
	}
	if m.ID == "" {
		m.ID, m.Created = NewID(), now
	}
	m.Claim, m.Next, m.Fixed = claim, now.Add(ClaimLasts), true
	return m, false, tx.SaveMail(ctx, m.OpenMail, noticeIDs(m.Subjects))
}

// completeMail writes what is due to tell the person now, and puts all that is still true
// into the mail.
func (s *Service) completeMail(ctx context.Context, tx Tx, m *OutgoingMail, now time.Time) (err error) {
	if m.Policy, err = tx.PolicyNow(ctx); err != nil {
		return err
	}
	if !m.Fixed && !m.User.Silent && !m.User.Inactive {
		for _, r := range m.Policy.dueReminders(now) {
			loans, err := tx.DueLoansOf(ctx, m.User.ID, r)
			if err == nil && len(loans) > 0 {
				err = tx.AddNotices(ctx, r.notices(loans, now))
			}
			if err != nil {
				return err
			}
		}
	}
	all, err := tx.Subjects(ctx, m.OpenMail, now)
	if err != nil {
		return err
	}
	kept, dropped := stillTrue(all, m.User, now)
	if err := tx.EndNotices(ctx, noticeIDs(dropped), NoticeEnd{State: NoticeDropped, At: now}); err != nil {
		return err
	}
	problem, err := tx.MailProblem(ctx, m.User)
	if err != nil {
		return err
	}
	if problem != nil {
		refused := &MailFailure{Stage: stageRecipient, Code: problem.Code}
		return tx.EndNotices(ctx, noticeIDs(kept), NoticeEnd{State: NoticeFailed, Problem: refused, At: now})
	}
	m.Subjects = kept
	return nil
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
		return n.Hold != nil && r.trueOfHold(*n.Hold)
	default:
		return n.Loan != nil && r.trueOfLoan(*n.Loan, n.Notice, now)
	}
}

// Day is the day that a notice is about: when the loan is due, or until when the copy is set
// aside; zero if there is none.
func (n Subject) Day(p Policy) Date {
	switch {
	case n.Loan != nil && !n.Loan.Due.IsZero():
		return p.Day(n.Loan.Due)
	case n.Hold != nil && !n.Hold.Until.IsZero():
		return p.Day(n.Hold.Until)
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
	return s.store.RenewClaim(WithStoreTimeout(ctx, ClaimLasts/3), m.ID, m.Claim, s.now().Add(ClaimLasts))
}

// NoticeCounts counts notices for metrics.
func (s *Service) NoticeCounts(ctx context.Context) (map[NoticeCount]int, time.Time, error) {
	return s.store.NoticeCounts(ctx)
}
