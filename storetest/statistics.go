package storetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/service"
	"example.org/library/statistics"
	"example.org/library/storetest/fixture"
)

// borrowing is a loan as the statistics see it: without a person.
type borrowing struct {
	book            library.BookRef
	since, returned time.Time
}

// statisticsMatchBruteForce lends books for a year and more, and counts by hand.
func statisticsMatchBruteForce(t *testing.T, f fixture.Store) {
	now := time.Date(2025, 8, 20, 7, 0, 0, 0, time.UTC)
	s := service.New(f.Store, service.WithClock(func() time.Time { return now }))
	counts := statistics.New(f.Counts, s.Now)
	actors := f.AddReaders(t, 1)
	books, loans := lendForAYear(t, f, s, actors[0], &now)
	date := func(text string) *library.Date {
		d, ok := calendar.ParseDate(text)
		if !ok {
			t.Fatal(text)
		}
		return &d
	}
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/Santiago"} {
		f.SetPolicy(t, s, actors[0], func(p *library.Policy) { p.TimeZone = zone })
		for _, q := range []statistics.Query{
			{},
			{By: statistics.ByMonth, From: date("2025-08-20"), To: date("2026-02-28")},
			{By: statistics.ByWeek, From: date("2025-12-24"), To: date("2026-11-15")},
			{By: statistics.ByDay, From: date("2025-10-20"), To: date("2026-04-05")},
			{By: statistics.ByDay, From: date("2026-03-29"), To: date("2026-03-29")},
			{By: statistics.ByDay, From: date("2025-10-01"), To: date("2026-11-04")}, // 400 days
		} {
			got, err := counts.Report(f.Ctx, actors[0], q)
			fixture.WantError(t, err, nil)
			fixture.WantEqual(t, got, countByHand(t, q, now, zone, books, loans))
		}
		_, err := counts.Report(f.Ctx, actors[0], statistics.Query{By: statistics.ByDay, From: date("2025-10-01"), To: date("2026-11-05")})
		fixture.WantError(t, err, library.ErrInvalid)
	}
}

// lendForAYear lends and returns at random, most at the ends of days. Some books
// are never lent; one is deleted at the end, with what was known of it.
func lendForAYear(t *testing.T, f fixture.Store, s *service.Service, a library.Actor, now *time.Time) (books []library.Book, loans []borrowing) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 15))
	for i := range 30 {
		b, err := s.AddBook(f.Ctx, a, "", library.BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}, 1)
		fixture.WantError(t, err, nil)
		if books = append(books, b); i%4 == 0 {
			*now = now.Add(time.Minute)
		}
	}
	lent := make(map[int]int) // the open loan of a book
	for range 150 {
		*now = now.Truncate(24 * time.Hour).Add(time.Duration(1+r.IntN(4))*24*time.Hour + time.Duration(r.IntN(8)-4)*time.Hour)
		n := min(r.IntN(27), r.IntN(27)) // some more often than others
		if i, has := lent[n]; has {
			_, err := s.Return(f.Ctx, a, books[n].ID)
			fixture.WantError(t, err, nil)
			loans[i].returned = *now
			delete(lent, n)
			continue
		}
		_, err := s.Borrow(f.Ctx, a, books[n].ID)
		fixture.WantError(t, err, nil)
		lent[n] = len(loans)
		loans = append(loans, borrowing{book: library.BookRef{ID: books[n].ID, Title: "Emma", Authors: books[n].Authors}, since: *now})
	}
	if i, has := lent[0]; has {
		_, err := s.Return(f.Ctx, a, books[0].ID)
		fixture.WantError(t, err, nil)
		loans[i].returned = *now
	}
	fixture.WantError(t, s.DeleteBook(f.Ctx, a, books[0].ID, nil), nil)
	for i := range loans {
		if loans[i].book.ID == books[0].ID {
			loans[i].book.ID = ""
		}
	}
	return books[1:], loans
}

// countByHand goes through all days, all loans and all books.
func countByHand(t *testing.T, q statistics.Query, now time.Time, zone string, books []library.Book, loans []borrowing) statistics.Report {
	t.Helper()
	place, err := time.LoadLocation(zone)
	fixture.WantError(t, err, nil)
	today := calendar.DateOf(now.In(place))
	from, to := library.Date{Year: today.Year - 1, Month: today.Month + 1, Day: 1}, today
	if q.From != nil {
		from, to = *q.From, *q.To
	}
	slices.SortFunc(books, func(a, b library.Book) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	st := statistics.Report{Books: len(books), Copies: len(books)}
	for day := from; day.Compare(to) <= 0; day = day.AddDays(1) {
		begin := day
		for q.By == statistics.ByWeek && begin.Weekday() != time.Monday || q.By != statistics.ByWeek && q.By != statistics.ByDay && begin.Day != 1 {
			begin = begin.AddDays(-1)
		}
		if n := len(st.Periods); n == 0 || st.Periods[n-1].From != begin {
			st.Periods = append(st.Periods, statistics.Period{From: begin})
		}
		p := &st.Periods[len(st.Periods)-1]
		p.Loans += fixture.Count(loans, func(l borrowing) bool { return calendar.DateOf(l.since.In(place)) == day })
		p.Returns += fixture.Count(loans, func(l borrowing) bool { return !l.returned.IsZero() && calendar.DateOf(l.returned.In(place)) == day })
	}
	inTime := func(l borrowing) bool {
		day := calendar.DateOf(l.since.In(place))
		return day.Compare(from) >= 0 && day.Compare(to) <= 0
	}
	for _, b := range books {
		of := func(l borrowing) bool { return l.book.ID == b.ID }
		ref := library.BookRef{ID: b.ID, Title: b.Title, Authors: b.Authors}
		if n := fixture.Count(loans, func(l borrowing) bool { return of(l) && inTime(l) }); n > 0 {
			st.MostBorrowed = append(st.MostBorrowed, statistics.BorrowedBook{Book: ref, Loans: n})
		}
		if !slices.ContainsFunc(loans, of) {
			st.NeverBorrowed = append(st.NeverBorrowed, ref)
			st.NeverBorrowedCount++
		}
	}
	slices.SortFunc(st.MostBorrowed, func(a, b statistics.BorrowedBook) int {
		return cmp.Or(cmp.Compare(b.Loans, a.Loans), cmp.Compare(a.Book.ID, b.Book.ID))
	})
	st.MostBorrowed = st.MostBorrowed[:min(20, len(st.MostBorrowed))]
	isOpen := func(l borrowing) bool { return l.returned.IsZero() }
	st.OpenLoans = fixture.Count(loans, isOpen)
	st.OverdueLoans = fixture.Count(loans, func(l borrowing) bool {
		return isOpen(l) && calendar.DateOf(l.since).AddDays(28).Compare(calendar.DateOf(now)) < 0
	})
	return st
}
