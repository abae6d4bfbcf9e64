package faults

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/internal/testmail"
)

// claimLasts is for how long a process has a mail for itself. If the database is away for longer, another one may send it.
const claimLasts = 30 * time.Second

// TestAcrossAFailoverThreeProcessesSendEachMailOnce kills PostgreSQL when a mail has come and the process that sends it
// cannot have marked it, and lets the standby take over.
func TestAcrossAFailoverThreeProcessesSendEachMailOnce(t *testing.T) {
	t.Parallel()
	const many = 60
	cluster := pgtest.Own(t)
	l, r := behindRelay(t, cluster, 1)
	l.lendUntilTomorrow(t, many)
	standby := cluster.Standby(t)

	started := make(chan struct{}) // all processes, which do not start while their database is away
	down, inFlight := make(chan time.Time, 1), ""
	var come atomic.Int32
	box := testmail.Start(t, testmail.Config{Step: func(stage, to string) error {
		if stage != "data" {
			return nil
		}
		select {
		case <-started:
		case <-t.Context().Done():
		}
		if come.Add(1) == many/3 {
			inFlight = to
			r.cut() // nothing that this process does from now on comes to the old server
			down <- time.Now()
		}
		return nil
	}})
	l.extra = mailTo(box.Addr, "50")
	l.add(t, 3)
	close(started)
	began := testkit.Receive(t, "a third of the mails", down)
	cluster.Stop(t, pgtest.Immediate)
	standby.Promote(t)
	l.direct = standby.DatabaseURL("library")
	r.lead(standby.Addr())
	away := time.Since(began)
	db := l.sql(t)
	testkit.Eventually(t, "all notices are sent", func() bool {
		var sent int
		err := db.QueryRow(`SELECT count(*) FROM notices WHERE state = 'sent'`).Scan(&sent)
		return err == nil && sent == many
	})
	t.Logf("%d mails, of which %d came after the failover, which took %v", many, len(box.Received())-many/3, away.Round(time.Millisecond))
	copies := map[string]int{}
	for _, m := range box.Received() {
		copies[m.To]++
	}
	testkit.Equal(t, len(copies), many, "people with a mail")
	for to, n := range copies {
		if n > 1 && !(to == inFlight && n == 2 && away > claimLasts/2) {
			t.Errorf("%s has got %d mails", to, n)
		}
	}
}

func mailTo(address, rate string) []string {
	return []string{"--smtp", "smtp://" + address, "--mail-from", "library@example.org", "--mail-rate", rate}
}

// lendUntilTomorrow lets each of many readers have a book that is due tomorrow, and about that a notice that waits. No
// process is left.
func (l *library) lendUntilTomorrow(t *testing.T, many int) {
	t.Helper()
	l.shelve(t, many-len(l.books))
	l.invite(t, many-len(l.readers))
	s := l.servers[0]
	s.do(t, "PUT", "/policy", l.token(t, "clark.kent@example.com", "library_admin"), map[string]any{"loanDays": 1, "dueSoonDays": 3, "noticeTime": "00:00"})
	for i, r := range l.readers {
		s.do(t, "POST", "/books/"+l.books[i]+"/borrow", r.token, nil)
	}
	s.Kill()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it never greets
	testkit.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	l.extra = mailTo(silent.Addr().String(), "10")
	s, db := l.start(t), l.sql(t)
	testkit.Eventually(t, "the notices are written", func() bool {
		var n int
		testkit.NoError(t, db.QueryRow(`SELECT count(*) FROM notices`).Scan(&n))
		return n == many
	})
	s.Kill()
	testkit.NoError(t, testkit.Err(db.Exec(`UPDATE mails SET next_at = 0`))) // the claim is over
	l.servers = nil
}
