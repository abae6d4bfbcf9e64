package faults

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver pgx
	_ "modernc.org/sqlite"             // driver sqlite

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// library is what a test breaks: a database, processes of the program on it, books
// of one copy each, and readers.
type library struct {
	database string // as the program reaches it
	direct   string // past whatever is in between
	idp      *testidp.Provider
	servers  []*server
	books    []string // identifiers
	readers  []reader
	extra    []string // more arguments of every process
}

// reader is a user of the library who may lend and see who has a book.
type reader struct{ id, token string }

// How many of each a library has.
const (
	manyReaders = 6
	manyBooks   = 8
)

// open starts some processes on a database, and adds books and readers.
func open(t testing.TB, database string, processes int, extra ...string) *library {
	t.Helper()
	l := &library{database: database, direct: database, idp: testidp.New(t), extra: extra}
	l.add(t, processes)
	l.furnish(t)
	return l
}

// add starts more processes, and waits until they are ready.
func (l *library) add(t testing.TB, n int) {
	t.Helper()
	for range n {
		s := l.start(t)
		s.awaitReady(t)
		l.servers = append(l.servers, s)
	}
}

// furnish adds the books and the readers.
func (l *library) furnish(t testing.TB) {
	t.Helper()
	l.shelve(t, manyBooks)
	l.invite(t, manyReaders)
}

// shelve adds books.
func (l *library) shelve(t testing.TB, n int) {
	t.Helper()
	curator := l.token(t, "peter.parker@example.com", "library_curator")
	for range n {
		title := fmt.Sprintf("Book %d", len(l.books))
		l.books = append(l.books, l.servers[0].create(t, "/books", curator, map[string]any{"title": title}))
	}
}

// invite adds readers.
func (l *library) invite(t testing.TB, n int) {
	t.Helper()
	admin := l.token(t, "clark.kent@example.com", "library_admin")
	for range n {
		i := len(l.readers)
		email := fmt.Sprintf("reader-%d@example.com", i)
		id := l.servers[0].create(t, "/users", admin, map[string]any{"email": email, "firstName": "R", "lastName": fmt.Sprint(i)})
		l.readers = append(l.readers, reader{id, l.token(t, email, "library_user library_curator")})
	}
}

// token is good for an hour.
func (l *library) token(t testing.TB, email, scope string) string {
	t.Helper()
	claims := testidp.Claims{"email": email, "scope": scope, "exp": time.Now().Add(time.Hour).Unix()}
	return l.idp.Mint(t, claims, testidp.ES256())
}

// server is a running `library serve`.
type server struct {
	*testkit.Process
	addr, management string // host:port
}

const basePath = "/library-server"

// start starts a process on free ports, or on those of its arguments, and waits
// until it listens.
func (l *library) start(t testing.TB, args ...string) *server {
	t.Helper()
	return l.await(t, l.launch(t, args...))
}

// await waits until a process that was launched listens and has its database.
func (l *library) await(t testing.TB, s *server) *server {
	t.Helper()
	s.addr = s.AwaitLog(t, regexp.MustCompile(`msg=listening addr=([0-9.:]+)`))
	s.management = s.AwaitLog(t, regexp.MustCompile(`msg=management at=([0-9.:]+)`))
	s.AwaitOpen(t)
	return s
}

// launch starts a process and waits for nothing.
func (l *library) launch(t testing.TB, args ...string) *server {
	t.Helper()
	all := []string{"serve", "--addr", testkit.FreeAddress(t), "--management-addr", testkit.FreeAddress(t), "--issuer", l.idp.Issuer(),
		"--database", l.database, "--sample-data"}
	s := &server{Process: testkit.Start(t, program(t, append(append(all, l.extra...), args...)...))}
	t.Cleanup(func() {
		s.Cmd.Process.Signal(syscall.SIGCONT)
		s.Kill()
		for _, bad := range []string{"goroutine ", "panic"} {
			if strings.Contains(s.Log.String(), bad) {
				t.Errorf("the log of the server has %q in it", bad)
			}
		}
		if t.Failed() {
			t.Logf("log of the server (its end):\n%s", s.LogEnd())
		}
	})
	return s
}

// program is a command of the program, in a folder and an environment that hold
// nothing of the machine's.
func program(t testing.TB, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "TMPDIR=" + os.TempDir()}
	cmd.SysProcAttr = testkit.Tied()
	return cmd
}

// signal sends a signal to the process.
func (s *server) signal(t testing.TB, sig syscall.Signal) {
	t.Helper()
	if err := s.Cmd.Process.Signal(sig); err != nil {
		t.Fatalf("signal: %v", err)
	}
}

// awaitExit waits for the end of the process and returns its exit code.
func (s *server) awaitExit(t testing.TB) int {
	t.Helper()
	select {
	case <-s.Exited:
	case <-time.After(testkit.Timeout(t)):
		t.Fatalf("the server does not end:\n%s", s.LogEnd())
	}
	return s.Cmd.ProcessState.ExitCode()
}

// plain is for requests whose connection nobody keeps.
var plain = &http.Client{Timeout: clientTimeout, Transport: &http.Transport{DisableKeepAlives: true}}

// create posts a record and returns its identifier.
func (s *server) create(t testing.TB, path, token string, record any) string {
	t.Helper()
	resp := s.send(t, "POST", path, token, record)
	defer resp.Body.Close()
	var created struct{ Identifier, Message string }
	if err := json.NewDecoder(resp.Body).Decode(&created); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %d %s, %v", path, resp.StatusCode, created.Message, err)
	}
	return created.Identifier
}

// do sends a request that must succeed.
func (s *server) do(t testing.TB, method, path, token string, record any) {
	t.Helper()
	resp := s.send(t, method, path, token, record)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, path, resp.Status)
	}
}

// send sends a record. The caller closes the body of the answer.
func (s *server) send(t testing.TB, method, path, token string, record any) *http.Response {
	t.Helper()
	body, err := json.Marshal(record)
	testkit.NoError(t, err)
	req, err := http.NewRequest(method, "http://"+s.addr+basePath+path, bytes.NewReader(body))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := plain.Do(req)
	testkit.NoError(t, err)
	return resp
}

// manage asks the management listener. A listener that is gone has status 0.
func (s *server) manage(path string) (status int, body string) {
	resp, err := plain.Get("http://" + s.management + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(text)
}

// awaitReady waits until a process is ready, for changes too.
func (s *server) awaitReady(t testing.TB) {
	t.Helper()
	testkit.Eventually(t, "/readyz says ready", func() bool {
		_, said := s.manage("/readyz")
		return said == "ready\n"
	})
}

// awaitReadiness waits until /readyz has that status, and returns what it says.
func (s *server) awaitReadiness(t testing.TB, want int) (said string) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("/readyz is %d", want), func() bool {
		var status int
		status, said = s.manage("/readyz")
		return status == want
	})
	return said
}

// awaitReadOnly waits until /readyz says that a process is ready, but not for changes, and why.
// It returns what it says. A busy server may first not answer in time.
func (s *server) awaitReadOnly(t testing.TB, reason string) (said string) {
	t.Helper()
	testkit.Eventually(t, "/readyz says "+reason, func() bool {
		said = s.awaitReadiness(t, http.StatusOK)
		return strings.HasPrefix(said, "ready, read-only\n") && strings.Contains(said, reason)
	})
	return said
}

// awaitAllReady waits until every process is ready.
func (l *library) awaitAllReady(t testing.TB) {
	t.Helper()
	for _, s := range l.servers {
		s.awaitReady(t)
	}
}

// sql opens the database past the program.
func (l *library) sql(t testing.TB) *sql.DB {
	t.Helper()
	return openSQL(t, l.direct)
}

func openSQL(t testing.TB, address string) *sql.DB {
	t.Helper()
	driver, source := "pgx", address
	if path, ok := strings.CutPrefix(address, "sqlite:"); ok {
		driver, source = "sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "_pragma=busy_timeout(10000)"}).String()
	}
	db, err := sql.Open(driver, source)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}
