package library_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// TestANewKindOfNoticeIsOneLine is not parallel: it changes the table of kinds. The line says when the notice is written
// and whether it is still true; it is stored, sent once and dropped like every other. CONTRIBUTING.md has the whole drill.
func TestANewKindOfNoticeIsOneLine(t *testing.T) {
	const kind = library.NoticeKind("due_today")
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, testdb.Migrated.SQLite(t))
	testkit.NoError(t, err)
	defer store.Close()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s := service.New(store, service.WithClock(func() time.Time { return now }), service.WithMail(library.MailSettings{From: "library@example.org"}))
	mails := notice.New(store, s)
	u := library.User{ID: library.NewID(), Created: now, Version: "1", UserFields: library.UserFields{
		Email: "jane@example.com", FirstName: "Jane", LastName: "Reader", Locale: "en", Roles: library.Roles}}
	testkit.NoError(t, store.Tx(ctx, func(tx library.Tx) error { return tx.AddUser(ctx, u) }))
	jane := library.Actor{User: u, Authorities: u.Authorities()}
	var loans []string
	var due time.Time
	for _, title := range []string{"Emma", "Persuasion"} {
		b, err := s.AddBook(ctx, jane, "", library.BookFields{Title: title}, 1)
		testkit.NoError(t, err)
		lent, err := s.Borrow(ctx, jane, b.ID)
		testkit.NoError(t, err)
		loans, due = append(loans, lent.Loan.ID), lent.Loan.Due
	}
	now = time.Date(due.Year(), due.Month(), due.Day(), 12, 0, 0, 0, time.UTC)
	p := library.DefaultPolicy()
	p.DueSoonDays = 0
	testkit.NoError(t, testkit.Err(s.SetPolicy(ctx, jane, p, nil)))
	library.WithDueToday(kind, func() {
		if !slices.Contains(library.NoticeKinds, kind) {
			t.Errorf("the kinds are %v", library.NoticeKinds)
		}
		testkit.NoError(t, testkit.Err(s.RunHousekeeping(ctx)))
		testkit.NoError(t, testkit.Err(s.ReturnLoan(ctx, jane, loans[1])))
		m, err := mails.Claim(ctx, "sender")
		testkit.NoError(t, err)
		if m == nil || len(m.Subjects) != 1 || m.Subjects[0].Kind != kind || m.Subjects[0].Book.Title != "Emma" {
			t.Fatalf("the mail tells %+v", m)
		}
		testkit.NoError(t, mails.End(ctx, m, notice.Outcome{}))
		testkit.NoError(t, testkit.Err(s.RunHousekeeping(ctx)))
		m, err = mails.Claim(ctx, "sender")
		testkit.NoError(t, err)
		if m != nil {
			t.Errorf("it is told again: %+v", m)
		}
		all, err := store.Notices(ctx, library.NoticeQuery{Kind: kind, Limit: 10})
		testkit.NoError(t, err)
		var got []string
		for _, n := range all {
			got = append(got, fmt.Sprint(n.Book.Title, " ", n.State))
		}
		slices.Sort(got)
		testkit.Equal(t, strings.Join(got, ", "), "Emma sent, Persuasion dropped")
	})
}
