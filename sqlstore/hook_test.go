package sqlstore_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"example.org/library/hook"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// older writes the changes of loans and holds as programs do that do not say what happened.
type older struct {
	fixture.Store
	service *service.Service
	hooks   *hook.Service
	db      *sql.DB
	after   int64 // the last event that was looked at
}

func newOlder(t *testing.T, address string, clock *testkit.Clock) *older {
	f := fixture.New(t, func(t testing.TB) fixture.Database { return open(t, address) })
	driver, source := "pgx", address
	if path, is := strings.CutPrefix(address, "sqlite:"); is {
		driver, source = "sqlite", path+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	o := &older{Store: f, db: db, service: service.New(f.Store, service.WithClock(clock.Now))}
	o.hooks = hook.New(f.Hooks, o.service.Now)
	testkit.NoError(t, testkit.Err(o.hooks.Collect(f.Ctx)))
	return o
}

// told collects events and compares them.
func (o *older) told(t *testing.T, want ...hook.Type) {
	t.Helper()
	testkit.NoError(t, testkit.Err(o.db.Exec(`UPDATE changes SET available = 0 WHERE kind IN ('loan', 'hold')`)))
	var got []hook.Type
	testkit.Eventually(t, "the events", func() bool {
		testkit.NoError(t, testkit.Err(o.hooks.Collect(o.Ctx)))
		events, err := o.hooks.Events(o.Ctx, o.after, 100)
		testkit.NoError(t, err)
		if len(events) < len(want) {
			return false
		}
		for _, e := range events {
			got, o.after = append(got, e.Type), e.Seq
			testkit.Equal(t, e.BookTitle, "Emma")
		}
		return true
	})
	testkit.Diff(t, want, got)
}

func TestAChangeOfAnOlderProgramIsToldAsTheRecordLooks(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := testkit.NewClock(fixture.BorrowedAt)
			o := newOlder(t, address(t), clock)
			s, readers, book := o.service, o.AddReaders(t, 2), o.AddBook(t, "Emma")
			o.told(t, hook.BookAdded)
			lent, err := s.Borrow(o.Ctx, readers[0], book.ID)
			testkit.NoError(t, err)
			o.told(t, hook.LoanCreated)
			clock.Advance(48 * time.Hour)
			testkit.NoError(t, testkit.Err(s.Renew(o.Ctx, readers[0], lent.Loan.ID)))
			o.told(t, hook.LoanRenewed)
			h, err := s.PlaceHold(o.Ctx, readers[1], book.ID)
			testkit.NoError(t, err)
			o.told(t, hook.HoldCreated)
			testkit.NoError(t, testkit.Err(s.Return(o.Ctx, readers[0], book.ID)))
			o.told(t, hook.LoanReturned, hook.HoldReady)
			testkit.NoError(t, s.CancelHold(o.Ctx, readers[1], h.ID))
			o.told(t, hook.HoldEnded)
		})
	}
}
