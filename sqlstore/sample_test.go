package sqlstore_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
)

// staff sees everything; nobody is signed in.
var staff = library.Actor{Authorities: []string{"ROLE_LIBRARY_CURATOR", "ROLE_LIBRARY_ADMIN"}}

// TestSamplesAreFreeWithOneCopyEach is about what `--sample-data` adds.
func TestSamplesAreFreeWithOneCopyEach(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := service.New(open(t, address(t)))
			testkit.NoError(t, s.Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
			books := stocks(t, s)
			if len(books) != 10 {
				t.Errorf("%d books", len(books))
			}
			for title, stock := range books {
				if want := "1 copy, 1 available"; stock != want {
					t.Errorf("%s: %s, want %s", title, stock, want)
				}
			}
		})
	}
}

// TestTheSecondShelfShowsLending is about what the demonstration adds, whenever
// it is begun.
func TestTheSecondShelfShowsLending(t *testing.T) {
	t.Parallel()
	for at, database := range map[string]string{
		"2026-11-15T12:00:00Z": "postgres", "2028-02-29T23:59:59Z": "sqlite", "2027-01-01T00:00:00Z": "sqlite",
	} {
		t.Run(database+" "+at, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, at)
			testkit.NoError(t, err)
			s := service.New(open(t, databases[database](t)), service.WithClock(func() time.Time { return now }))
			testkit.NoError(t, s.Prepare(t.Context(), service.Setup{Samples: sample.Lending}))
			wantStocks(t, s)
			wantPeople(t, s, now)
			wantCodes(t, s)
		})
	}
}

// stocks says of each book, by title, how many copies there are.
func stocks(t testing.TB, s *service.Service) map[string]string {
	t.Helper()
	list, err := s.Books(t.Context(), staff, library.BookQuery{})
	testkit.NoError(t, err)
	out := map[string]string{}
	for b, err := range list.All {
		testkit.NoError(t, err)
		text := fmt.Sprintf("%d copies, %d available", b.Stock.Copies, b.Stock.Available)
		if b.Stock.Copies == 1 {
			text = fmt.Sprintf("1 copy, %d available", b.Stock.Available)
		}
		for _, c := range []struct {
			n    int
			what string
		}{{b.Stock.Lent, "lent"}, {b.Stock.Ready, "set aside"}, {b.Stock.Waiting, "waiting"}} {
			if c.n > 0 {
				text += fmt.Sprintf(", %d %s", c.n, c.what)
			}
		}
		out[b.Title] = text
	}
	return out
}

func wantStocks(t testing.TB, s *service.Service) {
	t.Helper()
	got := stocks(t, s)
	if len(got) != 16 || got["Clean Code"] != "1 copy, 1 available" {
		t.Errorf("%d books, Clean Code: %s", len(got), got["Clean Code"])
	}
	for title, want := range map[string]string{
		"Frankenstein":    "3 copies, 1 available, 2 lent",
		"Dracula":         "1 copy, 0 available, 1 lent",
		"Jane Eyre":       "2 copies, 0 available, 2 lent, 3 waiting",
		"Moby-Dick":       "1 copy, 0 available, 1 set aside",
		"Le Petit Prince": "2 copies, 1 available, 1 lent",
		"Der Proceß":      "1 copy, 1 available",
	} {
		if got[title] != want {
			t.Errorf("%s: %s, want %s", title, got[title], want)
		}
	}
}

// wantPeople looks at loans and holds by person, with days from now.
func wantPeople(t testing.TB, s *service.Service, now time.Time) {
	t.Helper()
	days := func(at time.Time) int {
		return int(at.Truncate(24*time.Hour).Sub(now.Truncate(24*time.Hour)).Hours() / 24)
	}
	var got []string
	loans, err := s.Loans(t.Context(), staff, library.LoanQuery{})
	testkit.NoError(t, err)
	for l, err := range loans.All {
		testkit.NoError(t, err)
		got = append(got, fmt.Sprintf("%s has %s, due in %d days, %d times renewed", l.Borrower.LastName, l.Book.Title, days(l.Due), l.Renewals))
	}
	holds, err := s.Holds(t.Context(), staff, library.HoldQuery{})
	testkit.NoError(t, err)
	for h, err := range holds.All {
		testkit.NoError(t, err)
		text := fmt.Sprintf("%s waits for %s, place %d", h.Holder.LastName, h.Book.Title, h.Position)
		if h.State == library.Ready {
			text = fmt.Sprintf("%s can fetch %s for %d days", h.Holder.LastName, h.Book.Title, days(h.Until))
		}
		got = append(got, text)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{
		"Allen has Frankenstein, due in 26 days, 0 times renewed",
		"Allen waits for Jane Eyre, place 1",
		"Banner has Dracula, due in -3 days, 0 times renewed",
		"Banner has Jane Eyre, due in 18 days, 0 times renewed",
		"Banner has Le Petit Prince, due in 2 days, 1 times renewed",
		"Jordan waits for Jane Eyre, place 3",
		"Kyle has Frankenstein, due in 23 days, 0 times renewed",
		"Kyle has Jane Eyre, due in 8 days, 0 times renewed",
		"Wayne can fetch Moby-Dick for 5 days",
		"Wayne waits for Jane Eyre, place 2",
	}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	past, err := s.Loans(t.Context(), staff, library.LoanQuery{Filter: library.ReturnedLoans})
	if err != nil || past.Total != 9 {
		t.Errorf("%d past loans, %v", past.Total, err)
	}
}

// wantCodes scans every card and every barcode.
func wantCodes(t testing.TB, s *service.Service) {
	t.Helper()
	for i := range 7 {
		if found, err := s.Scan(t.Context(), staff, fmt.Sprintf("R%04d", i+1)); err != nil || found.Reader == nil {
			t.Errorf("card %d: %+v, %v", i+1, found, err)
		}
	}
	for i := range 22 {
		if found, err := s.Scan(t.Context(), staff, fmt.Sprintf("B%04d", i+1)); err != nil || found.Copy == nil {
			t.Errorf("barcode %d: %+v, %v", i+1, found, err)
		}
	}
}
