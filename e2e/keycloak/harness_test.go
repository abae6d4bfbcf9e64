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
	"testing"

	"example.org/library/internal/testkit"
)

const (
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
	os.Exit(testkit.WithProgram(func(path string) int {
		binary = path
		return m.Run()
	}))
}

// server is a running `library serve`.
type server struct {
	*testkit.Process
	base       string // of the API
	management string // http://host:port of the management listener
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
	s := launch(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0",
		"--database", "sqlite:" + filepath.Join(t.TempDir(), "library.db"), "--sample-data", "--client-origin", origin}, args...)...)
	s.base = "http://" + s.AwaitLog(t, regexp.MustCompile(`msg=listening addr=([0-9.:]+)`)) + basePath
	s.management = "http://" + s.AwaitLog(t, regexp.MustCompile(`msg=management at=([0-9.:]+)`))
	s.AwaitOpen(t)
	return s
}

// launch starts the program in a folder of its own, until the test ends. Nothing
// of the machine's environment is to matter.
func launch(t testing.TB, args ...string) *server {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "TMPDIR=" + os.TempDir()}
	s := &server{Process: testkit.Start(t, cmd), client: newClient()}
	t.Cleanup(func() { s.cleanUp(t) })
	return s
}

func (s *server) cleanUp(t testing.TB) {
	s.client.CloseIdleConnections()
	s.Kill()
	text := s.Log.String()
	if strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
		t.Error("the server panicked")
	}
	if t.Failed() {
		t.Logf("log of the server (its end):\n%s", s.LogEnd())
	}
}

func (s *server) awaitReady(t testing.TB) {
	t.Helper()
	testkit.Eventually(t, "/readyz is 200", func() bool { status, _ := s.ready(t); return status == http.StatusOK })
}

// ready returns what the server says of its readiness.
func (s *server) ready(t testing.TB) (status int, body string) {
	t.Helper()
	resp, err := s.client.Get(s.management + "/readyz")
	testkit.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp.StatusCode, string(b)
}

// call sends a request with that token, if there is one, to a path under the
// base path.
func (s *server) call(t testing.TB, token, method, path string, body any) response {
	t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, s.base+path, bytes.NewReader(text))
	testkit.NoError(t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	r, err := testkit.Send(s.client, req)
	testkit.NoError(t, err)
	r.T = t
	return r
}

func (s *server) get(t testing.TB, token, path string) response {
	t.Helper()
	return s.call(t, token, "GET", path, nil)
}

// response is an answer of the service or of Keycloak.
type response = testkit.Response

// refused is the header of an answer to a token that is not accepted.
func refused(description string) string {
	return `Bearer error="invalid_token", error_description="` + description + `", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`
}

// into decodes the JSON body.
func into[T any](r response) T {
	r.T.Helper()
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		r.T.Fatalf("%s: the body is not what was expected: %v\n%.500s", r.Request, err, r.Body)
	}
	return v
}

// newClient follows no redirect and keeps no cookie.
func newClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
	}
}
