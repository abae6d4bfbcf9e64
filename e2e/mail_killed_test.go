package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/internal/testmail"
)

// killSteps are the steps of sending at which the program is killed.
var killSteps = []string{
	"before the claim", "before the connection", "connect", "mail", "rcpt", "text", "data", "before the mark", "in the mark",
}

// mailFault is what befalls another mail before, while the program lives.
type mailFault struct {
	stage  string
	answer error // nil: it is late
}

var errStall = errors.New("the server stalls")

var mailFaults = []mailFault{
	{}, {"connect", testmail.Refuse(421)}, {"connect", testmail.ErrDrop}, {"mail", testmail.Refuse(451)}, {"mail", testmail.Refuse(550)},
	{"rcpt", testmail.Refuse(450)}, {"rcpt", testmail.Refuse(550)}, {"rcpt", errStall}, {"text", testmail.ErrDrop},
	{"data", testmail.Refuse(452)}, {"data", testmail.Refuse(554)}, {"data", testmail.ErrDrop}, {"data", errStall},
}

// killing is a mail server that kills the program which sends to it.
type killing struct {
	t        *testing.T
	database string
	idp      *testidp.Provider
	mails    *testmail.Server
	nowhere  string // an address at which a connection is neither accepted nor refused
	readers  map[string]*borrower

	mu       sync.Mutex // is held while a stage is at work: the program sends one mail at a time
	victim   *server    // nil: nobody is killed
	step     string
	fault    *mailFault
	planned  map[string]string // by the address: what befalls the mail, "fault" or "kill", and then "over"
	mayTwice map[string]bool   // who may get two: the first has come, and the program does not know
	returned map[string]int    // titles of books that are back: how many mails had come by then
	done     chan struct{}     // closed when the program was killed
	unlock   func()            // lets the database be written again
}

// TestTwoHundredKillsLoseNoMailAndSendNoneMoreThanTwice kills the program at every step of sending, while the mail server
// refuses, stalls and drops connections, and books come back.
func TestTwoHundredKillsLoseNoMailAndSendNoneMoreThanTwice(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		rounds := len(killSteps)
		if testkit.Full() {
			rounds = 200
		}
		k := &killing{t: t, database: database, idp: testidp.New(t), planned: map[string]string{}, mayTwice: map[string]bool{}, returned: map[string]int{}, nowhere: fullPort(t)}
		k.readers = borrowersOf(t, k.idp, database, 2*rounds+5)
		k.mails = testmail.Start(t, testmail.Config{Step: k.onStage})
		k.writeNotices()
		began := time.Now()
		for round := range rounds {
			k.round(killSteps[round%len(killSteps)], mailFaults[round%len(mailFaults)])
		}
		t.Logf("%d rounds in %v", rounds, time.Since(began).Round(time.Second))
		k.sendTheRest()
		k.verify(rounds)
	})
}

func (k *killing) serve(address string, rate int) *server {
	k.t.Helper()
	s := startWith(k.t, k.idp, "--database", k.database, "--smtp", "smtp://"+address, "--mail-from", "library@example.org", "--mail-rate", fmt.Sprint(rate))
	s.mayLogErrors = true
	return s
}

// writeNotices lets the program write what is due, and kills it before it can connect.
func (k *killing) writeNotices() {
	k.t.Helper()
	s := k.serve(k.nowhere, 1000)
	want := 0
	for _, r := range k.readers {
		want += len(r.books)
	}
	testkit.Eventually(k.t, "the notices are written", func() bool { return count(k.t, k.database, `SELECT count(*) FROM notices`) == want })
	s.Kill()
}

// round starts the program and waits until it has been killed.
func (k *killing) round(step string, fault mailFault) {
	k.t.Helper()
	k.mu.Lock()
	k.step, k.fault, k.done, k.unlock = step, &fault, make(chan struct{}), func() {}
	address, rate := k.mails.Addr, 1000
	switch step {
	case "before the claim":
		rate = 5 // a pause of 200 ms
	case "before the connection":
		address = k.nowhere
	}
	if fault.stage == "" || step == "connect" {
		k.fault = nil
	}
	last := count(k.t, k.database, lastClaim)
	k.victim = k.serve(address, rate)
	if step == "before the connection" {
		testkit.Eventually(k.t, "a mail is claimed", func() bool { return count(k.t, k.database, lastClaim) > last })
		k.kill("")
	}
	done := k.done
	k.mu.Unlock()
	testkit.Receive(k.t, "the program is killed "+step, done)
}

const lastClaim = `SELECT coalesce(max(next_at), 0) FROM mails WHERE claim IS NOT NULL`

// onStage is what the mail server does at a stage of a mail.
func (k *killing) onStage(stage, to string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.victim == nil {
		return nil
	}
	select {
	case <-k.done: // it was killed and has said this before
		return testmail.ErrDrop
	default:
	}
	if _, known := k.planned[to]; stage == "rcpt" && !known {
		k.planned[to] = "kill"
		if k.fault != nil {
			k.planned[to] = "fault"
		}
	}
	switch f := k.fault; {
	case f != nil && f.stage == stage && (to == "" || k.planned[to] == "fault"):
		k.fault, k.planned[to] = nil, "over"
		return k.befall(*f, to)
	case k.fault == nil && (to == "" || k.planned[to] == "kill"):
		return k.killAt(stage, to)
	}
	return nil
}

func (k *killing) befall(f mailFault, to string) error {
	if f.answer == errStall {
		time.Sleep(100 * time.Millisecond)
		return nil
	}
	if f.stage == "data" && f.answer == testmail.ErrDrop {
		k.mayTwice[to] = true
	}
	return f.answer
}

// killAt kills the program if this is the stage for it.
func (k *killing) killAt(stage, to string) error {
	switch {
	case stage == k.step:
		k.kill(to)
		if stage == "data" {
			k.mayTwice[to] = true
			return nil // it has come
		}
		return testmail.ErrDrop
	case stage == "data" && k.step == "before the mark":
		k.unlock = k.lock()
	case stage == "answered" && (k.step == "before the mark" || k.step == "in the mark"):
		k.mayTwice[to] = true
		time.Sleep(rand.N(4 * time.Millisecond))
		k.kill(to)
	case stage == "answered" && k.step == "before the claim":
		testkit.Eventually(k.t, "it is marked", func() bool {
			return count(k.t, k.database, `SELECT count(*) FROM notices n JOIN users u ON u.id = n.user_id WHERE n.state = 'sent' AND u.email = '`+to+`'`) > 0
		})
		k.kill(to)
	}
	return nil
}

// kill kills the program. Before, while it waits for the answer about a mail, a book of somebody else comes back
// whose mail has failed or was being sent when the program was killed.
func (k *killing) kill(current string) {
	if k.step == "mail" || k.step == "data" {
		k.takeBack(current)
	}
	k.victim.Kill()
	k.unlock()
	k.planned[current] = "over"
	close(k.done)
}

func (k *killing) takeBack(current string) {
	for to, r := range k.readers {
		if k.planned[to] != "over" || to == current || k.mayTwice[to] || k.hasCome(to) {
			continue
		}
		for title, id := range r.books {
			if _, isBack := k.returned[title]; !isBack {
				k.victim.as(k.t, r.caller).post("/books/"+id+"/return", nil).want(200)
				k.returned[title] = len(k.mails.Received())
				return
			}
		}
	}
}

func (k *killing) hasCome(to string) bool {
	return slices.ContainsFunc(k.mails.Received(), func(m testmail.Message) bool { return m.To == to })
}

// lock lets nobody write to the table of mails, or on SQLite to the database.
func (k *killing) lock() (unlock func()) {
	db := openSQL(k.t, k.database, "rw")
	conn, err := db.Conn(k.t.Context())
	testkit.NoError(k.t, err)
	for _, statement := range strings.Split(sqlText(k.database, "BEGIN IMMEDIATE", "BEGIN; LOCK TABLE mails IN EXCLUSIVE MODE"), ";") {
		testkit.NoError(k.t, testkit.Err(conn.ExecContext(k.t.Context(), statement)))
	}
	return func() {
		testkit.NoError(k.t, testkit.Err[sql.Result](conn.ExecContext(k.t.Context(), "ROLLBACK")))
		conn.Close()
		db.Close()
	}
}

// sendTheRest lets an admin retry what was refused for good, and all pauses end. Then the program sends what is left.
func (k *killing) sendTheRest() {
	k.t.Helper()
	k.mu.Lock()
	k.victim = nil
	k.mu.Unlock()
	s := k.serve(k.nowhere, 1000)
	for _, n := range into[[]book](s.as(k.t, admin).get("/notices?state=failed&limit=1000").want(200)) {
		s.as(k.t, admin).post("/notices/"+n.Identifier+"/retry", nil).want(200)
	}
	s.Kill()
	testkit.NoError(k.t, testkit.Err(openSQL(k.t, k.database, "rw").Exec(`UPDATE mails SET next_at = 0`)))
	k.serve(k.mails.Addr, 1000)
	testkit.Eventually(k.t, "all is sent", func() bool {
		return count(k.t, k.database, `SELECT count(*) FROM notices WHERE state NOT IN ('sent', 'dropped')`) == 0
	})
}
