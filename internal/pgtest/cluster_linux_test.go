package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// childEnv makes TestChild play the test process that comes to a bad end.
const childEnv = "PGTEST_CHILD"

// TestChild is the child of the tests below; by itself it does nothing.
func TestChild(t *testing.T) {
	end := os.Getenv(childEnv)
	if end == "" {
		return
	}
	URL(t)
	c, err := running(false)
	testkit.NoError(t, err)
	fmt.Printf("dir=%s\n", c.dir)
	switch end {
	case "exit":
		os.Exit(3)
	case "panic":
		go panic("on purpose")
	case "pass":
		return
	}
	time.Sleep(time.Minute)
}

func TestNothingIsLeftWhenTheTestProcess(t *testing.T) {
	t.Parallel()
	none := syscall.Signal(0)
	tests := []struct {
		name, end string
		signal    syscall.Signal
	}{
		{"passes", "pass", none},
		{"calls os.Exit", "exit", none},
		{"panics", "panic", none},
		{"is interrupted", "wait", syscall.SIGINT},
		{"is killed", "wait", syscall.SIGKILL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			child := startChild(t, tt.end)
			if tt.signal != none {
				if n := len(processesOf(t, child.dir)); n < 3 {
					t.Fatalf("%d processes while the test runs, want the watchdog, the server and its workers", n)
				}
				testkit.NoError(t, child.cmd.Process.Signal(tt.signal))
			}
			child.waitForOutputToEnd(t)
			if left := processesOf(t, child.dir); len(left) != 0 {
				t.Errorf("still running: %v", left)
			}
			if _, err := os.Stat(child.dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("stat %s: %v, want it gone", child.dir, err)
			}
		})
	}
}

func TestTheServerEndsEvenWhenTheWatchdogIsKilledToo(t *testing.T) {
	t.Parallel()
	child := startChild(t, "wait")
	t.Cleanup(func() { os.RemoveAll(child.dir) })
	for pid, command := range processesOf(t, child.dir) {
		if strings.Contains(command, "pgtest-watchdog") {
			testkit.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	testkit.NoError(t, child.cmd.Process.Kill())
	child.waitForOutputToEnd(t)
	deadline := time.Now().Add(testkit.Timeout(t))
	for len(processesOf(t, child.dir)) != 0 {
		if time.Now().After(deadline) {
			t.Fatalf("still running: %v", processesOf(t, child.dir))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

type child struct {
	cmd *exec.Cmd
	out *bufio.Scanner
	dir string
}

// startChild starts this test binary again and returns once its server runs.
func startChild(t *testing.T, end string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+end)
	out, err := cmd.StdoutPipe()
	testkit.NoError(t, err)
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	c := &child{cmd: cmd, out: bufio.NewScanner(out)}
	for c.out.Scan() {
		if dir, ok := strings.CutPrefix(c.out.Text(), "dir="); ok {
			c.dir = dir
			return c
		}
		t.Log(c.out.Text())
	}
	t.Fatal("the child ended before its server ran")
	return nil
}

// waitForOutputToEnd waits as go test does: until nobody holds the child's
// standard output open.
func (c *child) waitForOutputToEnd(t *testing.T) {
	t.Helper()
	for c.out.Scan() {
	}
	testkit.NoError(t, c.out.Err())
}

// processesOf returns the command lines of all processes that work in dir or
// have it as an argument. The dead that nobody collected have neither.
func processesOf(t *testing.T, dir string) map[int]string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	testkit.NoError(t, err)
	found := map[int]string{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		// A process may end while we look; it then has neither of the two.
		command, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		cwd, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		if strings.HasPrefix(cwd, dir) || strings.Contains(string(command), dir) {
			found[pid] = strings.ReplaceAll(string(command), "\x00", " ")
		}
	}
	return found
}
