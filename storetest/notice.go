package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// postOffice is a library that sends mails, whose clock can be set.
type postOffice struct {
	fixture.Store
	t       *testing.T
	now     time.Time
	service *service.Service
	mails   *notice.Service
	admin   library.Actor
	readers []library.Actor
}

func newPostOffice(t *testing.T, f fixture.Store) *postOffice { return newPostOfficeOf(t, f, 4) }

func newPostOfficeOf(t *testing.T, f fixture.Store, people int) *postOffice {
	p := &postOffice{Store: f, t: t, now: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC), readers: f.AddReaders(t, people)}
	p.admin = p.readers[3]
	p.service = p.newService(f.Store)
	p.mails = notice.New(f.Mails, p.service)
	return p
}

func (p *postOffice) newService(s library.Store) *service.Service {
	return service.New(s, service.WithClock(func() time.Time { return p.now }), service.WithMail(library.MailSettings{From: "library@example.com"}))
}

// at sets the clock: a day of March, and a time.
func (p *postOffice) at(day int, clock string) {
	p.t.Helper()
	at, err := time.Parse("2006-01-02 15:04", fmt.Sprintf("2026-03-%02d %s", day, clock))
	fixture.WantError(p.t, err, nil)
	p.now = at
}

func (p *postOffice) book(title string) string {
	p.t.Helper()
	b, err := p.service.AddBook(p.Ctx, p.admin, "", library.BookFields{Title: title}, 1)
	fixture.WantError(p.t, err, nil)
	return b.ID
}

func (p *postOffice) must(err error) {
	p.t.Helper()
	fixture.WantError(p.t, err, nil)
}

func (p *postOffice) keepHouse() {
	p.t.Helper()
	done, err := p.service.RunHousekeeping(p.Ctx)
	fixture.WantError(p.t, err, nil)
	if !done.Ran {
		p.t.Fatal("the housekeeping did not run")
	}
}

// rules makes other rules.
func (p *postOffice) rules(change func(*library.Policy)) {
	p.t.Helper()
	p.SetPolicy(p.t, p.service, p.admin, change)
}

// want compares all notices, the oldest first: kind, value, title and state.
func (p *postOffice) want(rule string, want ...string) {
	p.t.Helper()
	list, err := p.Notices(p.Ctx, library.NoticeQuery{Since: p.now.AddDate(0, 0, -90)})
	fixture.WantError(p.t, err, nil)
	var got []string
	for _, n := range slices.Backward(list) {
		text := string(n.Kind)
		if n.Value > 0 {
			text += fmt.Sprint(" ", n.Value)
		}
		text += " " + n.Book.Title
		if n.State != library.NoticeWaiting {
			text += " " + string(n.State)
		}
		if n.Person.ID == "" {
			text += " of nobody"
		}
		got = append(got, text)
	}
	slices.Sort(got)
	slices.Sort(want)
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		p.t.Errorf("%s: got %q, want %q", rule, got, want)
	}
}

func holdsAreTold(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	emma, jane, jim, kate := p.book("Emma"), p.readers[0], p.readers[1], p.readers[2]
	borrow := func(a library.Actor) { _, err := p.service.Borrow(p.Ctx, a, emma); p.must(err) }
	giveBack := func(a library.Actor) { _, err := p.service.Return(p.Ctx, a, emma); p.must(err) }
	reserve := func(a library.Actor) { _, err := p.service.PlaceHold(p.Ctx, a, emma, ""); p.must(err) }
	borrow(kate)
	reserve(jane)
	reserve(jim)
	p.want("a place in the queue is not told")
	p.at(3, "10:00")
	giveBack(kate)
	p.want("a copy that comes back is told to the first", "hold_ready Emma")
	p.at(20, "10:00")
	p.keepHouse()
	p.want("who does not come is told, and the next", "hold_ready Emma", "hold_expired Emma", "hold_ready Emma")
	p.keepHouse()
	copies, err := p.Copies(p.Ctx, emma)
	p.must(err)
	edit := func(state library.CopyState) {
		_, err := p.service.EditCopy(p.Ctx, p.admin, copies[0].ID, library.CopyFields{State: state}, nil)
		p.must(err)
	}
	edit(library.Damaged)
	p.at(21, "10:00")
	edit(library.Lendable)
	p.want("whose hold becomes ready again is told again", "hold_ready Emma", "hold_expired Emma", "hold_ready Emma", "hold_ready Emma")

	// Without mails nobody is told, and what is told is all or nothing with the change.
	silent := service.New(f.Store, service.WithClock(func() time.Time { return p.now }))
	p.at(31, "10:00")
	_, err = silent.RunHousekeeping(p.Ctx)
	p.must(err)
	p.want("nothing is written where no mails are sent", "hold_ready Emma", "hold_expired Emma", "hold_ready Emma", "hold_ready Emma")
}

func holdsAreToldWithoutHistory(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	emma := p.book("Emma")
	p.rules(func(p *library.Policy) { p.HistoryDays = new(int) })
	_, err := p.service.Borrow(p.Ctx, p.readers[2], emma)
	p.must(err)
	_, err = p.service.PlaceHold(p.Ctx, p.readers[0], emma, "")
	p.must(err)
	_, err = p.service.Return(p.Ctx, p.readers[2], emma)
	p.must(err)
	p.at(20, "10:00")
	p.keepHouse()
	p.want("who is forgotten at once is told first", "hold_ready Emma dropped of nobody", "hold_expired Emma")
}

func loansAreReminded(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	emma, jane := p.book("Emma"), p.readers[0]
	p.rules(func(p *library.Policy) { p.LoanDays, p.NoticeTime = 7, "08:30" })
	b, err := p.service.Borrow(p.Ctx, jane, emma) // due on the 9th
	p.must(err)
	for _, s := range []struct {
		rule  string
		day   int
		clock string
		want  []string
	}{
		{"four days before nothing is said", 5, "12:00", nil},
		{"three days before, it is not time yet", 6, "08:29", nil},
		{"from the time on, it is said", 6, "08:30", []string{"due_soon Emma"}},
		{"an hour back nothing is said again", 6, "07:30", []string{"due_soon Emma"}},
		{"nor the next day", 7, "09:00", []string{"due_soon Emma"}},
		{"nor on the day itself", 9, "23:59", []string{"due_soon Emma"}},
		{"one day overdue is the day after, from the time on", 10, "08:29", []string{"due_soon Emma"}},
		{"then it is said", 10, "08:30", []string{"due_soon Emma", "overdue 1 Emma"}},
		{"once", 16, "08:00", []string{"due_soon Emma", "overdue 1 Emma"}},
		{"after a standstill only the highest value is said", 31, "09:00", []string{"due_soon Emma", "overdue 1 Emma", "overdue 21 Emma"}},
	} {
		p.at(s.day, s.clock)
		p.keepHouse()
		p.want(s.rule, s.want...)
	}
	p.rules(func(p *library.Policy) { p.LoanDays, p.OverdueDays = 7, []int{2, 14} })
	p.keepHouse()
	p.want("lower values that are new are not said", "due_soon Emma", "overdue 1 Emma", "overdue 21 Emma")
	p.rules(func(p *library.Policy) { p.LoanDays, p.TimeZone = 7, "Pacific/Auckland" })
	p.keepHouse()
	p.want("another time zone says nothing again", "due_soon Emma", "overdue 1 Emma", "overdue 21 Emma")
	_, err = p.service.Renew(p.Ctx, jane, b.Loan.ID) // due on the 7th of April
	p.must(err)
	p.now = p.now.AddDate(0, 0, 5)
	p.keepHouse()
	p.want("a renewed loan has a new due date", "due_soon Emma", "overdue 1 Emma", "overdue 21 Emma", "due_soon Emma")
}

func remindersFollowThePerson(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	for i, title := range []string{"Emma", "Persuasion", "Mansfield Park"} {
		_, err := p.service.Borrow(p.Ctx, p.readers[i], p.book(title))
		p.must(err)
	}
	off := false
	_, err := p.service.EditMe(p.Ctx, p.readers[0], library.Preferences{Reminders: &off})
	p.must(err)
	p.keepHouse()
	p.want("who wants no reminders gets none", "due_soon Persuasion", "due_soon Mansfield Park")
	_, err = p.service.EditMe(p.Ctx, p.readers[1], library.Preferences{Reminders: &off})
	p.must(err)
	u := p.readers[2].User
	u.Inactive = true
	_, err = p.service.EditUser(p.Ctx, p.admin, u.ID, u.UserFields, nil)
	p.must(err)
	p.want("what was written is dropped", "due_soon Persuasion dropped", "due_soon Mansfield Park dropped")
	p.at(4, "12:00")
	p.keepHouse()
	p.want("and nothing more is written", "due_soon Persuasion dropped", "due_soon Mansfield Park dropped")
}

func noticesForget(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	emma, persuasion, park := p.book("Emma"), p.book("Persuasion"), p.book("Mansfield Park")
	jane, jim := p.readers[0], p.readers[1]
	for book, reader := range map[string]library.Actor{emma: jane, persuasion: jane, park: jim} {
		_, err := p.service.Borrow(p.Ctx, reader, book)
		p.must(err)
	}
	p.keepHouse()
	for book, reader := range map[string]library.Actor{emma: jane, park: jim} {
		_, err := p.service.Return(p.Ctx, reader, book)
		p.must(err)
	}
	p.must(p.service.ForgetHistory(p.Ctx, jane))
	p.want("the history is forgotten, and open loans are not", "due_soon Emma dropped of nobody", "due_soon Persuasion", "due_soon Mansfield Park")
	p.must(p.service.RemoveUser(p.Ctx, p.admin, jim.User.ID, nil))
	p.want("somebody who is removed is forgotten", "due_soon Emma dropped of nobody", "due_soon Persuasion", "due_soon Mansfield Park dropped of nobody")
	p.now = p.now.AddDate(0, 0, 89)
	p.must(testDelete(p))
	p.want("they stay for 90 days", "due_soon Emma dropped of nobody", "due_soon Persuasion", "due_soon Mansfield Park dropped of nobody")
	p.now = p.now.AddDate(0, 0, 2)
	p.must(testDelete(p))
	p.want("and are gone then")
}

// testDelete lets the housekeeping run without writing anything new.
func testDelete(p *postOffice) error {
	_, err := service.New(p.Store.Store, service.WithClock(func() time.Time { return p.now })).RunHousekeeping(p.Ctx)
	return err
}

func noticesAreListed(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	p.rules(func(p *library.Policy) { p.LoanDays = 1 })
	for i, title := range []string{"A", "B", "C", "D", "E"} {
		_, err := p.service.Borrow(p.Ctx, p.readers[i%2], p.book(title))
		p.must(err)
		p.now = p.now.Add(time.Second)
		p.keepHouse()
	}
	titles := func(q library.NoticeQuery) (all string) {
		list, err := p.service.Notices(p.Ctx, p.admin, q)
		p.must(err)
		count, err := p.CountNotices(p.Ctx, q)
		p.must(err)
		got := 0
		for n, err := range list.All {
			p.must(err)
			all += n.Book.Title
			got++
		}
		if q.Limit == 0 && q.State != library.NoticePaused && got != count {
			t.Errorf("%d notices, and %d are counted", got, count)
		}
		return all
	}
	for q, want := range map[library.NoticeQuery]string{
		{}:                                       "EDCBA",
		{UserID: p.readers[0].User.ID}:           "ECA",
		{Kind: library.NoticeOverdue}:            "",
		{Kind: library.NoticeDueSoon}:            "EDCBA",
		{State: library.NoticeWaiting}:           "EDCBA",
		{State: library.NoticeSent}:              "",
		{State: library.NoticePaused}:            "",
		{Limit: 2}:                               "ED",
		{UserID: library.NewID()}:                "",
		{Limit: 3, UserID: p.readers[1].User.ID}: "DB",
	} {
		fixture.WantEqual(t, titles(q), want)
	}
	f.InTx(t, func(tx library.Tx) error { return tx.SaveOutbox(f.Ctx, library.Outbox{Paused: true}) })
	isPaused := func() bool {
		paused, err := p.service.MailPaused(p.Ctx, p.admin)
		p.must(err)
		return paused
	}
	fixture.WantEqual(t, titles(library.NoticeQuery{State: library.NoticePaused}), "EDCBA")
	fixture.WantEqual(t, isPaused(), true)
	p.must(p.service.ResumeMail(p.Ctx, p.admin))
	fixture.WantEqual(t, titles(library.NoticeQuery{State: library.NoticePaused}), "")
	fixture.WantEqual(t, isPaused(), false)
	o, err := p.Outbox(p.Ctx)
	p.must(err)
	fixture.WantEqual(t, o, library.Outbox{From: "library@example.com", HasSent: true})
}

func noticesAreRetried(t *testing.T, f fixture.Store) {
	p := newPostOffice(t, f)
	jane := p.readers[0].User
	n := library.Notice{ID: library.NewID(), Kind: library.NoticeOverdue, State: library.NoticeFailed, About: library.NewID(), Occasion: p.now,
		Value: 1, Person: fixture.PersonOf(jane), Book: library.BookRef{ID: library.NewID(), Title: "Emma"}, Created: p.now}
	again := n
	again.ID = library.NewID()
	f.InTx(t, func(tx library.Tx) error { return tx.AddNotices(f.Ctx, []library.Notice{n, again}) })
	p.want("a notice is written once", "overdue 1 Emma failed")
	got, err := p.service.RetryNotice(p.Ctx, p.admin, n.ID)
	p.must(err)
	fixture.WantEqual(t, got.State, library.NoticeWaiting)
	_, err = p.service.RetryNotice(p.Ctx, p.admin, n.ID)
	fixture.WantError(t, err, library.ErrNotFailed)
	_, err = p.service.RetryNotice(p.Ctx, p.admin, again.ID)
	fixture.WantError(t, err, library.ErrNoticeNotFound)
}
