package notice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/periodic"
	"example.org/library/mail"
)

// Interval is how often a worker looks for something to send.
const Interval = 30 * time.Second

// maxServerFailures is how many mails in a row fail because of the mail server before the
// worker leaves the others for the next time.
const maxServerFailures = 10

// Config configures a worker.
type Config struct {
	Mails    *Service
	Open     func() mail.Session // opens a session of the carrier
	Compose  Compose
	Pace     *Pace
	Server   string        // the mail server, for the log
	Interval time.Duration // 0 for the usual one
	Logger   *slog.Logger
	Metrics  prometheus.Registerer
}

// Compose writes the mail with an identifier to a person about some items.
type Compose func(id string, now time.Time, to library.User, p library.Policy, items []Item) mail.Mail

// Start starts a worker to send mails, and returns a function to stop it. Every process has a
// worker, and one at a time is at work. It has a lock of its own, so a hanging mail server
// delays nothing else. Stopping ends the connection to the mail server.
func Start(cfg Config) (stop func()) {
	if cfg.Interval == 0 {
		cfg.Interval = Interval
	}
	w := &worker{Config: cfg, metrics: newMetrics(cfg.Metrics), turn: turnLasts}
	return periodic.Start(w.Interval, w.work)
}

type worker struct {
	Config
	metrics *metrics
	turn    time.Duration
	more    bool  // its turn has ended, and there may be more to send
	failing bool  // in the last round
	down    bool  // the mail server has failed
	paused  bool  // mails waited for an admin the last time
	fault   error // of the program, with a mail

	failures int // of the mail server, in a row, in all turns of this time
}

// work sends all mails that are due now.
func (w *worker) work(ctx context.Context) {
	ran, err := w.alone(ctx)
	if ctx.Err() != nil {
		return
	}
	if err == nil && !ran {
		w.metrics.clear()
	}
	if err != nil && !w.failing {
		w.Logger.Warn("mails cannot be sent; it is tried again and again", "every", w.Interval, "error", err)
	}
	w.failing = err != nil
}

// sayPaused says in the log when mails begin to wait for an admin.
func (w *worker) sayPaused(ctx context.Context) error {
	isPaused, err := w.Mails.Waits(ctx)
	if isPaused && !w.paused {
		w.Logger.Warn("mails are paused, because this may be a copy of a library: its database was restored, or --mail-from or --public-url is another one; " +
			"'library notices resume' lets them be sent")
	}
	w.paused = isPaused
	return err
}

// alone does it unless another process does, turn after turn, and reports whether it had the
// last one. After each it says how things stand. A panic does not end the program.
func (w *worker) alone(ctx context.Context) (ran bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	w.fault, w.failures = nil, 0
	for w.more = true; w.more && err == nil && ctx.Err() == nil; {
		w.more = false // unless its turn ends too early
		if ran, err = w.Mails.Alone(ctx, w.send); ran && err == nil {
			err = errors.Join(w.sayPaused(ctx), w.metrics.count(ctx, w.Mails))
		}
	}
	return ran, errors.Join(err, w.fault)
}

// turnLasts is how long a worker goes on before it lets others have the lock: a
// database may take it away after ten minutes.
const turnLasts = 5 * time.Minute

// send sends mails until there is none, the mail server fails, or its turn is over.
func (w *worker) send(ctx context.Context) error {
	session := w.Open()
	defer session.Close()
	begun := time.Now()
	for w.failures < maxServerFailures {
		if err := w.Pace.Wait(ctx); err != nil {
			return nil // it is stopped
		}
		m, err := w.Mails.Claim(ctx, library.NewID())
		if err != nil || m == nil {
			return err
		}
		o, failure := w.try(ctx, session, m)
		if err := w.end(ctx, m, o); err != nil {
			return err
		}
		w.note(o, failure)
		if time.Since(begun) >= w.turn {
			w.more = w.failures < maxServerFailures
			return nil
		}
	}
	return nil
}

// try sends a mail. It renews the claim meanwhile, and gives up sending when it cannot. A
// panic counts as a failure of this mail, so no other mail waits for it.
func (w *worker) try(ctx context.Context, session mail.Session, m *Mail) (o Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			w.fault = fmt.Errorf("panic: %v", p)
			err = w.fault
			o = outcome(&mail.Error{Stage: mail.Data, Seen: true}, ctx.Err() != nil)
		}
	}()
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	renewing := make(chan struct{})
	go func() {
		defer close(renewing)
		w.renew(sending, m, cancel)
	}()
	now := w.Mails.Now()
	content := w.Compose(m.ID, now, m.User, m.Policy, items(m, now))
	content.Before = func() error { return w.give(sending, m, cancel) }
	err = session.Send(sending, content)
	isGivenUp := sending.Err() != nil
	cancel()
	<-renewing
	return outcome(err, isGivenUp), err
}

// errLost stops a mail when another process has its claim.
var errLost = errors.New("another sender has the mail")

// give notes that the mail server is about to get the whole of a mail, and stops the mail if it cannot.
func (w *worker) give(ctx context.Context, m *Mail, giveUp func()) error {
	isMine, err := w.Mails.Give(ctx, m)
	if err == nil && !isMine {
		err = errLost
	}
	if err != nil {
		giveUp()
	}
	return err
}

func (w *worker) renew(ctx context.Context, m *Mail, giveUp func()) {
	good := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(ClaimLasts / 3):
		}
		asked := time.Now()
		renewed, err := w.Mails.Renew(ctx, m)
		switch {
		case err == nil && renewed:
			good = asked
		case err == nil || time.Since(good) >= ClaimLasts:
			giveUp()
			return
		}
	}
}

func items(m *Mail, now time.Time) []Item {
	all := make([]Item, len(m.Subjects))
	for i, n := range m.Subjects {
		all[i] = Item{Kind: Kind(n.Kind), Book: n.Book.ID, Title: n.Book.Title, Day: n.Day(m.Policy), Renewable: n.Loan != nil && n.Loan.Judged(m.Policy, now).Renewable}
	}
	return all
}

// outcome translates an error of the carrier.
func outcome(err error, isGivenUp bool) Outcome {
	if err == nil {
		return Outcome{}
	}
	failed := &mail.Error{Stage: mail.Connect}
	errors.As(err, &failed)
	return Outcome{
		Failure: &library.MailFailure{Stage: string(failed.Stage), Code: failed.Code},
		Final:   failed.Final, Seen: failed.Seen, GivenUp: isGivenUp,
	}
}

// endFor is how long a worker tries to save an outcome. Meanwhile the database may be
// replaced by another one; a worker that is too late may have sent a mail twice.
const endFor = 2 * time.Minute

// end saves the outcome of a mail, even while the worker is being stopped.
func (w *worker) end(ctx context.Context, m *Mail, o Outcome) error {
	limit := endFor
	if ctx.Err() != nil {
		limit = 5 * time.Second
	}
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	for {
		err := w.Mails.End(saving, m, o)
		if err == nil || saving.Err() != nil {
			return err
		}
		select {
		case <-saving.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
		if ctx.Err() != nil && limit == endFor { // it is stopped meanwhile
			limit = 5 * time.Second
			time.AfterFunc(limit, cancel)
		}
	}
}

// isServers reports whether the mail server failed, and not one address: the failure came
// before the address, or there was no answer.
func isServers(o Outcome) bool {
	isPersons := o.Failure != nil && (o.Failure.Stage == string(mail.To) || o.Failure.Stage == string(mail.Data))
	return o.Failure != nil && !o.Final && (!isPersons || o.Failure.Code == 0)
}

// note counts an attempt, and logs when the mail server begins to fail and when it works again.
// The error has no words of the server: see [mail.Error].
func (w *worker) note(o Outcome, err error) {
	if o.GivenUp {
		return
	}
	w.metrics.attempt(o)
	if !isServers(o) {
		if w.down {
			w.Logger.Warn("the mail server takes mails again", "server", w.Server)
		}
		w.down, w.failures = false, 0
		return
	}
	if !w.down {
		w.Logger.Warn("the mail server fails; mails wait, and are tried again", "server", w.Server, "stage", o.Failure.Stage, "code", o.Failure.Code, "error", err)
	}
	w.down = true
	w.failures++
}
