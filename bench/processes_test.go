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
	var pids []int
	var addrs []string
	for range 3 {
		pid, addr := startProgram(t, database, idp)
		pids, addrs = append(pids, pid), append(addrs, addr)
	}
	three := tokenService(t, "three processes", pids[0], addrs[0], idp).on(t, database)
	three.pids, three.addrs = pids, addrs
	one := three.at(1)
	one.name = "one process"
	compareServices(t, "postgres borrow+return by 16 readers", 0.9, manyLenders, func(s *contender) newWorker { return s.lender(t) }, three, one)
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
	compareServices(t, "postgres borrow+return by 16 readers; PostgreSQL's part must not grow with listeners", 0, manyLenders,
		func(s *contender) newWorker { return s.lender(t) },
		tokenService(t, "with 128 listeners", heard, heardAddr, idp).on(t, database),
		tokenService(t, "with one listener", quiet, quietAddr, idp).on(t, database))
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
