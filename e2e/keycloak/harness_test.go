//go:build keycloak

package keycloak

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	patience = 30 * time.Second // for things that take a fraction of it
	basePath = "/library-server"
	origin   = "localhost:4200"

	cleanCode  = "f9bf70d6-e56d-4cab-be6b-294cd05f599f" // a sample book
	bruceWayne = "c47641ee-e63c-4c13-8cd2-1c2490aee0b3" // a sample user
)

var (
	binary string // the program under test
	issuer string // the realm, without a slash at the end

	adminUser, adminPassword string // of Keycloak itself
)

func TestMain(m *testing.M) {
	issuer = os.Getenv("LIBRARY_TEST_ISSUER")
	adminUser = cmp.Or(os.Getenv("LIBRARY_TEST_ADMIN_USER"), "admin")
	adminPassword = os.Getenv("LIBRARY_TEST_ADMIN_PASSWORD")
	if issuer == "" || adminPassword == "" {
		fmt.Fprintln(os.Stderr, "These tests need a running Keycloak: use scripts/test-keycloak.")
		os.Exit(1)
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "library-keycloak-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "library")
	build := exec.Command("go", "build", "-o", binary, "example.org/library/cmd/library")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the program does not build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// server is a running `library serve`.
type server struct {
	cmd        *exec.Cmd
	log        *output
	exited     chan struct{} // closed when the process has ended
	base       string        // of the API
	management string        // http://host:port of the management listener
	client     *http.Client
}

// start starts a server with the samples in it that trusts the realm, and
// waits until it has the keys.
func start(t testing.TB, args ...string) *server {
	t.Helper()
	s := startUnready(t, append([]string{"--issuer", issuer}, args...)...)
	s.awaitReady(t)
	return s
}

// startUnready starts a server on free ports and waits until it listens. It is
// stopped when the test ends.
func startUnready(t testing.TB, args ...string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{log: &output{}, exited: make(chan struct{}), client: newClient()}
	s.cmd = exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0",
		"--database", "sqlite:" + filepath.Join(dir, "library.db"), "--sample-data", "--client-origin", origin}, args...)...)
	// Nothing of the machine's environment is to matter.
	s.cmd.Dir, s.cmd.Env = dir, []string{"HOME=" + dir, "TMPDIR=" + os.TempDir()}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = tied()
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		s.cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(func() { s.cleanUp(t) })
	s.base = "http://" + s.awaitLog(t, `msg=listening addr=([0-9.:]+)`) + basePath
	s.management = "http://" + s.awaitLog(t, `msg=management at=([0-9.:]+)`)
	return s
}

func (s *server) cleanUp(t testing.TB) {
	s.client.CloseIdleConnections()
	s.cmd.Process.Kill()
	<-s.exited
	text := s.log.String()
	if strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
		t.Error("the server panicked")
	}
	if t.Failed() {
		t.Logf("log of the server (its end):\n%s", text[max(0, len(text)-4000):])
	}
}

// awaitLog waits for a line in the log and returns the first group of it.
func (s *server) awaitLog(t testing.TB, line string) string {
	t.Helper()
	pattern := regexp.MustCompile(line)
	var found []string
	eventually(t, line+" in the log", func() bool {
		found = pattern.FindStringSubmatch(s.log.String())
		return found != nil
	})
	return found[len(found)-1]
}

func (s *server) awaitReady(t testing.TB) {
	t.Helper()
	eventually(t, "/readyz is 200", func() bool { status, _ := s.ready(t); return status == http.StatusOK })
}

// ready returns what the server says of its readiness.
func (s *server) ready(t testing.TB) (status int, body string) {
	t.Helper()
	resp, err := s.client.Get(s.management + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// call sends a request with that token, if there is one, to a path under the
// base path.
func (s *server) call(t testing.TB, token, method, path string, body any) response {
	t.Helper()
	r, err := s.try(token, method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.t = t
	return r
}

// try is call for other goroutines than the test's.
func (s *server) try(token, method, path string, body any) (response, error) {
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, s.base+path, bytes.NewReader(text))
	if err != nil {
		return response{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return send(s.client, req)
}

func (s *server) get(t testing.TB, token, path string) response {
	t.Helper()
	return s.call(t, token, "GET", path, nil)
}

// response is an answer of the service or of Keycloak.
type response struct {
	t       testing.TB
	request string
	status  int
	header  http.Header
	body    []byte
}

func send(client *http.Client, req *http.Request) (response, error) {
	resp, err := client.Do(req)
	if err != nil {
		return response{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return response{request: req.Method + " " + req.URL.Path, status: resp.StatusCode, header: resp.Header, body: body}, err
}

func (r response) want(status int) response {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: status %d, want %d; %v\n%s", r.request, r.status, status, r.header, r.body[:min(len(r.body), 1000)])
	}
	return r
}

// wantHeader checks the exact value of a header field.
func (r response) wantHeader(name, value string) response {
	r.t.Helper()
	if got := strings.Join(r.header.Values(name), ", "); got != value {
		r.t.Errorf("%s: %s is\n\t%q, want\n\t%q", r.request, name, got, value)
	}
	return r
}

// refused is the header of an answer to a token that is not accepted.
func refused(description string) string {
	return `Bearer error="invalid_token", error_description="` + description + `", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`
}

// into decodes the JSON body.
func into[T any](r response) T {
	r.t.Helper()
	var v T
	if err := json.Unmarshal(r.body, &v); err != nil {
		r.t.Fatalf("%s: the body is not what was expected: %v\n%.500s", r.request, err, r.body)
	}
	return v
}

// newClient follows no redirect and keeps no cookie.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
	}
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
