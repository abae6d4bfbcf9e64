package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// acquainted is a process that has served a reader before, and another one on the same
// database, through which the reader's record changes. What the first remembers of the
// reader is then out of date.
type acquainted struct {
	here, elsewhere *world
	asked           counting // here
}

// counting is a store that counts how often callers are looked up, and transactions.
type counting struct {
	library.Store
	lookUps, transactions atomic.Int64
}

func (c *counting) UserByEmail(ctx context.Context, email string) (library.User, library.Revision, error) {
	c.lookUps.Add(1)
	return c.Store.UserByEmail(ctx, email)
}

func (c *counting) Tx(ctx context.Context, fn func(library.Tx) error) error {
	c.transactions.Add(1)
	return c.Store.Tx(ctx, fn)
}

func newAcquainted(t *testing.T, database string, mode auth.Mode) *acquainted {
	t.Helper()
	address := addresses[database](t)
	a := &acquainted{}
	open := func(s *setup) {
		s.open = func(t testing.TB) *sqlstore.Store { return openStore(t, address) }
		s.auth.Authorities = mode
	}
	a.here = newWorld(t, open, func(s *setup) {
		s.store = func(store library.Store) library.Store { a.asked.Store = store; return &a.asked }
	})
	a.elsewhere = newWorld(t, open)
	return a
}

const (
	jane   = "jane@example.com"
	janeID = "00000000-0000-4000-8000-00000000000a"
)

func record(id, email, lastName, roles string) string {
	return fmt.Sprintf(`{"identifier":%q,"email":%q,"firstName":"Jane","lastName":%q,"roles":[%s]}`, id, email, lastName, roles)
}

func (a *acquainted) admin(t *testing.T, method, path, body string, status int) {
	t.Helper()
	a.elsewhere.send(t, request{as: clarkKent, method: method, path: path, body: body}).want(t, status, "")
}

// post sends a request of the reader to the process that knows her.
func (a *acquainted) post(t *testing.T, path string, header http.Header) reply {
	t.Helper()
	return a.here.send(t, request{token: a.here.idp.Token(t, jane, "library_user email profile"), method: http.MethodPost, path: path, header: header})
}

// meet adds the reader, who borrows a book and gives it back, and is known from then on.
func (a *acquainted) meet(t *testing.T) {
	t.Helper()
	a.admin(t, http.MethodPost, "/users", record(janeID, jane, "Austen", `"LIBRARY_USER"`), 201)
	a.post(t, borrowPath, nil).want(t, 200, "")
	a.post(t, returnPath, nil).want(t, 200, "")
}

func TestASavedResponseIsNotGivenToACallerWhoHasLostTheRoleElsewhere(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			a := newAcquainted(t, database, auth.ModeLocal)
			a.admin(t, http.MethodPost, "/users", record(janeID, jane, "Austen", `"LIBRARY_USER"`), 201)
			first := a.post(t, borrowPath, key("k")).want(t, 200, "")
			wantReplayed(t, first, a.post(t, borrowPath, key("k")))
			a.admin(t, http.MethodPut, "/users/"+janeID, record(janeID, jane, "Austen", ""), 200)
			a.post(t, borrowPath, key("k")).want(t, 403, "role_missing")
			a.post(t, returnPath, nil).want(t, 403, "role_missing")
			a.admin(t, http.MethodPut, "/users/"+janeID, record(janeID, jane, "Austen", `"LIBRARY_USER"`), 200)
			wantReplayed(t, first, a.post(t, borrowPath, key("k")))
			a.post(t, returnPath, nil).want(t, 200, "")
			a.admin(t, http.MethodDelete, "/users/"+janeID, "", 204)
			a.post(t, borrowPath, key("k")).want(t, 401, "unknown_user")
		})
	}
}

func TestACallerWhoChangesSomethingIsLoadedByTheTransactionAlone(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			a := newAcquainted(t, database, "")
			book := `{"title":"New","identifier":"` + unknownID + `"}`
			for _, r := range []struct {
				request
				status int
				code   string
			}{
				{request{as: bruceWayne, method: "POST", path: borrowPath, header: key("k")}, 200, ""},
				{request{as: bruceWayne, method: "POST", path: borrowPath, header: key("k")}, 200, ""}, // from what is saved
				{request{as: bruceWayne, method: "POST", path: returnPath}, 200, ""},
				{request{as: bruceWayne, method: "POST", path: "/books/" + unknownID + "/borrow"}, 404, "book_not_found"},
				{request{as: peterParker, method: "POST", path: "/books", body: book}, 201, ""},
				{request{as: peterParker, method: "PUT", path: "/books/" + unknownID, body: book}, 200, ""},
				{request{as: peterParker, method: "POST", path: "/books/" + unknownID + "/copies", body: `{}`}, 201, ""},
				{request{as: peterParker, method: "DELETE", path: "/books/" + unknownID}, 204, ""},
				{request{as: clarkKent, method: "POST", path: "/users", body: record(janeID, jane, "Austen", "")}, 201, ""},
				{request{as: clarkKent, method: "DELETE", path: "/users/" + janeID}, 204, ""},
				{request{as: clarkKent, method: "PUT", path: "/me", body: `{"locale":"de"}`}, 200, ""},
			} {
				a.here.send(t, r.request).want(t, r.status, r.code)
				if n := a.asked.lookUps.Swap(0); n != 0 {
					t.Errorf("%s %s: the caller was looked up %d times", r.method, r.path, n)
				}
			}
			for _, e := range a.here.requests.wait(t, 11) {
				if e.User == "" || e.Route == "" {
					t.Errorf("it is reported as a request of %q to %q", e.User, e.Route)
				}
			}
		})
	}
}

// TestNobodyIsRefusedAfterALargeBody sends no more than the headers, and the body only
// where somebody waits for it.
func TestNobodyIsRefusedAfterALargeBody(t *testing.T) {
	t.Parallel()
	a := newAcquainted(t, "sqlite", auth.ModeLocal)
	a.admin(t, http.MethodPost, "/users", record(janeID, jane, "Austen", `"LIBRARY_USER"`), 201)
	for _, c := range []struct{ email, more, begin string }{
		{"nobody@example.com", "Content-Length: 900000\r\n", "HTTP/1.1 401"},
		{"nobody@example.com", "Content-Length: 2000000\r\n", "HTTP/1.1 401"},
		{"nobody@example.com", "Content-Length: 100\r\nExpect: 100-continue\r\n", "HTTP/1.1 401"},
		{"nobody@example.com", "Content-Length: 900000\r\nIdempotency-Key: k\r\n", "HTTP/1.1 401"},
		{jane, "Content-Length: 900000\r\n", "HTTP/1.1 403"},
		{jane, "Content-Length: 2000000\r\n", "HTTP/1.1 403"},
		{jane, "Content-Length: 100\r\nExpect: 100-continue\r\n", "HTTP/1.1 403"},
		{peterParker, "Content-Length: 2000000\r\n", "HTTP/1.1 413"},
		{peterParker, "Content-Length: 100\r\nExpect: 100-continue\r\n", "HTTP/1.1 100"},
	} {
		conn, err := net.Dial("tcp", a.here.server.Listener.Addr().String())
		testkit.NoError(t, err)
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(testkit.Timeout(t)))
		fmt.Fprintf(conn, "POST %s/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%s\r\n",
			a.here.base, a.here.idp.Token(t, c.email, "email profile"), c.more)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, c.begin) {
			t.Errorf("%s with %q: got %q, error %v, want %s", c.email, c.more, line, err, c.begin)
		}
	}
}

// TestARefusalBeforeTheTransactionComesAfterThatOfTheCaller is about requests that
// are wrong in two ways, with bodies that are small enough to be read first.
func TestARefusalBeforeTheTransactionComesAfterThatOfTheCaller(t *testing.T) {
	t.Parallel()
	for _, mode := range []auth.Mode{"", auth.ModeLocal} {
		t.Run("roles "+string(mode), func(t *testing.T) {
			t.Parallel()
			a := newAcquainted(t, "sqlite", mode)
			a.admin(t, http.MethodPost, "/users", record(janeID, jane, "Austen", `"LIBRARY_USER"`), 201)
			send := func(email, scope, path, body string, header http.Header, status int, code string) {
				t.Helper()
				a.here.send(t, request{token: a.here.idp.Token(t, email, scope), method: "POST", path: path, body: body, header: header}).want(t, status, code)
			}
			for _, body := range []string{`{"title":""}`, `{`, `{"title":"T"}`} {
				send("nobody@example.com", "library_curator", "/books", body, nil, 401, "unknown_user")
				send("nobody@example.com", "library_user", "/books", body, nil, 401, "unknown_user")
				send("nobody@example.com", "library_curator", "/books", body, key("k"), 401, "unknown_user")
				send(jane, "library_user", "/books", body, nil, 403, "role_missing")
				send(jane, "library_user", "/books", body, key("k"), 403, "role_missing")
			}
			send("nobody@example.com", "library_curator", "/books", `{}`, key(""), 401, "unknown_user")
			send("nobody@example.com", "library_user", "/books/x/borrow", "", nil, 401, "unknown_user")
			send(jane, "library_user", "/books/x/borrow", "", nil, 400, "bad_identifier")
			send("nobody@example.com", "library_curator", "/loans", `{"user":"`+wayneID+`","barcode":"nothing"}`, nil, 401, "unknown_user")
			send(jane, "library_user", "/loans", `{"user":"`+wayneID+`","barcode":"nothing"}`, nil, 403, "role_missing")
		})
	}
}

func TestABodyThatIsTooLargeIsRefusedForEveryCaller(t *testing.T) {
	t.Parallel()
	a := newAcquainted(t, "postgres", "")
	a.meet(t)
	a.admin(t, http.MethodPut, "/users/"+janeID, record(janeID, jane, "Doe", `"LIBRARY_USER"`), 200)
	body := io.LimitReader(strings.NewReader(strings.Repeat(" ", 3<<19)), 3<<19) // of no length that is known
	req, err := http.NewRequest(http.MethodPost, a.here.server.URL+a.here.base+borrowPath, body)
	testkit.NoError(t, err)
	req.Header = key("k")
	req.Header.Set("Authorization", "Bearer "+a.here.idp.Token(t, jane, "library_user email profile"))
	a.here.do(t, req).want(t, 413, "body_too_large")
}
