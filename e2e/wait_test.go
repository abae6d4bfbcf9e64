package e2e

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// startWithoutDatabase starts a server that cannot open its database yet.
func startWithoutDatabase(t testing.TB, args ...string) *server {
	t.Helper()
	idp := testidp.New(t)
	s := startUnopened(t, nil, append([]string{"--issuer", idp.Issuer()}, args...)...)
	s.idp = idp
	return s
}

func TestAPostgreSQLThatIsNotThereAtTheStartIsWaitedFor(t *testing.T) {
	t.Parallel()
	relay := newRelay(t)
	relay.cut()
	s := startWithoutDatabase(t, "--database", relay.database, "--sample-data")
	s.AwaitLog(t, regexp.MustCompile(`waiting for the database`))
	if status, _ := s.manage(t, "/healthz"); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	status, reason := s.manage(t, "/readyz")
	if status != 503 || !strings.Contains(reason, "database: waiting for it: ") {
		t.Errorf("/readyz: %d %q", status, reason)
	}
	s.with(t, nobody).get("/books").want(401)
	s.as(t, reader).get("/books").want(503).wantCode("unavailable").wantHeader("Retry-After", "5")
	s.as(t, curator).post("/books", map[string]any{"title": "T"}).want(503).wantCode("unavailable")
	s.as(t, curator).post("/loans", map[string]any{"barcode": "1", "card": "2"}).want(503).wantCode("unavailable")
	s.as(t, curator).post("/books", "no book").want(503).wantCode("unavailable")

	relay.repair()
	s.awaitReady(t)
	s.as(t, curator).post("/books", map[string]any{"title": "T"}).want(201)
	s.as(t, reader).listen("").want("ready", "", false)
	log := s.Log.String()
	if !strings.Contains(log, "the database is there") {
		t.Error("the log does not say that the wait is over")
	}
	if strings.Contains(log+reason, relay.password) {
		t.Error("the password is in the log, or /readyz shows it")
	}
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestCallersGet503WhileTheDatabaseIsBeingOpened: that may take long, when there is much
// to migrate, or when a server is silent, as here.
func TestCallersGet503WhileTheDatabaseIsBeingOpened(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer silent.Close()
	s := startWithoutDatabase(t, "--database", "postgres://u@"+silent.Addr().String()+"/library?sslmode=disable")
	if status, reason := s.manage(t, "/readyz"); status != 503 || !strings.Contains(reason, "database: it is being opened") {
		t.Errorf("/readyz: %d %q", status, reason)
	}
	if status, _ := s.manage(t, "/healthz"); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	s.as(t, reader).get("/books").want(503).wantCode("unavailable")
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestWhoWaitsForTheDatabaseStopsAtOnce(t *testing.T) {
	t.Parallel()
	relay := newRelay(t)
	relay.cut()
	s := startWithoutDatabase(t, "--database", relay.database, "--drain", "5m")
	s.AwaitLog(t, regexp.MustCompile(`waiting for the database`))
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestAWaitForTheDatabaseEnds(t *testing.T) {
	t.Parallel()
	relay := newRelay(t)
	relay.cut()
	serve := []string{"serve", "--issuer", "http://127.0.0.1:1/", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0"}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"serve --wait=500ms":   {append(serve, "--wait=500ms"), "--wait: given up after "},
		"migrate --wait=500ms": {[]string{"migrate", "--wait=500ms"}, "--wait: given up after "},
		"migrate":              {[]string{"migrate"}, "--database: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := runProgram(t, nil, append(c.args, "--database", relay.database)...)
			if o.code != 1 || !strings.Contains(o.stderr, "--database: ") || !strings.Contains(o.stderr, c.says) {
				t.Errorf("exit code %d: %s", o.code, o.stderr)
			}
		})
	}
}
