package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	// Most tests here wait for something most of the time: for a process, for a
	// time-out. More of them at once than there are processors is no burden, but under
	// the race detector the start of a program is: it takes a second of a processor.
	most, flags := "6", []string(nil)
	if raceEnabled {
		most, flags = "4", []string{"-race"}
	}
	atOnce := flag.Lookup("test.parallel")
	if atOnce.Value.String() == atOnce.DefValue {
		flag.Set("test.parallel", most)
	}
	os.Exit(testkit.WithProgram(func(path string) int {
		binary = path
		return m.Run()
	}, flags...))
}

const (
	basePath = "/library-server"
)

// server is a running `library serve`.
type server struct {
	*testkit.Process
	root       string // scheme://host:port of the API
	base       string // root and base path
	management string // http://host:port of the management listener
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

// start starts a server on free ports and waits until it answers. It is stopped
// when the test ends.
func start(t testing.TB, env []string, args ...string) *server {
	t.Helper()
	s := startUnopened(t, env, args...)
	testkit.AwaitDatabase(t, s.management)
	return s
}

// startUnopened starts a server on free ports and waits until it listens, whether
// or not it has a database.
func startUnopened(t testing.TB, env []string, args ...string) *server {
	t.Helper()
	s := launch(t, env, append([]string{"serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0"}, args...)...)
	scheme := "http"
	if strings.Contains(strings.Join(args, " "), "--tls-cert") {
		scheme = "https"
	}
	s.root = scheme + "://" + s.AwaitLog(t, regexp.MustCompile(`msg"?[=:]"?listening"?[ ,]"?addr"?[=:]"?([0-9.:]+)`))
	s.management = "http://" + s.AwaitLog(t, regexp.MustCompile(`msg"?[=:]"?management"?[ ,]"?at"?[=:]"?([0-9.:]+)`))
	s.base = s.root + basePath
	return s
}

// launch starts the program and sees to it that it ends with the test.
func launch(t testing.TB, env []string, args ...string) *server {
	t.Helper()
	s := &server{Process: testkit.Start(t, command(context.Background(), t.TempDir(), env, args...)), client: newClient()}
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
	cmd.Env = append([]string{"HOME=" + dir, "LIBRARY_DRAIN=0s", "TMPDIR=" + os.TempDir(), "GORACE=halt_on_error=1 atexit_sleep_ms=0"}, env...)
	cmd.SysProcAttr = testkit.Tied()
	return cmd
}

func (s *server) cleanUp(t testing.TB) {
	s.client.CloseIdleConnections()
	s.Kill()
	text := s.Log.String()
	for _, bad := range []string{"DATA RACE", "goroutine ", "panic"} {
		if strings.Contains(text, bad) {
			t.Errorf("the log of the server has %q in it", bad)
		}
	}
	if !s.mayLogErrors && regexp.MustCompile(`level"?[=:]"?ERROR`).MatchString(text) {
		t.Error("the server logged an error")
	}
	if t.Failed() {
		t.Logf("log of the server (its end):\n%s", s.LogEnd())
	}
}

// stop asks the server to stop and returns its exit code.
func (s *server) stop(t testing.TB, sig syscall.Signal) int {
	t.Helper()
	if err := s.Cmd.Process.Signal(sig); err != nil {
		t.Fatalf("signal: %v", err)
	}
	return s.awaitExit(t)
}

func (s *server) awaitExit(t testing.TB) int {
	t.Helper()
	select {
	case <-s.Exited:
	case <-time.After(testkit.Timeout(t)):
		t.Fatal("the server does not end")
	}
	return s.Cmd.ProcessState.ExitCode()
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
	ctx := testkit.Context(t)
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
