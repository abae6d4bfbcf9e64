package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library/internal/testkit"
)

// postgresServer is the process of the server at an address of this machine,
// whose children do the work.
func postgresServer(t *testing.T, address string) (pid int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	testkit.NoError(t, err)
	defer conn.Close(context.Background())
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", conn.PgConn().PID()))
	testkit.NoError(t, err)
	// Behind the name, which may have spaces in it, are the state and the parent.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	pid, err = strconv.Atoi(fields[1])
	testkit.NoError(t, err)
	return pid
}

// childrenOf are the processes that a process has started; none for 0.
func childrenOf(t *testing.T, parent int) (pids []int) {
	t.Helper()
	if parent == 0 {
		return nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	testkit.NoError(t, err)
	for field := range strings.FieldsSeq(string(text)) {
		pid, _ := strconv.Atoi(field)
		pids = append(pids, pid)
	}
	return pids
}

// runTime is how long the threads of each process have run, to the nanosecond, so that
// short measurements can alternate.
func runTime(pids []int) map[int]time.Duration {
	times := make(map[int]time.Duration)
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range threads {
			text, _ := os.ReadFile(file)
			first, _, _ := strings.Cut(string(text), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			times[pid] += time.Duration(n)
		}
	}
	return times
}

// grown is by how much run times have grown. A process that has ended does not count.
func grown(before, after map[int]time.Duration) (sum time.Duration) {
	for pid, d := range after {
		sum += d - before[pid]
	}
	return sum
}
