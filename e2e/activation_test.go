package e2e

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// socketFile is a listening socket as a service manager holds it: it stays open
// whatever the program does with its copy.
func socketFile(t *testing.T) (file *os.File, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer l.Close()
	file, err = l.(*net.TCPListener).File()
	testkit.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	return file, l.Addr().String()
}

// startActivated starts the program as a service manager does that has opened its
// sockets. The shell knows the process id that the program is going to have.
func startActivated(t *testing.T, names string, files []*os.File, env []string, args ...string) *testkit.Process {
	t.Helper()
	const script = `export LISTEN_PID=$$ && exec "$0" "$@"`
	cmd := exec.CommandContext(context.Background(), "sh", append([]string{"-c", script, binary, "serve"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.ExtraFiles = files
	cmd.Env = append(env, "HOME="+cmd.Dir, "LISTEN_FDS="+strconv.Itoa(len(files)), "LISTEN_FDNAMES="+names)
	return testkit.Start(t, cmd)
}

var listening = regexp.MustCompile(`msg=listening addr=([0-9.:]+)`)

func TestTheListenersCanBePassedBySystemd(t *testing.T) {
	t.Parallel()
	api, apiAddr := socketFile(t)
	management, managementAddr := socketFile(t)
	p := startActivated(t, "management:api", []*os.File{management, api}, nil, "--issuer", testidp.New(t).Issuer())
	if at := p.AwaitLog(t, listening); at != apiAddr {
		t.Errorf("the API listens at %s, not at %s", at, apiAddr)
	}
	for url, want := range map[string]int{
		"http://" + apiAddr + basePath + "/books":   http.StatusUnauthorized,
		"http://" + managementAddr + "/healthz":     http.StatusOK,
		"http://" + managementAddr + basePath + "/": http.StatusNotFound,
	} {
		if resp, err := http.Get(url); err != nil || resp.StatusCode != want {
			t.Errorf("%s: %v %v, want %d", url, resp, err, want)
		}
	}
}

func TestRequestsWaitInThePassedSocketWhileTheProgramRestarts(t *testing.T) {
	t.Parallel()
	api, apiAddr := socketFile(t)
	management, _ := socketFile(t)
	idp := testidp.New(t)
	start := func() *testkit.Process {
		p := startActivated(t, "api:management", []*os.File{api, management}, nil, "--issuer", idp.Issuer())
		p.AwaitLog(t, listening)
		return p
	}
	first := start()
	first.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-first.Exited:
	case <-time.After(testkit.Timeout(t)):
		t.Fatal("the program does not end")
	}

	answered := make(chan error, 1)
	go func() {
		resp, err := http.Get("http://" + apiAddr + basePath + "/books")
		if err == nil {
			resp.Body.Close()
		}
		answered <- err
	}()
	select {
	case err := <-answered:
		t.Fatalf("a request was answered while no program ran: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	start()
	select {
	case err := <-answered:
		if err != nil {
			t.Errorf("the request that waited failed: %v", err)
		}
	case <-time.After(testkit.Timeout(t)):
		t.Error("the request that waited was never answered")
	}
}

func TestASocketThatNobodyWouldServeIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ names, want string }{
		{"library.socket", `name "library.socket" was passed; there can be one each of api, management, web`},
		{"api:api", `name "api" was passed`},
		{"api:web", `name "web" was passed, but nothing is served there`},
		{"api:management:web", `sockets were passed with the names`},
	} {
		api, _ := socketFile(t)
		management, _ := socketFile(t)
		files := []*os.File{api, management}
		if !strings.Contains(c.names, ":") {
			files = files[:1]
		}
		p := startActivated(t, c.names, files, nil, "--issuer", "http://127.0.0.1:1/")
		select {
		case <-p.Exited:
		case <-time.After(testkit.Timeout(t)):
			t.Fatalf("%s: the program goes on", c.names)
		}
		if said := p.Log.String(); p.Cmd.ProcessState.ExitCode() != 1 || !strings.Contains(said, c.want) {
			t.Errorf("%s: exit code %d, %s", c.names, p.Cmd.ProcessState.ExitCode(), said)
		}
	}
}

func TestSystemdLearnsWhenTheProgramIsReadyAndWhenItStops(t *testing.T) {
	t.Parallel()
	address := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	testkit.NoError(t, err)
	defer manager.Close()
	manager.SetReadDeadline(time.Now().Add(testkit.Timeout(t)))
	receive := func() string {
		said := make([]byte, 100)
		n, err := manager.Read(said)
		testkit.NoError(t, err)
		return string(said[:n])
	}
	s := start(t, []string{"NOTIFY_SOCKET=" + address}, "--issuer", testidp.New(t).Issuer())
	if said := receive(); said != "READY=1" {
		t.Errorf("first it says %q", said)
	}
	if resp, err := s.client.Get(s.management + "/healthz"); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("ready, but %v %v", resp, err)
	}
	s.Cmd.Process.Signal(syscall.SIGTERM)
	if said := receive(); said != "STOPPING=1" {
		t.Errorf("then it says %q", said)
	}
	s.awaitExit(t)
}
