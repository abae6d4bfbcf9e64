package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	// Most tests here wait for something most of the time: for a process, for a
	// time-out. More of them at once than there are processors is no burden.
	atOnce := flag.Lookup("test.parallel")
	if atOnce.Value.String() == atOnce.DefValue {
		flag.Set("test.parallel", "6")
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "library-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "library")
	args := []string{"build", "-o", binary}
	if raceEnabled {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "example.org/library/cmd/library")...)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "e2e: the program does not build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

const (
	patience = 20 * time.Second // for things that take a fraction of it
	basePath = "/library-server"
)

// server is a running `library serve`.
type server struct {
	cmd        *exec.Cmd
	log        *output
	exited     chan struct{} // closed when the process has ended
	root       string        // scheme://host:port of the API
	base       string        // root and base path
	management string        // http://host:port of the management listener
	client     *http.Client
	idp        *testidp.Provider // nil in basic mode

	mayLogErrors bool // the test makes the program complain
}

// startOn starts a server with the samples in it that trusts a provider of its
// own, on the database at that address.
func startOn(t testing.TB, database string, args ...string) *server {
	t.Helper()
	return startWith(t, testidp.New(t), append([]string{"--database", database, "--sample-data"}, args...)...)
}

// startWith starts a server that trusts the provider.
func startWith(t testing.TB, idp *testidp.Provider, args ...string) *server {
	t.Helper()
	s := start(t, nil, append([]string{"--issuer", idp.Issuer()}, args...)...)
	s.idp = idp
	return s
}

// start starts a server on free ports and waits until it listens. It is stopped
// when the test ends.
func start(t testing.TB, env []string, args ...string) *server {
	t.Helper()
	s := launch(t, env, append([]string{"serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0"}, args...)...)
	scheme := "http"
	if strings.Contains(strings.Join(args, " "), "--tls-cert") {
		scheme = "https"
	}
	s.root = scheme + "://" + s.awaitLog(t, regexp.MustCompile(`msg"?[=:]"?listening"?[ ,]"?addr"?[=:]"?([0-9.:]+)`))
	s.management = "http://" + s.awaitLog(t, regexp.MustCompile(`msg"?[=:]"?management"?[ ,]"?at"?[=:]"?([0-9.:]+)`))
	s.base = s.root + basePath
	return s
}

// launch starts the program and sees to it that it ends with the test.
func launch(t testing.TB, env []string, args ...string) *server {
	t.Helper()
	s := &server{log: &output{}, exited: make(chan struct{})}
	s.cmd = command(context.Background(), t.TempDir(), env, args...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.client = newClient()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(func() { s.cleanUp(t) })
	return s
}

// fewFiles in the environment of a program lets it open no more than 256 files.
const fewFiles = "FEW_FILES=256"

// command runs the program in a folder and an environment that hold nothing of
// the machine's.
func command(ctx context.Context, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, binary, args...)
	if slices.Contains(env, fewFiles) {
		cmd = exec.CommandContext(ctx, "sh", slices.Concat([]string{"-c", `ulimit -n 256 && exec "$0" "$@"`, binary}, args)...)
	}
	cmd.Dir = dir
	cmd.Env = append([]string{"HOME=" + dir, "TMPDIR=" + os.TempDir(), "GORACE=halt_on_error=1 atexit_sleep_ms=0"}, env...)
	cmd.SysProcAttr = tied()
	return cmd
}

func (s *server) cleanUp(t testing.TB) {
	s.client.CloseIdleConnections()
	s.cmd.Process.Kill()
	<-s.exited
	text := s.log.String()
	for _, bad := range []string{"DATA RACE", "goroutine ", "panic"} {
		if strings.Contains(text, bad) {
			t.Errorf("the log of the server has %q in it", bad)
		}
	}
	if !s.mayLogErrors && regexp.MustCompile(`level"?[=:]"?ERROR`).MatchString(text) {
		t.Error("the server logged an error")
	}
	if t.Failed() {
		t.Logf("log of the server (its end):\n%s", text[max(0, len(text)-4000):])
	}
}

// stop asks the server to stop and returns its exit code.
func (s *server) stop(t testing.TB, sig syscall.Signal) int {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatalf("signal: %v", err)
	}
	return s.awaitExit(t)
}

func (s *server) awaitExit(t testing.TB) int {
	t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		t.Fatal("the server does not end")
	}
	return s.cmd.ProcessState.ExitCode()
}

// awaitLog waits for a line in the log and returns the first group of it.
func (s *server) awaitLog(t testing.TB, line *regexp.Regexp) string {
	t.Helper()
	var found []string
	for deadline := time.Now().Add(patience); found == nil; time.Sleep(time.Millisecond) {
		ended := false
		select {
		case <-s.exited:
			ended = true
		default:
		}
		found = line.FindStringSubmatch(s.log.String())
		if found == nil && (ended || time.Now().After(deadline)) {
			t.Fatalf("no %s in the log:\n%s", line, s.log)
		}
	}
	return found[len(found)-1]
}

// outcome is how a program ended that was run to its end.
type outcome struct {
	code           int
	stdout, stderr string
	dir            string // it ran in
}

// runProgram runs the program until it ends by itself.
func runProgram(t testing.TB, env []string, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	o := outcome{dir: t.TempDir()}
	cmd := command(ctx, o.dir, env, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("library %s goes on; it says:\n%s", strings.Join(args, " "), stderr.String())
	}
	o.code, o.stdout, o.stderr = cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	return o
}

// output collects what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// eventually waits until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain waited for this: %s", what)
		}
	}
}
