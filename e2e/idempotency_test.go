package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// lossy passes requests on to a server, and loses the first answer to each POST.
type lossy struct {
	*httptest.Server
	losses atomic.Int64
}

func newLossy(t *testing.T, to string) *lossy {
	t.Helper()
	address, err := url.Parse(to)
	testkit.NoError(t, err)
	proxy, l := httputil.NewSingleHostReverseProxy(address), &lossy{}
	var seen sync.Map
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := seen.LoadOrStore(r.Header.Get("Idempotency-Key"), true); again || r.Method != http.MethodPost {
			proxy.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(httptest.NewRecorder(), r)
		l.losses.Add(1)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(l.Close)
	return l
}

// goClient is the Go client of a caller.
func (s *server) goClient(t *testing.T, c caller) *client.Client {
	t.Helper()
	token := s.idp.Mint(t, testidp.Claims{"email": c.email, "scope": c.scope}, testidp.ES256())
	out, err := client.New(s.base, client.StaticSource(client.Token{Access: token}))
	testkit.NoError(t, err)
	return out
}

// longerLoans changes the rules so that a renewal moves the due date on the day of
// the loan.
func longerLoans(t *testing.T, s *server) {
	t.Helper()
	c := s.goClient(t, admin)
	rules, version, err := c.Policy(t.Context())
	if err == nil {
		rules.LoanDays++
		_, err = c.EditPolicy(t.Context(), rules, version)
	}
	testkit.NoError(t, err)
}

// TestATerminalGetsTheAnswerThatWasLost renews a loan, which twice would be a
// difference.
func TestATerminalGetsTheAnswerThatWasLost(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	s := startOn(t, database)
	network := newLossy(t, s.root)
	token := s.idp.Mint(t, testidp.Claims{"email": reader.email, "scope": reader.scope}, testidp.ES256())
	env := []string{"LIBRARY_TOKEN=" + token, "LIBRARY_SERVER=" + network.URL + basePath}
	for i, args := range [][]string{{"books", "borrow", cleanCode}, {"loans", "renew", cleanCode}} {
		if i == 1 {
			longerLoans(t, s)
		}
		if o := runProgram(t, env, args...); o.code != 0 {
			t.Fatalf("%v: exit code %d\n%s%s", args, o.code, o.stdout, o.stderr)
		}
	}
	if n := count(t, database, `SELECT count(*) FROM loans WHERE renewals = 1`); n != 1 || network.losses.Load() != 2 {
		t.Errorf("%d loans were renewed once, %d answers were lost", n, network.losses.Load())
	}
}
