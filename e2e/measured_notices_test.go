//go:build !race

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/internal/testmail"
)

// What is promised of a morning on which very many people have something due, and how much slack machines get here.
const (
	manyDue       = 10_000
	promisedWrite = time.Minute
	promisedKept  = 0.9  // of the rate of lending
	leastLending  = 0.75 // on a machine that does other things, too
	fastMails     = 200  // a second
)

// morning is the mail server of that day. While the gate is closed, it does not answer.
type morning struct {
	*testmail.Server
	gate  sync.RWMutex
	mu    sync.Mutex
	times []time.Time // when mails were complete
}

func newMorning(t *testing.T) *morning {
	m := &morning{}
	m.Server = testmail.Start(t, testmail.Config{Step: func(stage, _ string) error {
		if stage != "data" {
			return nil
		}
		m.gate.RLock()
		defer m.gate.RUnlock()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.times = append(m.times, time.Now())
		return nil
	}})
	return m
}

func (m *morning) come() []time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.times)
}

// TestMeasuredTenThousandPeopleAreRemindedOnOneMorning is not parallel: it measures. What takes long and is compared with
// nothing is done on both databases at once.
func TestMeasuredTenThousandPeopleAreRemindedOnOneMorning(t *testing.T) {
	idp := testidp.New(t)
	type library struct {
		kind, database string
		box            *morning
	}
	var all []library
	for _, kind := range []string{"sqlite", "postgres"} {
		l := library{kind, emptyDatabase(t, kind), newMorning(t)}
		all = append(all, l)
		t.Run(kind+", written and beside lending", func(t *testing.T) {
			s := startWith(t, idp, "--database", l.database, "--sample-data")
			s.as(t, admin).put("/policy", map[string]any{"dueSoonDays": 3, "noticeTime": "00:00"}).want(200)
			addCopies(t, s, l.database, manyDue+lendersBeside, map[string]any{})
			testkit.Equal(t, s.stop(t, terminate), 0)
			lendToMany(t, l.database)
			measureLendingBeside(t, idp, l.database, l.box)
		})
	}
	for _, l := range all {
		t.Run(l.kind+", sent", func(t *testing.T) {
			t.Parallel()
			measureSending(t, idp, l.database, l.box)
			wantAMailForEach(t, l.database, l.box)
		})
	}
}

func mailsTo(database string, box *morning, rate int) []string {
	return []string{"--database", database, "--smtp", "smtp://" + box.Addr, "--mail-from", "library@example.org", "--mail-rate", fmt.Sprint(rate)}
}

// lendToMany lets 10,000 readers have a book each that is due tomorrow, past the API.
func lendToMany(t *testing.T, database string) {
	t.Helper()
	series := sqlText(database,
		`WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < $1)`, `WITH many (n) AS (SELECT generate_series(1, $1::int))`)
	id := sqlText(database, `printf('00000000-0000-4000-8000-%012d', n)`, `'00000000-0000-4000-8000-' || lpad(n::text, 12, '0')`)
	const same = `first_name, first_name_key, last_name, last_name_key, roles, locale, created_at, version, search_words`
	now := time.Now()
	db := openSQL(t, database, "rw")
	_, err := db.Exec(series+` INSERT INTO users (id, email, email_key, `+same+`)
		SELECT `+id+`, 'reader-' || n || '@example.com', 'reader-' || n || '@example.com', `+same+` FROM users CROSS JOIN many WHERE id = '`+bruceWayne+`'`, manyDue)
	testkit.NoError(t, err)
	_, err = db.Exec(series+` INSERT INTO loans (id, book_id, book_title, copy_id, user_id, borrowed_at, due_at)
		SELECT `+id+`, b.id, b.title, c.id, b.id, CAST($2 AS BIGINT), CAST($3 AS BIGINT) FROM many JOIN books b ON b.id = `+id+` JOIN copies c ON c.book_id = b.id`,
		manyDue, now.UnixMicro(), now.Add(24*time.Hour).UnixMicro())
	testkit.NoError(t, err)
}

// lendersBeside borrow and return a book each, as fast as they can.
const lendersBeside = 4

func lendBeside(t *testing.T, s *server) (lent *atomic.Int64, end func()) {
	t.Helper()
	lent = new(atomic.Int64)
	var stop atomic.Bool
	var working sync.WaitGroup
	for i := range lendersBeside {
		as := s.as(t, reader)
		path := fmt.Sprintf("/books/00000000-0000-4000-8000-%012d", manyDue+1+i)
		working.Go(func() {
			for n := 0; !stop.Load() || n%2 == 1; n++ {
				r, err := as.try("POST", path+[]string{"/borrow", "/return"}[n%2], nil)
				if err != nil || r.Status != 200 {
					t.Errorf("%s: %d %v", path, r.Status, err)
					return
				}
				lent.Add(1)
			}
		})
	}
	return lent, func() { stop.Store(true); working.Wait() }
}

// measureLendingBeside measures how long the notices are written for, and compares lending while mails are sent at the
// usual rate with lending while none is, in turns.
func measureLendingBeside(t *testing.T, idp *testidp.Provider, database string, box *morning) {
	t.Helper()
	s := startWith(t, idp, mailsTo(database, box, 10)...)
	lent, end := lendBeside(t, s)
	defer func() { end(); testkit.Equal(t, s.stop(t, terminate), 0) }()
	began, before := time.Now(), lent.Load()
	testkit.Eventually(t, "the notices are written", func() bool {
		time.Sleep(500 * time.Millisecond) // to count is work for the database, too
		return count(t, database, `SELECT count(*) FROM notices`) == manyDue
	})
	wrote := time.Since(began)
	during := float64(lent.Load()-before) / wrote.Seconds()
	if wrote > testkit.Bound(promisedWrite) {
		t.Errorf("%d notices are written in %v, promised is %v", manyDue, wrote, promisedWrite)
	}
	var kept float64
	for range 3 { // other programs disturb it
		var rates [2]float64
		if kept, rates = lendingKept(lent, box); kept >= leastLending {
			t.Logf("%d notices written in %v, while %.0f books a second were lent or returned; then %.0f without mails, and with 10 a second %.2f of that (promised %.2f)",
				manyDue, wrote.Round(10*time.Millisecond), during, rates[0], kept, promisedKept)
			return
		}
	}
	t.Errorf("while mails are sent, lending has %.2f of its rate", kept)
}

// lendingKept is the rate of lending with mails, as a part of that without: in turns, because machines change.
func lendingKept(lent *atomic.Int64, box *morning) (kept float64, rates [2]float64) {
	var sum, took [2]float64
	for turn := range 40 {
		with := turn % 2
		if with == 0 {
			box.gate.Lock()
		}
		began, before := time.Now(), lent.Load()
		time.Sleep(250 * time.Millisecond)
		sum[with] += float64(lent.Load() - before)
		took[with] += time.Since(began).Seconds()
		if with == 0 {
			box.gate.Unlock()
		}
	}
	rates = [2]float64{sum[0] / took[0], sum[1] / took[1]}
	return rates[1] / rates[0], rates
}

// measureSending lets the rest be sent, as fast as a mail server may want it.
func measureSending(t *testing.T, idp *testidp.Provider, database string, box *morning) {
	t.Helper()
	sent := len(box.come())
	s := startWith(t, idp, mailsTo(database, box, fastMails)...)
	await := func(n int) { // without asking the database
		testkit.Eventually(t, fmt.Sprint(n, " mails"), func() bool { return len(box.come()) >= n })
	}
	began, before := time.Now(), s.processor(t)
	await(sent + (manyDue-sent)/10)
	early := s.memory(t, "VmHWM")
	await(manyDue)
	took, late := time.Since(began), s.memory(t, "VmHWM")
	rate := float64(manyDue-sent) / took.Seconds()
	t.Logf("%.0f mails a second, with at most %d; %v of a processor for each; %s at most after a tenth and %s after all",
		rate, fastMails, ((s.processor(t) - before) / time.Duration(manyDue-sent)).Round(10*time.Microsecond), mib(early), mib(late))
	if late > early*3/2 { // ten times as many mails
		t.Errorf("the memory grows from %s to %s", mib(early), mib(late))
	}
	if times := box.come()[sent:]; !keepsTo(times, fastMails) {
		t.Errorf("more than %d mails a second", fastMails)
	}
	if rate < fastMails/testkit.Bound(4*time.Second).Seconds() {
		t.Errorf("%.0f mails a second, of %d", rate, fastMails)
	}
	testkit.Eventually(t, "all are marked", func() bool { return count(t, database, `SELECT count(*) FROM notices WHERE state <> 'sent'`) == 0 })
}

// keepsTo reports whether in no second more mails came than that, and the one before and after.
func keepsTo(times []time.Time, rate int) bool {
	for i := rate + 2; i < len(times); i++ {
		if times[i].Sub(times[i-rate-2]) < time.Second {
			return false
		}
	}
	return true
}

func wantAMailForEach(t *testing.T, database string, box *morning) {
	t.Helper()
	copies := map[string]int{}
	for _, m := range box.Received() {
		copies[m.To]++
	}
	testkit.Equal(t, len(copies), manyDue, "people who have got a mail")
	testkit.Equal(t, len(box.Received()), manyDue, "mails")
	testkit.Equal(t, count(t, database, `SELECT count(*) FROM notices`), manyDue, "notices")
}

// processor is the processor time of the process.
func (s *server) processor(t testing.TB) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Cmd.Process.Pid))
	testkit.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), ") ")
	var user, system int64
	_, err = fmt.Sscan(strings.Join(strings.Fields(rest)[11:13], " "), &user, &system)
	testkit.NoError(t, err)
	return time.Duration(user+system) * (time.Second / 100)
}
