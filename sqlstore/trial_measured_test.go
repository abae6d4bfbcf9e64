package sqlstore_test

import (
	"fmt"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest/fixture"
)

// TestMeasuredTrialOfAHundredThousandLoans tries rules over the loans of a year.
func TestMeasuredTrialOfAHundredThousandLoans(t *testing.T) {
	const books, people, loans = 500, 500, 100_000
	measured(t, newBooks(books, library.BookKinds...), func(t *testing.T, store *sqlstore.Store, f fixture.Store, numbers func(int) string) {
		users := make([]library.User, people)
		for i := range users {
			users[i] = fixture.NewUser(fmt.Sprintf("u%d@example.com", i))
			users[i].Category = []string{"", "pupil", "Pupil", "teacher"}[i%4]
		}
		f.AddUsers(t, users...)
		begin := time.Now().AddDate(0, 0, -364).UnixMicro()
		sqlstore.Exec(t, store, numbers(loans)+fmt.Sprintf(`
			INSERT INTO loans (id, book_id, book_title, user_id, borrowed_at, due_at, returned_at, renewals)
			SELECT CAST('l' || n.i AS TEXT), b.id, b.title, u.id, %[1]d + CAST(n.i AS BIGINT) * 300000000, %[1]d, %[1]d + CAST(n.i AS BIGINT) * 300000000 + 1000000000000, n.i %% 4
			FROM n JOIN (SELECT id, title, row_number() OVER () AS r FROM books) b ON b.r = n.i %% %[2]d + 1
			JOIN (SELECT id, row_number() OVER () AS r FROM users WHERE email LIKE 'u%%') u ON u.r = n.i * 7 %% %[3]d + 1`, begin, books, people))
		admin := f.AddReaders(t, 1)[0]
		p := library.DefaultPolicy()
		p.ClosedWeekdays = []time.Weekday{time.Saturday, time.Sunday}
		for i := range 20 {
			p.Rules = append(p.Rules, library.PolicyRule{Name: fmt.Sprint("Rule ", i), Categories: [][]string{nil, {"pupil"}, {"teacher"}}[i%3],
				Kinds: []string{library.BookKinds[i%9]}, LoanDays: new(i), MaxLoans: new(1 + i%3)})
		}
		clock, used := time.Now(), processor(t)
		got, err := service.New(store).TryPolicy(f.Ctx, admin, p)
		testkit.NoError(t, err)
		t.Logf("%d loans, %d refused, %d earlier: %v, %v of the processor", got.Loans, got.Refused.Count, got.DueEarlier.Count, time.Since(clock), processor(t)-used)
		if got.Loans != loans || processor(t)-used > 20*time.Second {
			t.Errorf("%d loans, %v of the processor", got.Loans, processor(t)-used)
		}
	})
}
