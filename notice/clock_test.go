package notice_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/mail"
	"example.org/library/notice"
)

// The mail server is away while the clock is 20 days ahead for a minute.
func TestAClockThatWasAheadTellsNobodyWhatIsNotTrue(t *testing.T) {
	t.Parallel()
	for kind, c := range map[library.NoticeKind]struct {
		loanDays, realDay int
		subject           string
	}{
		library.NoticeOverdue: {14, 15, "Overdue: Emma"},
		library.NoticeDueSoon: {22, 19, "Due on Tuesday: Emma"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, o *office) {
				p := library.DefaultPolicy()
				p.LoanDays, p.DueSoonDays = c.loanDays, 0
				if kind == library.NoticeDueSoon {
					p.DueSoonDays = 3
				}
				o.must(testkit.Err(o.service.SetPolicy(o.ctx, o.admin, p, nil)))
				o.lend("Emma", o.person("jane"))
				o.later(20 * 24 * time.Hour)
				o.box.answer = refuse(mail.Connect, 0)
				o.look()
				o.wantStates("written by the wrong clock", "1 waiting")
				o.later(-20*24*time.Hour + time.Minute)
				o.box.answer = nil
				o.look()
				o.want("not true now")
				o.wantStates("not true now", "1 dropped")
				for day := 1; day <= c.realDay+2; day++ {
					o.later(24 * time.Hour)
					o.look()
					if day == c.realDay {
						if len(o.box.mails) != 1 || !strings.HasPrefix(o.box.mails[0].Subject, c.subject) {
							t.Errorf("on its day: %+v", o.box.mails)
						}
						o.box.mails = nil
					}
					o.want("on other days")
				}
				o.wantStates("once", "1 sent")
			})
		})
	}
}

// turns counts how many of the turns of a pace come within a time.
func turns(ctx context.Context, p *notice.Pace) (n int) {
	for p.Wait(ctx) == nil {
		n++
	}
	return n
}

func TestMailsAndTestMailsKeepToOneRate(t *testing.T) {
	t.Parallel()
	pace := notice.NewPace(20)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var others int
	done := make(chan struct{})
	go func() { defer close(done); others = turns(ctx, pace) }()
	if n := turns(ctx, pace); n > 11 {
		t.Errorf("%d of one in half a second", n)
	}
	if <-done; others > 11 {
		t.Errorf("%d of the other in half a second", others)
	}
	s := notice.Sender{Carrier: boxes{}, Pace: notice.NewPace(1)}
	hurry, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	testkit.NoError(t, s.SendTest(hurry, library.User{}, library.DefaultPolicy(), time.Now()))
	if err := s.SendTest(hurry, library.User{}, library.DefaultPolicy(), time.Now()); !errors.Is(err, library.ErrOverloaded) {
		t.Errorf("the second within a second: %v", err)
	}
}

// boxes carries mails to nowhere.
type boxes struct{}

func (boxes) Open() mail.Session                    { return boxes{} }
func (boxes) Send(context.Context, mail.Mail) error { return nil }
func (boxes) Close()                                {}

func TestTheLogNamesTheMailServerThatFailsAndWhy(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(time.Minute)
		o.box.answer = func(mail.Mail) error {
			return &mail.Error{Stage: mail.Connect, Err: errors.New("connection refused")}
		}
		cfg := config(o.mails, o.box.Open)
		var log strings.Builder
		cfg.Logger, cfg.Server = slog.New(slog.NewTextHandler(&log, nil)), "mail.example.org:587"
		notice.Looks(cfg)(o.ctx)
		for _, part := range []string{"the mail server fails", "server=mail.example.org:587", "stage=connect", "connection refused"} {
			if !strings.Contains(log.String(), part) {
				t.Errorf("%q is not in the log: %s", part, &log)
			}
		}
	})
}

func TestAReminderSaysThatALoanCanBeRenewedUntilSomebodyWaits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane := o.person("jane")
		o.lend("Emma", jane)
		awaited := o.book("Persuasion")
		o.must(testkit.Err(o.service.Borrow(o.ctx, jane, awaited)))
		o.must(testkit.Err(o.service.PlaceHold(o.ctx, o.person("jim"), awaited, "")))
		o.later(time.Duration(library.DefaultPolicy().LoanDays-1) * 24 * time.Hour)
		o.look()
		if len(o.box.mails) != 1 || strings.Count(o.box.mails[0].Text, "renew it") != 1 || strings.Count(o.box.mails[0].Text, "bring it back") != 2 {
			t.Errorf("got %+v", o.box.mails)
		}
	})
}
