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
	return readStat(t, int(conn.PgConn().PID())).parent
}

// processorTime is how long a process and its children, also those that have
// ended, have used a processor.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	sum := readStat(t, pid).family
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	testkit.NoError(t, err)
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has just ended
		}
		if s, err := parseStat(string(text)); err == nil && s.parent == pid {
			sum += s.own
		}
	}
	return sum
}

// stat is what Linux says of a process.
type stat struct {
	parent int
	own    time.Duration // processor time
	family time.Duration // with that of children that have ended
}

func readStat(t *testing.T, pid int) stat {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	testkit.NoError(t, err)
	s, err := parseStat(string(text))
	testkit.NoError(t, err)
	return s
}

// parseStat reads the fields behind the name, which may have spaces in it. A
// tick is a hundredth of a second on every Linux that Go runs on.
func parseStat(text string) (stat, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return stat{}, fmt.Errorf("unexpected text %q", text)
	}
	number := func(i int) int { n, _ := strconv.Atoi(fields[i]); return n }
	const tick = 10 * time.Millisecond
	own := time.Duration(number(11)+number(12)) * tick
	return stat{parent: number(1), own: own, family: own + time.Duration(number(13)+number(14))*tick}, nil
}
