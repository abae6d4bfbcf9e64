package e2e

import (
	"net"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// A mail server that accepts connections and never says a word delays only mails: books are lent, what is set aside for
// too long is given up, and the program stops when it is told to.
func TestAHangingMailServerDelaysNothingElse(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		idp := testidp.New(t)
		borrowersOf(t, idp, database, 1)
		silent, err := net.Listen("tcp", "127.0.0.1:0")
		testkit.NoError(t, err)
		defer silent.Close()
		serve := func() *server {
			return startWith(t, idp, "--database", database, "--smtp", "smtp://"+silent.Addr().String(), "--mail-from", "library@example.org")
		}
		s := serve()
		// What is lent from here on is not due soon: only the loan that is there already has a notice of that.
		s.as(t, admin).put("/policy", map[string]any{"loanDays": 30, "dueSoonDays": 3, "noticeTime": "00:00"}).want(200)
		s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil).want(200)
		s.as(t, reader2).post("/books/"+cleanCode+"/holds", nil).want(201)
		s.as(t, reader).post("/books/"+cleanCode+"/return", nil).want(200)
		testkit.Equal(t, count(t, database, `SELECT count(*) FROM holds WHERE state = 'ready'`), 1)
		testkit.Eventually(t, "the notices are written", func() bool { return count(t, database, `SELECT count(*) FROM notices WHERE state = 'waiting'`) == 2 })
		testkit.Equal(t, s.stop(t, terminate), 0)
		// Days later.
		testkit.NoError(t, testkit.Err(openSQL(t, database, "rw").Exec(`UPDATE holds SET until_at = 1 WHERE state = 'ready'`)))
		testkit.NoError(t, testkit.Err(openSQL(t, database, "rw").Exec(`UPDATE mails SET next_at = 0`)))

		s = serve()
		testkit.Eventually(t, "it hangs", func() bool { return count(t, database, beingSent) == 1 })
		testkit.Eventually(t, "housekeeping", func() bool { return count(t, database, `SELECT count(*) FROM holds WHERE state = 'ready'`) == 0 })
		testkit.Eventually(t, "ten books are lent during one attempt", func() bool {
			claim := count(t, database, lastClaim)
			for range 10 {
				s.as(t, reader).post("/books/"+pride+"/borrow", nil).want(200)
				s.as(t, reader).post("/books/"+pride+"/return", nil).want(200)
			}
			return count(t, database, beingSent) == 1 && count(t, database, lastClaim) >= claim
		})
		began := time.Now()
		testkit.Equal(t, s.stop(t, terminate), 0)
		if took := time.Since(began); took > testkit.Bound(5*time.Second) {
			t.Errorf("the stop took %v", took)
		}
		testkit.Equal(t, count(t, database, `SELECT count(*) FROM notices WHERE state = 'waiting' AND kind = 'due_soon'`), 1, "what waits")
	})
}

const beingSent = `SELECT count(*) FROM mails WHERE claim IS NOT NULL`
