package bench

import (
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
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
