package notice_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	netmail "net/mail"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/mail"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

var empty = testdb.New(func(context.Context, *sqlstore.Store) error { return nil })

var addresses = map[string]func(testing.TB) string{"sqlite": empty.SQLite, "postgres": empty.Postgres}

// onEach runs a test on both databases.
func onEach(t *testing.T, test func(t *testing.T, o *office)) {
	t.Helper()
	for name, address := range addresses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newOffice(t, address(t)))
		})
	}
}

// mailbox is a carrier that keeps what it gets, and answers as it is told.
type mailbox struct {
	mu     sync.Mutex
	mails  []mail.Mail
	answer func(mail.Mail) error // nil: it takes every mail
}

func (b *mailbox) Open() mail.Session { return b }
func (b *mailbox) Close()             {}

func (b *mailbox) Send(ctx context.Context, m mail.Mail) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answer != nil {
		if err := b.answer(m); err != nil {
			return err
		}
	}
	if err := m.Before(); err != nil {
		return &mail.Error{Stage: mail.Data, Err: err}
	}
	b.mails = append(b.mails, m)
	return nil
}

// office is a library that sends mails to a mailbox.
type office struct {
	t       *testing.T
	ctx     context.Context
	mu      sync.Mutex
	at      time.Time
	store   *sqlstore.Store
	service *service.Service
	mails   *notice.Service
	box     *mailbox
	admin   library.Actor
}

func newOffice(t *testing.T, address string) *office {
	ctx := library.WithStoreTimeout(t.Context(), time.Minute)
	store, err := sqlstore.Open(ctx, address)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	o := &office{t: t, ctx: ctx, store: store, at: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), box: &mailbox{}}
	o.serve(o.newService(store, "library@example.org"))
	o.admin = o.person("admin")
	return o
}

func (o *office) newService(store library.Store, from string) *service.Service {
	return service.New(store, service.WithClock(o.now), service.WithMail(library.MailSettings{From: from}))
}

// serve goes on with a service, and its mails.
func (o *office) serve(s *service.Service) { o.service, o.mails = s, notice.New(o.store, s) }

func (o *office) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at
}

func (o *office) later(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at = o.at.Add(d)
}

func (o *office) must(err error) {
	o.t.Helper()
	testkit.NoError(o.t, err)
}

// person adds somebody who may do everything.
func (o *office) person(name string) library.Actor {
	o.t.Helper()
	u := library.User{ID: library.NewID(), Created: o.now(), Version: "1", UserFields: library.UserFields{
		Email: name + "@example.com", FirstName: name, LastName: "Reader", Locale: "en", Roles: library.Roles}}
	o.must(o.store.Tx(o.ctx, func(tx library.Tx) error { return tx.AddUser(o.ctx, u) }))
	return library.Actor{User: u, Authorities: u.Authorities()}
}

func (o *office) book(title string) string {
	o.t.Helper()
	b, err := o.service.AddBook(o.ctx, o.admin, "", library.BookFields{Title: title}, 1)
	o.must(err)
	return b.ID
}

// lend lends a new book.
func (o *office) lend(title string, to library.Actor) string {
	o.t.Helper()
	b, err := o.service.Borrow(o.ctx, to, o.book(title))
	o.must(err)
	return b.Loan.ID
}

// set lends a book, reserves it and gives it back, so that it is set aside.
func (o *office) setAside(title string, to library.Actor) (book string) {
	o.t.Helper()
	book = o.book(title)
	o.must(testkit.Err(o.service.Borrow(o.ctx, o.admin, book)))
	o.must(testkit.Err(o.service.PlaceHold(o.ctx, to, book, "")))
	o.must(testkit.Err(o.service.Return(o.ctx, o.admin, book)))
	return book
}

// look lets the housekeeping run and then the worker look once.
func (o *office) look() {
	o.t.Helper()
	o.must(testkit.Err(o.service.RunHousekeeping(o.ctx)))
	o.send()
}

func (o *office) send() {
	o.t.Helper()
	o.must(notice.SendOnce(o.ctx, config(o.mails, o.box.Open)))
}

func config(out *notice.Service, open func() mail.Session) notice.Config {
	return notice.Config{Mails: out, Open: open, Compose: compose, Pace: notice.NewPace(1000), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Metrics: prometheus.NewRegistry()}
}

func compose(id string, now time.Time, to library.User, p library.Policy, items []notice.Item) mail.Mail {
	c := notice.Letter{Locale: to.Locale, Today: p.Day(now), Items: items}.Render()
	return mail.Mail{ID: id, Date: now, To: netmail.Address{Address: to.Email}, Subject: c.Subject, Text: c.Text, HTML: c.HTML}
}

// want compares to whom mails went, and about which books, since the last time.
func (o *office) want(rule string, subjects ...string) {
	o.t.Helper()
	o.box.mu.Lock()
	defer o.box.mu.Unlock()
	got := make([]string, 0)
	for _, m := range o.box.mails {
		_, books, _ := strings.Cut(m.Subject, ": ") // the words before are tested elsewhere
		got = append(got, m.To.Address+" "+books)
	}
	slices.Sort(got)
	slices.Sort(subjects)
	if strings.Join(got, "; ") != strings.Join(subjects, "; ") {
		o.t.Errorf("%s: got %q, want %q", rule, got, subjects)
	}
	o.box.mails = nil
}

// wantStates compares how many notices are in which state.
func (o *office) wantStates(rule, want string) {
	o.t.Helper()
	states := map[library.NoticeState]int{}
	list, err := o.service.Notices(o.ctx, o.admin, library.NoticeQuery{})
	o.must(err)
	for n, err := range list.All {
		o.must(err)
		states[n.State]++
	}
	var got []string
	for _, s := range library.NoticeStates {
		if states[s] > 0 {
			got = append(got, fmt.Sprint(states[s], " ", s))
		}
	}
	if strings.Join(got, ", ") != want {
		o.t.Errorf("%s: got %s, want %s", rule, strings.Join(got, ", "), want)
	}
}

func refuse(stage mail.Stage, code int) func(mail.Mail) error {
	return func(mail.Mail) error {
		isPersons := stage == mail.To || stage == mail.Data
		return &mail.Error{Stage: stage, Code: code, Final: isPersons && code >= 500}
	}
}

func TestOneMailForAPersonWithAllThatIsTrue(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane, jim := o.person("jane"), o.person("jim")
		o.setAside("Emma", jane)
		o.look()
		o.want("a hold that is ready waits for more")
		o.later(40 * time.Second)
		o.setAside("Persuasion", jane)
		o.later(20 * time.Second)
		o.look()
		o.want("a minute after the first all go together", "jane@example.com Emma and 1 more")
		o.look()
		o.want("once")

		returned := o.lend("Mansfield Park", jane)
		o.lend("Sanditon", jim)
		o.lend("Lady Susan", jim)
		o.later(27 * 24 * time.Hour)
		o.must(testkit.Err(o.service.RunHousekeeping(o.ctx)))
		o.must(testkit.Err(o.service.ReturnLoan(o.ctx, jane, returned)))
		o.look()
		o.want("what came back is not mentioned, and nothing is sent about nothing",
			"jane@example.com Emma and 1 more", "jim@example.com Lady Susan and 1 more")
		o.later(-time.Hour)
		o.look()
		o.want("the clock goes back, and nothing is sent again")
		o.later(4 * 24 * time.Hour)
		o.look()
		o.want("after a standstill there is one mail", "jim@example.com Lady Susan and 1 more")
	})
}

func TestAMailThatFailsIsTriedAgainForTwoDays(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.must(testkit.Err(o.service.SetPolicy(o.ctx, o.admin, func() library.Policy { p := library.DefaultPolicy(); p.HoldDays = 30; return p }(), nil)))
		o.later(time.Minute)
		attempts, ids := 0, map[string]bool{}
		o.box.answer = func(m mail.Mail) error {
			attempts++
			ids[m.ID] = true
			return refuse(mail.To, 451)(m)
		}
		for i, pause := range []time.Duration{0, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 2 * time.Hour} {
			o.later(pause - time.Second)
			o.look()
			if i > 0 && attempts != i {
				t.Fatalf("%d attempts before it was time for another, want %d", attempts, i)
			}
			o.later(time.Second)
			o.look()
			if attempts != i+1 {
				t.Fatalf("%d attempts, want %d", attempts, i+1)
			}
		}
		o.wantStates("it waits", "1 waiting")
		for range 24 {
			o.later(2 * time.Hour)
			o.look()
		}
		o.wantStates("after two days it has failed", "1 failed")
		if len(ids) != 1 || attempts != 28 {
			t.Errorf("%d attempts with %d identifiers, want 28 with one", attempts, len(ids))
		}
	})
}

// wantUnreachable compares whom the desk sees as somebody whom no mail reaches.
func (o *office) wantUnreachable(rule string, names ...string) {
	o.t.Helper()
	list, err := o.service.Readers(o.ctx, o.admin, library.ReaderQuery{})
	o.must(err)
	var got []string
	for r, err := range list.All {
		o.must(err)
		if r.Unreachable {
			got = append(got, r.FirstName)
		}
	}
	if !slices.Equal(got, names) {
		o.t.Errorf("%s: %v, want %v", rule, got, names)
	}
}

func TestAnAddressThatIsRefusedGetsNothingUntilItChangesOrAnAdminRetries(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane := o.person("jane")
		o.box.answer = refuse(mail.To, 550)
		o.setAside("Emma", jane)
		o.later(time.Minute)
		o.look()
		o.wantStates("5xx fails at once", "1 failed")
		u, err := o.service.User(o.ctx, o.admin, jane.User.ID)
		o.must(err)
		if u.MailProblem == nil || u.MailProblem.Code != 550 || !u.MailProblem.Since.Equal(o.now()) {
			t.Errorf("the user record says %+v", u.MailProblem)
		}
		edited, err := o.service.EditUser(o.ctx, o.admin, u.ID, u.UserFields, nil)
		o.must(err)
		testkit.Diff(t, u.MailProblem, edited.MailProblem)
		o.wantUnreachable("the desk sees it", "jane")
		o.box.answer = nil
		o.setAside("Persuasion", jane)
		o.later(time.Minute)
		o.look()
		o.wantStates("nobody writes to that address", "2 failed")
		o.want("not even to try")
		list, err := o.service.Notices(o.ctx, o.admin, library.NoticeQuery{Limit: 1})
		o.must(err)
		for n, err := range list.All {
			o.must(err)
			if n.Attempts != 0 || n.Problem == nil || *n.Problem != (library.MailFailure{Stage: "rcpt", Code: 550}) {
				t.Errorf("it says %d attempts and %+v", n.Attempts, n.Problem)
			}
			o.must(testkit.Err(o.service.RetryNotice(o.ctx, o.admin, n.ID)))
		}
		o.look()
		o.want("until an admin retries", "jane@example.com Persuasion")
		o.wantStates("that one", "1 sent, 1 failed")

		o.box.answer = refuse(mail.To, 550)
		o.setAside("Sanditon", jane)
		o.later(time.Minute)
		o.look()
		o.box.answer = nil
		fields := jane.User.UserFields
		fields.Email = "jane.austen@example.com"
		u, err = o.service.EditUser(o.ctx, o.admin, jane.User.ID, fields, nil)
		o.must(err)
		testkit.Diff(t, (*library.MailProblem)(nil), u.MailProblem)
		jane.User = u
		o.setAside("Lady Susan", jane)
		o.later(time.Minute)
		o.look()
		o.want("or it changes, which brings new notices only", "jane.austen@example.com Lady Susan")
		o.wantUnreachable("and the desk sees that")
	})
}

func TestTheMailServersFailureIsNobodysFailure(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		for i := range 12 {
			o.setAside("Emma", o.person(fmt.Sprint("reader", i)))
		}
		for _, answer := range []func(mail.Mail) error{
			refuse(mail.Auth, 535),
			func(mail.Mail) error { return &mail.Error{Stage: mail.Data, Seen: true} }, // it hangs
		} {
			attempts := 0
			o.box.answer = func(m mail.Mail) error { attempts++; return answer(m) }
			o.later(5 * time.Minute)
			o.look()
			if attempts != 10 {
				t.Errorf("%d attempts in a row, want 10", attempts)
			}
			o.wantStates("nothing has failed for good", "12 waiting")
		}
		o.box.answer = nil
		o.later(5 * time.Minute)
		o.look()
		o.wantStates("and all is sent when it is back", "12 sent")
	})
}

func TestNobodyHearsFromACopy(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		jane := o.person("jane")
		o.setAside("Emma", jane)
		o.later(time.Minute)
		o.look()
		o.want("a library sends", "jane@example.com Emma")
		o.serve(o.newService(o.store, "copy@example.org"))
		o.setAside("Persuasion", jane)
		o.later(time.Minute)
		o.look()
		o.want("with another address nothing is sent")
		o.wantStates("what is written waits", "1 paused, 1 sent")
		o.must(o.service.ResumeMail(o.ctx, o.admin))
		o.look()
		o.want("until an admin says so", "jane@example.com Persuasion")
		o.must(o.store.Tx(o.ctx, func(tx library.Tx) error { return tx.SaveOutbox(o.ctx, library.Outbox{Paused: true}) }))
		o.setAside("Sanditon", jane)
		o.later(time.Minute)
		o.look()
		o.want("after a restore nothing is sent either")
	})
}
