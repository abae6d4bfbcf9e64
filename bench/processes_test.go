package bench

import (
	"bufio"
	"net"
	"net/http"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// TestLendingByThreeProcessesComparedWithOne runs three on one database. The
// readers use one of them, or all.
func TestLendingByThreeProcessesComparedWithOne(t *testing.T) {
	database := pgtest.URL(t, pgtest.Durable())
	addBooks(t, database, manyLenders)
	addReaders(t, database, manyLenders)
	idp := testidp.New(t)
	var lenders []func(int) (func() error, func())
	pid := 0
	for range 3 {
		started, addr := startProgram(t, database, idp)
		pid = started
		lenders = append(lenders, readersLender(t, addr, idp))
	}
	three := &measured{name: "three processes", pid: pid, lender: func(i int) (func() error, func()) { return lenders[i%3](i) }}
	one := &measured{name: "one process", pid: pid, lender: lenders[2]}
	inTurns(t, postgresServer(t, database), three, one)
	report(t, "postgres borrow+return by 16 readers at three processes", 0.9, three, one)
}

// TestManyListenersComparedWithOne has people listen to events while others
// borrow: one at one process, many at another. A person has few streams.
func TestManyListenersComparedWithOne(t *testing.T) {
	const each = 8
	database := pgtest.URL(t, pgtest.Durable())
	addBooks(t, database, manyLenders)
	addReaders(t, database, 2*manyLenders)
	idp := testidp.New(t)
	quiet, quietAddr := startProgram(t, database, idp)
	heard, heardAddr := startProgram(t, database, idp)
	listen(t, quietAddr, idp.Token(t, reader, "library_user email profile"))
	for i := range manyLenders {
		token := idp.Token(t, readerEmail(manyLenders+i), "library_user email profile")
		for range each {
			listen(t, heardAddr, token)
		}
	}
	many := &measured{name: "with 128 listeners", pid: heard, lender: readersLender(t, heardAddr, idp)}
	one := &measured{name: "with one listener", pid: quiet, lender: readersLender(t, quietAddr, idp)}
	inTurns(t, postgresServer(t, database), many, one)
	report(t, "postgres borrow+return by 16 readers, with 128 listeners; PostgreSQL's part must not grow", 0, many, one)
}

// inTurns measures both, after a round for warming up.
func inTurns(t *testing.T, server int, both ...*measured) {
	t.Helper()
	for i := range *rounds + 1 {
		for _, m := range both {
			m.measure(t, server, i > 0)
		}
	}
}

// listen follows the stream of events until the test ends.
func listen(t *testing.T, addr, token string) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	testkit.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.Write(request("GET", base+"/events", token)); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	go func() {
		buf := make([]byte, 64<<10)
		for {
			if _, err := resp.Body.Read(buf); err != nil {
				return
			}
		}
	}()
}
