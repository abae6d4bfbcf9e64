package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// early is a request with a large body that is answered before the body has come to
// its end.
type early struct {
	name, method, path string
	headers            []string
	status             int
}

// bookHeaders are those with which a book can be added.
func bookHeaders(t *testing.T, s *server) []string {
	return []string{"Authorization: Bearer " + s.as(t, curator).token, "Content-Type: application/json"}
}

// earlyAnswers are those of a server that works.
func earlyAnswers(t *testing.T, s *server) []early {
	bearer := func(c caller) string { return "Authorization: Bearer " + s.as(t, c).token }
	const asJSON = "Content-Type: application/json"
	return []early{
		{"too large", "POST", "/books", []string{bearer(curator), asJSON}, 413},
		{"no token", "POST", "/books", []string{asJSON}, 401},
		{"no permission", "POST", "/users", []string{bearer(reader), asJSON}, 403},
		{"nothing there", "POST", "/nothing", []string{bearer(curator), asJSON}, 404},
		{"no such method", "PUT", "/books", []string{bearer(curator), asJSON}, 405},
		{"no JSON", "POST", "/books", []string{bearer(curator), "Content-Type: text/plain"}, 415},
		{"a path that is none", "POST", "//books", []string{bearer(curator), asJSON}, 400},
		{"a header that is too large", "POST", "/books", []string{"X-Large: " + strings.Repeat("x", 200<<10)}, 431},
	}
}

// foreignClient is a program of others that speaks HTTP.
type foreignClient struct {
	name  string
	http2 bool // it also speaks HTTP/2
	rare  bool // it is asked where tests run in full alone
	run   func(t *testing.T, authority, requests string) (answers string)
}

var foreignClients = []foreignClient{
	{"urllib", false, false, python("urllib")},
	{"requests", false, true, python("requests")},
	{"httpx", true, false, python("httpx")},
	{"aiohttp", false, true, python("aiohttp")},
	{"node", false, false, func(t *testing.T, authority, requests string) string {
		return runForeign(t, requests, "NODE_EXTRA_CA_CERTS="+authority, "node", "foreign/client.mjs")
	}},
	{"java", true, true, func(t *testing.T, authority, requests string) string {
		return runForeign(t, requests, "", "java", "foreign/Client.java", authority)
	}},
	{"curl", true, false, curl("Expect: 100-continue")},
	{"curl that does not ask first", true, false, curl("Expect:")},
	{"go", true, false, withGo},
}

// python is Debian's: it has the packages that scripts/install-test-deps installs.
func python(library string) func(*testing.T, string, string) string {
	return func(t *testing.T, authority, requests string) string {
		return runForeign(t, requests, "", "/usr/bin/python3", "foreign/client.py", library, authority)
	}
}

// runForeign fails the test when the program is not installed.
func runForeign(t *testing.T, requests, env, program string, args ...string) string {
	t.Helper()
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(cmd.Environ(), env)
	cmd.Stdin = strings.NewReader(requests)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s (if it is not installed, run `make deps`): %v\n%s", program, err, &stderr)
	}
	return string(out)
}

// asked is what a client is to send, in this order, and the answers that it must receive.
type asked struct {
	names    []string
	requests map[string]string // a line for each
	received map[string]early
	times    int
}

func (a *asked) add(root string, e early, size int, framing, version string) {
	scheme, _, _ := strings.Cut(root, ":")
	name := fmt.Sprintf("%s, %s, HTTP/%s, %d MiB, %s", e.name, scheme, version, size>>20, framing)
	fields := []string{name, e.method, root + basePath + e.path, fmt.Sprint(size), framing, version, fmt.Sprint(a.times)}
	if a.requests == nil {
		a.requests, a.received = map[string]string{}, map[string]early{}
	}
	a.names = append(a.names, name)
	a.requests[name] = strings.Join(append(fields, e.headers...), "\t") + "\n"
	a.received[name] = e
}

// addAll adds every answer, over a version that can be spoken, with a size and framing in turn: in full with
// two of them.
func (a *asked) addAll(root string, http2 bool, all []early) {
	const small, large = 2 << 20, 8 << 20
	http2 = http2 && strings.HasPrefix(root, "https:")
	for i, e := range all {
		speaks := http2 && e.status != 431 // which HTTP/2 says in its own way
		turn := (i + len(root)) % 3
		if turn == 2 && !speaks {
			turn = i % 2
		}
		for n, how := range []struct {
			size             int
			framing, version string
		}{
			{large, "length", "1.1"}, {small, "chunked", "1.1"}, {small, "length", "2"},
			{small, "length", "1.1"}, {large, "chunked", "1.1"}, {large, "length", "2"},
		} {
			if turn == n || turn == n-3 && testkit.Full() {
				a.add(root, e, how.size, how.framing, how.version)
			}
		}
	}
}

// check lets the client send everything and compares the answers with those that must be
// received. Nobody promises that a busy machine reads 8 MiB within the 5 s: what is missing
// there is sent again, several times by one process, because Java sends slowly until its code is compiled.
func (a *asked) check(t *testing.T, send func(requests string) (answers string)) {
	t.Helper()
	missing := a.missing(t, a.names, 1, send)
	for tries := 1; tries < 5 && testkit.Busy() && len(missing) > 0; tries++ {
		const again = 5
		missing = a.missing(t, slices.Collect(maps.Keys(missing)), again, send)
		maps.DeleteFunc(missing, func(_ string, what []string) bool { return len(what) < again*a.times })
	}
	for name, what := range missing {
		t.Errorf("%s: %d times: %s", name, len(what), slices.Compact(what)[0])
	}
}

// missing sends the requests of those names, each that often, and returns what was received instead of an
// answer, by the name of the request.
func (a *asked) missing(t *testing.T, names []string, often int, send func(string) string) map[string][]string {
	t.Helper()
	var requests strings.Builder
	for _, name := range names {
		requests.WriteString(strings.Repeat(a.requests[name], often))
	}
	answers := send(requests.String())
	if got, want := strings.Count(answers, "\n"), len(names)*often*a.times; got != want {
		t.Errorf("there are %d answers, want %d", got, want)
	}
	missing := map[string][]string{}
	for line := range strings.Lines(answers) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(fields) != 3 {
			t.Fatalf("the client says %q", line)
		}
		want, answer := a.received[fields[0]], failure{}
		json.Unmarshal([]byte(fields[2]), &answer)
		if fields[1] != fmt.Sprint(want.status) || answer.Status != want.status {
			missing[fields[0]] = append(missing[fields[0]], fmt.Sprintf("%s %.200s", fields[1], fields[2]))
		}
	}
	return missing
}

// TestAnAnswerReachesThoseWhoAreStillSending asks with programs of others, some of
// which read only when they have sent everything.
func TestAnAnswerReachesThoseWhoAreStillSending(t *testing.T) {
	t.Parallel()
	certFile, keyFile, _ := newCertificate(t)
	plain := startOn(t, emptySQLite(t))
	secure := startOn(t, emptySQLite(t), "--tls-cert", certFile, "--tls-key", keyFile)
	unavailable := startUnopened(t, nil, "--issuer", plain.idp.Issuer(), "--database", "postgres://127.0.0.1:1/library")
	overloaded := startOverloaded(t)
	for _, client := range foreignClients {
		if client.rare && !testkit.Full() {
			continue
		}
		t.Run(client.name, func(t *testing.T) { // one after the other: they have 5 s for a body
			a := asked{times: 1}
			a.addAll(plain.root, client.http2, earlyAnswers(t, plain))
			a.addAll(secure.root, client.http2, earlyAnswers(t, secure))
			for _, framing := range []string{"length", "chunked"} {
				a.add(unavailable.root, early{"unavailable", "POST", "/books", bookHeaders(t, plain), 503}, 8<<20, framing, "1.1")
				a.add(overloaded.root, borrowing(t, overloaded), 8<<20, framing, "1.1")
			}
			a.check(t, func(requests string) string { return client.run(t, certFile, requests) })
		})
	}
}

// TestEveryListenerAnswersThoseWhoAreStillSending sends all of a body before it
// reads.
func TestEveryListenerAnswersThoseWhoAreStillSending(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	provider := launch(t, nil, "idp", "--addr", "127.0.0.1:0")
	page := launch(t, nil, "web", "--addr", "127.0.0.1:0")
	for listener, addr := range map[string]string{
		"API": hostPort(s.root), "management": hostPort(s.management),
		"idp": provider.AwaitLog(t, regexp.MustCompile(`msg=listening addr=(\S+) issuer`)),
		"web": page.AwaitLog(t, regexp.MustCompile(`msg=listening addr=(\S+)`)),
	} {
		for path, status := range map[string]int{"/nothing": 0, "/%zz": 400} { // the second is refused before any handler
			conn, err := net.Dial("tcp", addr)
			testkit.NoError(t, err)
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(testkit.Timeout(t)))
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", path, 8<<20)
			if _, err := conn.Write(make([]byte, 8<<20)); err != nil {
				t.Errorf("%s %s: %v", listener, path, err)
				continue
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode < 400 || status != 0 && resp.StatusCode != status {
				t.Errorf("%s %s: %v, %v", listener, path, resp, err)
			}
		}
	}
}

// borrowing is refused by a server that is overloaded.
func borrowing(t *testing.T, s *server) early {
	return early{"overloaded", "POST", "/books/" + pride + "/borrow", []string{"Authorization: Bearer " + s.as(t, reader).token}, 503}
}

// startOverloaded starts a server that works on as many requests as it can, none of
// which comes to its end. Its PostgreSQL is its own: where others listen to events, these
// would wait for the end of the transaction that holds it up.
func startOverloaded(t *testing.T) *server {
	database := pgtest.Own(t).Database(t, "library")
	s := startOn(t, database)
	s.mayLogErrors = true
	lock, err := openSQL(t, database, "").BeginTx(t.Context(), nil)
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(lock.ExecContext(t.Context(), `LOCK TABLE books`)))
	stop, wg := make(chan struct{}), sync.WaitGroup{}
	for range 100 { // more than can be answered in time
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					s.as(t, reader).try("POST", "/books/"+pride+"/borrow", nil)
					time.Sleep(300 * time.Millisecond) // who is refused at once needs no more of the processor than that
				}
			}
		})
	}
	t.Cleanup(func() { close(stop); lock.Rollback(); wg.Wait() })
	testkit.Eventually(t, "it has too much to do", func() bool {
		answer, err := s.as(t, reader).try("POST", "/books/"+pride+"/borrow", nil)
		return err == nil && answer.Status == 503
	})
	return s
}
