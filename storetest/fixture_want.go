package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
)

func wantEqual[T any](t testing.TB, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("not as expected (-want +got):\n%s", diff)
	}
}

func wantError(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got error %v, want %v", got, want)
	}
}

func ids[T any](records []T, id func(T) string) []string {
	out := make([]string, len(records))
	for i, r := range records {
		out[i] = id(r)
	}
	return out
}

func bookID(b library.Book) string { return b.ID }

func userID(u library.User) string { return u.ID }

// code is the code of a refusal.
func code(err error) string {
	var refusal *library.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return refusal.Code
	}
	return err.Error()
}

func countAll[T any](list []T, is func(T) bool) (n int) {
	for _, record := range list {
		if is(record) {
			n++
		}
	}
	return n
}

func dateOf(t time.Time) library.Date {
	year, month, day := t.Date()
	return library.Date{Year: year, Month: month, Day: day}
}

// shelves are where copies stand, in the order in which a book names them.
var shelves = []string{`"\`, "Alt", "ärzte", "Arzte 2", "Berlin", "berlin", "Øl", "红楼"}

// WantConsistent counts everything about a book, and compares it with what the
// book says of itself. No copy may be free while somebody waits for it.
func WantConsistent(t testing.TB, store library.Store, bookID string) {
	t.Helper()
	s, ctx, staff := library.NewService(store), t.Context(), library.Actor{Authorities: []string{library.RoleAdmin.Authority()}}
	b, err := s.Book(ctx, staff, bookID)
	wantError(t, err, nil)
	copies, err := s.Copies(ctx, staff, bookID)
	wantError(t, err, nil)
	loans := all(t, func() (library.List[library.Loan], error) {
		return s.Loans(ctx, staff, library.LoanQuery{BookID: bookID})
	})
	holds := all(t, func() (library.List[library.Hold], error) {
		return s.Holds(ctx, staff, library.HoldQuery{BookID: bookID})
	})
	var want library.Stock
	lentLendable := 0
	for _, c := range copies {
		if c.Loan != nil && c.Hold != nil {
			t.Errorf("a copy is lent and set aside")
		}
		if c.Hold != nil {
			want.Ready++
		}
		if c.State != library.Lendable {
			continue
		}
		want.Copies++
		switch {
		case c.Loan != nil:
			lentLendable++
		case c.Hold == nil:
			want.Available++
		}
	}
	place := 0
	for _, h := range holds {
		if h.Holder.ID == "" {
			t.Errorf("nobody has the hold %+v", h)
		}
		if h.State == library.Waiting {
			place++
			wantEqual(t, h.Position, place)
		}
	}
	want.Waiting, want.Lent, want.Borrowed = place, len(loans), want.Copies > 0 && lentLendable == want.Copies
	got := b.Stock
	got.Due = time.Time{}
	wantEqual(t, got, want)
	if len(holds) != want.Waiting+want.Ready {
		t.Errorf("%d active holds, but %d wait and %d copies are set aside", len(holds), want.Waiting, want.Ready)
	}
	if want.Waiting > 0 && want.Available > 0 {
		t.Errorf("%d wait while %d copies are free", want.Waiting, want.Available)
	}
}

func all[T any](t testing.TB, read func() (library.List[T], error)) (records []T) {
	t.Helper()
	l, err := read()
	wantError(t, err, nil)
	for record, err := range l.All {
		wantError(t, err, nil)
		records = append(records, record)
	}
	return records
}
