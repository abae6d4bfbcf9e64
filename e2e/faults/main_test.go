package faults

import (
	"os"
	"strconv"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) {
	os.Exit(testkit.WithProgram(func(path string) int {
		binary = path
		return m.Run()
	}))
}

// rounds is how often a fault is repeated: usually as often as there is time for.
func rounds(t testing.TB, usual int) int {
	t.Helper()
	text := os.Getenv("FAULTS_ROUNDS")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("FAULTS_ROUNDS=%q is not a number of rounds", text)
	}
	return n
}

// What is promised, and what is forgiven a machine that does other things as well.
const (
	bound = 3 * time.Second        // after which a caller gets 503
	slack = 3 * time.Second        // for a busy machine
	brief = 1 * time.Second        // what callers of other books may notice
	pause = 500 * time.Millisecond // of undisturbed work around each fault

	clientTimeout = time.Minute // of callers; far above the bound
)
