package httpapi_test

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// gate holds up what changes the library, so that a test can do something
// between the moment at which a caller is let in and the change.
type gate struct {
	library.Store
	mu      sync.Mutex
	arrived chan struct{} // nil while nobody is held up
	open    chan struct{}
}

func (g *gate) over(s library.Store) library.Store { g.Store = s; return g }

// close makes the next caller wait. It returns a channel that is closed when the
// caller arrives, and a function that lets the caller go on.
func (g *gate) close() (arrived <-chan struct{}, open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.arrived, g.open = make(chan struct{}), make(chan struct{})
	gone := g.open
	return g.arrived, func() { close(gone) }
}

func (g *gate) pass() {
	g.mu.Lock()
	arrived, open := g.arrived, g.open
	g.arrived = nil
	g.mu.Unlock()
	if arrived != nil {
		close(arrived)
		<-open
	}
}

func (g *gate) Tx(ctx context.Context, fn func(library.Tx) error) error {
	g.pass()
	return g.Store.Tx(ctx, fn)
}

// FindBooks is the way of a dry run, which has no transaction.
func (g *gate) FindBooks(ctx context.Context, keys library.BookKeys) ([]library.Book, error) {
	g.pass()
	return g.Store.FindBooks(ctx, keys)
}

// FindUsers is the same for people.
func (g *gate) FindUsers(ctx context.Context, keys library.UserKeys) (library.FoundUsers, error) {
	g.pass()
	return g.Store.FindUsers(ctx, keys)
}

// clock is a time that a test sets.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// standing is a world in which callers lose what they were let in by.
type standing struct {
	*world
	database string
	gate     gate
	clock    clock
	file     string            // of passwords, in basic mode
	lines    map[string]string // of the file
	count    int
}

var cheapHash = sync.OnceValues(func() ([]byte, error) {
	return bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
})

func newStanding(t *testing.T, database, mode string) *standing {
	t.Helper()
	s := &standing{database: database, lines: map[string]string{}}
	change := func(c *setup) {
		c.open, c.store = databases[database], s.gate.over
		c.covers = coverSource(t)
		c.auth.Now, c.auth.Authorities = s.clock.now, auth.Mode(mode)
		if mode == "subject" {
			c.auth.Authorities, c.auth.RequireSubject, c.signIn = auth.ModeScope, true, binding
		}
	}
	if mode != "basic" {
		s.world = newWorld(t, change)
		return s
	}
	s.file = filepath.Join(t.TempDir(), "htpasswd")
	s.password(t, clarkKent, true)
	basic, err := auth.NewBasic(auth.BasicConfig{Path: s.file, Now: s.clock.now, Logger: slog.New(slog.DiscardHandler)})
	testkit.NoError(t, err)
	s.world = newWorld(t, change, func(c *setup) { c.scheme = basic })
	return s
}

// password gives somebody a line in the password file, or takes it away. The
// clock is advanced to when the file is looked at again.
func (s *standing) password(t *testing.T, email string, has bool) {
	t.Helper()
	hash, err := cheapHash()
	testkit.NoError(t, err)
	delete(s.lines, email)
	if has {
		s.lines[email] = email + ":" + string(hash) + "\n"
	}
	var text string
	for line := range maps.Values(s.lines) {
		text += line
	}
	testkit.NoError(t, os.WriteFile(s.file, []byte(text), 0o600))
	s.clock.advance(5 * time.Second)
}

// newCaller adds a user with a role and returns the credentials.
func (s *standing) newCaller(t *testing.T, role library.Role) (library.User, string) {
	t.Helper()
	s.count++
	u := library.User{ID: library.NewID(), Created: time.Now(), Version: "v1", UserFields: library.UserFields{
		Email: fmt.Sprintf("caller%d@example.com", s.count), FirstName: "A", LastName: "Caller", Roles: []library.Role{role},
	}}
	s.tx(t, func(tx library.Tx) error { return tx.AddUser(t.Context(), u) })
	if s.file != "" {
		s.password(t, u.Email, true)
		return u, login(u.Email, "secret").Get("Authorization")
	}
	return u, "Bearer " + s.idp.Mint(t, testidp.Claims{
		"email": u.Email, "scope": role.Scope(), "exp": s.clock.now().Add(time.Minute).Unix(),
		"sub": u.ID, "email_verified": false, // which ties no record
	})
}

// tx changes the library past the gate.
func (s *standing) tx(t *testing.T, fn func(library.Tx) error) {
	t.Helper()
	testkit.NoError(t, s.store.Tx(allowTime(t.Context()), fn))
}

func (s *standing) revision(t *testing.T) library.Revision {
	t.Helper()
	_, at, err := s.store.UserByEmail(t.Context(), clarkKent)
	testkit.NoError(t, err)
	return at
}

// loss is a way to lose one's standing.
type loss struct {
	name   string
	happen func(*testing.T, *standing, library.User)
	status int
	code   string
	header string // WWW-Authenticate begins with it
}

const invalidToken = `Bearer error="invalid_token", error_description="`

func removed(t *testing.T, s *standing, u library.User) {
	s.tx(t, func(tx library.Tx) error { return tx.DeleteUser(t.Context(), u.ID) })
}

func renamed(t *testing.T, s *standing, u library.User) {
	u.Email = "no-longer-" + u.Email
	s.tx(t, func(tx library.Tx) error { return tx.UpdateUser(t.Context(), u) })
}

func switchedOff(t *testing.T, s *standing, u library.User) {
	u.Inactive = true
	s.tx(t, func(tx library.Tx) error { return tx.UpdateUser(t.Context(), u) })
}

func demoted(t *testing.T, s *standing, u library.User) {
	u.Roles = nil
	s.tx(t, func(tx library.Tx) error { return tx.UpdateUser(t.Context(), u) })
}

// tied lets the owner of the address come, who is not the caller.
func tied(t *testing.T, s *standing, u library.User) {
	owner := s.idp.Mint(t, testidp.Claims{"email": u.Email, "scope": "library_user", "sub": "owner of " + u.ID, "exp": s.clock.now().Add(time.Minute).Unix()})
	s.send(t, request{token: owner, path: "/me"}).want(t, 200, "")
}

func expired(_ *testing.T, s *standing, _ library.User) { s.clock.advance(time.Hour) }

func locked(t *testing.T, s *standing, u library.User) { s.password(t, u.Email, false) }

// losses are the ways in each mode.
var losses = map[string][]loss{
	"scope": {
		{"removed", removed, 401, "unknown_user", invalidToken + "No user found for the email claim"},
		{"switched off", switchedOff, 401, "unknown_user", invalidToken + "No user found for the email claim"},
		{"given another address", renamed, 401, "unknown_user", invalidToken + "No user found for the email claim"},
		{"expired", expired, 401, "expired", invalidToken + "Jwt expired at "},
	},
	"subject": {
		{"tied to somebody else", tied, 401, "unknown_user", invalidToken + "No user found for the email claim"},
	},
	"local": {
		{"demoted", demoted, 403, "role_missing", `Bearer error="insufficient_scope"`},
	},
	"basic": {
		{"removed", removed, 401, "unauthorized", `Basic realm="library"`},
		{"switched off", switchedOff, 401, "unauthorized", `Basic realm="library"`},
		{"demoted", demoted, 403, "role_missing", ""},
		{"without a password", locked, 401, "unauthorized", `Basic realm="library"`},
	},
}

// withEachStanding runs a test on each database in each mode of authentication.
func withEachStanding(t *testing.T, test func(t *testing.T, s *standing, losses []loss)) {
	for database := range databases {
		for mode, losses := range losses {
			t.Run(database+" "+mode, func(t *testing.T) {
				t.Parallel()
				test(t, newStanding(t, database, mode), losses)
			})
		}
	}
}

func TestACallerWhoLosesTheirStandingBeforeTheChangeIsRefused(t *testing.T) {
	t.Parallel()
	withEachStanding(t, func(t *testing.T, s *standing, losses []loss) {
		for _, route := range httpapi.Routes() {
			if route.Method == http.MethodGet || changesNothing(route) || isOfStations(route) {
				continue
			}
			requests := writes[route.Method+" "+route.Pattern]
			if requests == nil {
				t.Errorf("no request for %s %s", route.Method, route.Pattern)
			}
			for _, r := range requests {
				for _, l := range losses {
					s.play(t, route, r.query, r.body, l)
				}
			}
		}
	})
}

// play sends one request in two ways: with a body that is late, if it has one,
// and with a change that has to wait.
func (s *standing) play(t *testing.T, route httpapi.RouteInfo, query, body string, l loss) {
	ways := map[string]func(*testing.T, string, string, string, string, func()) reply{"a change that waits": s.waitingChange}
	if body != "" && s.database == "sqlite" { // which no database sees
		ways["a late body"] = s.lateBody
	}
	if cannotHappen(route, l) {
		return
	}
	role := cmp.Or(route.Permission.Role(), library.RoleUser)
	if route.Pattern == "/loans" && strings.Contains(body, "user") { // at the desk
		role = library.RoleCurator
	}
	for way, send := range ways {
		t.Run(strings.Join([]string{route.Method, route.Pattern + query, l.name, way}, " "), func(t *testing.T) {
			u, credentials := s.newCaller(t, role)
			id := s.prepare(t, route, u)
			path, body := strings.Replace(route.Pattern, "{id}", id, 1), strings.Replace(body, "{id}", id, 1)
			var before library.Revision
			a := send(t, route.Method, basePath+path+query, credentials, body, func() {
				l.happen(t, s, u)
				before = s.revision(t)
			}).want(t, l.status, l.code)
			if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, l.header) || (got == "") != (l.header == "") {
				t.Errorf("WWW-Authenticate %q, want %q", got, l.header)
			}
			if before.Name == "" || s.revision(t) != before {
				t.Error("the library was changed")
			}
		})
	}
}

// lateBody sends the headers, waits until the body is asked for, lets something
// happen and sends the body.
func (s *standing) lateBody(t *testing.T, method, uri, credentials, body string, happen func()) reply {
	t.Helper()
	conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
	testkit.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(testkit.Timeout(t)))
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: library.test\r\nConnection: close\r\nAuthorization: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", method, uri, credentials, contentType(body), len(body))
	in := bufio.NewReader(conn)
	req := &http.Request{Method: method, Header: http.Header{"Authorization": {credentials}, "Content-Type": {contentType(body)}}}
	if resp, err := http.ReadResponse(in, req); err != nil || resp.StatusCode != http.StatusContinue {
		t.Fatalf("the body is not asked for: %v %v", resp, err)
	}
	happen()
	testkit.NoError(t, testkit.Err(io.WriteString(conn, body)))
	resp, err := http.ReadResponse(in, req)
	testkit.NoError(t, err)
	return s.receive(t, req, uri, resp)
}

// waitingChange sends a request, waits until it is about to change something,
// lets something happen and lets it go on.
func (s *standing) waitingChange(t *testing.T, method, uri, credentials, body string, happen func()) reply {
	t.Helper()
	arrived, open := s.gate.close()
	done := make(chan reply, 1)
	go func() {
		_, path, _ := strings.Cut(uri, basePath)
		done <- s.send(t, request{method: method, path: path, body: body, header: field("Authorization", credentials)})
	}()
	select {
	case <-arrived:
	case <-time.After(testkit.Timeout(t)):
		t.Error("nothing is about to change")
	}
	happen()
	open()
	return <-done
}
