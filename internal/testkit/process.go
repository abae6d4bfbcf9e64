package testkit

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// WithProgram builds the program into a temporary folder, calls run with its path, and
// returns the exit code: of run, or 1 if the program does not build.
func WithProgram(run func(path string) int, buildFlags ...string) int {
	dir, err := os.MkdirTemp("", "library-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "library")
	args := append([]string{"build", "-o", path}, buildFlags...)
	if out, err := exec.Command("go", append(args, "example.org/library/cmd/library")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the program does not build: %v\n%s", err, out)
		return 1
	}
	return run(path)
}

// Process is a running program.
type Process struct {
	Cmd    *exec.Cmd
	Log    *Buffer       // everything written so far
	Exited chan struct{} // closed when it has ended
}

// Start starts a command, until the end of the test.
func Start(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, Log: &Buffer{}, Exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.Log, p.Log
	cmd.SysProcAttr = Tied()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		cmd.Wait()
		close(p.Exited)
	}()
	t.Cleanup(p.Kill)
	return p
}

// Kill ends the process, if it still runs, and waits until it is gone.
func (p *Process) Kill() {
	p.Cmd.Process.Kill()
	<-p.Exited
}

// AwaitLog waits for a line in the log and returns the last group of it.
func (p *Process) AwaitLog(t testing.TB, line *regexp.Regexp) string {
	t.Helper()
	for deadline := time.Now().Add(Timeout(t)); ; time.Sleep(time.Millisecond) {
		ended := false
		select {
		case <-p.Exited:
			ended = true
		default:
		}
		if found := line.FindStringSubmatch(p.Log.String()); found != nil {
			return found[len(found)-1]
		}
		if ended || time.Now().After(deadline) {
			t.Fatalf("no %s in the log:\n%s", line, p.Log)
		}
	}
}

// AwaitOpen waits until a listening library has opened its database. Until then callers get
// 503, for long on a busy machine.
func (p *Process) AwaitOpen(t testing.TB) {
	t.Helper()
	if strings.Contains(p.Log.String(), "the database is still being opened") {
		p.AwaitLog(t, regexp.MustCompile(`the database is open\b`))
	}
}

// notOpen is the text of a library whose database is not open yet.
var notOpen = regexp.MustCompile(`database: (it is being opened|waiting for it)`)

// AwaitDatabase waits until a library has opened its database, by the word of its management
// listener at an address: another process may be migrating the database, or the machine may be
// busy. The library may be unready for other reasons.
func AwaitDatabase(t testing.TB, management string) {
	t.Helper()
	Eventually(t, "the database is open", func() bool {
		resp, err := http.Get(management + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return err == nil && !notOpen.Match(text)
	})
}

// LogEnd returns the end of the log, for the report of a failed test.
func (p *Process) LogEnd() string {
	text := p.Log.String()
	return text[max(0, len(text)-4000):]
}
