package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
)

const (
	clientOrigin  = "http://localhost:4200"
	foreignOrigin = "http://evil.example"
)

// corsHeaders returns the headers of an answer about other origins.
func corsHeaders(a reply) map[string]string {
	out := map[string]string{}
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") {
			out[name] = a.header.Get(name)
		}
	}
	return out
}

func preflight(origin, method string, more ...string) http.Header {
	h := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {method}}
	if len(more) > 0 {
		h["Access-Control-Request-Headers"] = more
	}
	return h
}

func TestPreflightsOfTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, origin := range []string{clientOrigin, "https://localhost:4200"} {
		for _, path := range []string{"/books", bookPath, "/users", "/nowhere", ""} {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
				a := w.send(t, request{method: http.MethodOptions, path: path, header: preflight(origin, method, "authorization, x-anything,content-type")})
				if a.status != 200 || len(a.body) > 0 {
					t.Errorf("%s %s %s: status %d, body %q", origin, method, path, a.status, a.body)
				}
				want := map[string]string{
					"Access-Control-Allow-Origin":      origin,
					"Access-Control-Allow-Credentials": "true",
					"Access-Control-Allow-Methods":     "GET, POST, PUT, DELETE",
					"Access-Control-Allow-Headers":     "authorization, x-anything,content-type",
					"Access-Control-Max-Age":           "600",
				}
				if diff := cmp.Diff(want, corsHeaders(a)); diff != "" {
					t.Errorf("%s %s %s (-want +got)\n%s", origin, method, path, diff)
				}
				for _, name := range []string{"Origin", "Access-Control-Request-Method", "Access-Control-Request-Headers"} {
					if !strings.Contains(a.header.Get("Vary"), name) {
						t.Errorf("Vary %q does not name %s", a.header.Get("Vary"), name)
					}
				}
			}
		}
	}
	plain := w.send(t, request{method: http.MethodOptions, path: "/books", header: preflight(clientOrigin, "GET")}).want(t, 200, "")
	if got := plain.header.Values("Access-Control-Allow-Headers"); got != nil {
		t.Errorf("headers %q are allowed that nobody asked for", got)
	}
}

func TestPreflightsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		rule   string
		header http.Header
		code   string
	}{
		{"another host", preflight(foreignOrigin, "GET"), "foreign_origin"},
		{"another port", preflight("http://localhost:4201", "GET"), "foreign_origin"},
		{"no port", preflight("http://localhost", "GET"), "foreign_origin"},
		{"another scheme", preflight("file://localhost:4200", "GET"), "foreign_origin"},
		{"a longer host", preflight("http://localhost:4200.evil.example", "GET"), "foreign_origin"},
		{"a slash after it", preflight("http://localhost:4200/", "GET"), "foreign_origin"},
		{"the null origin", preflight("null", "GET"), "foreign_origin"},
		{"the empty origin", preflight("", "GET"), "foreign_origin"},
		{"two origins", http.Header{"Origin": {clientOrigin, clientOrigin}, "Access-Control-Request-Method": {"GET"}}, "foreign_origin"},
		{"PATCH", preflight(clientOrigin, "PATCH"), "foreign_method"},
		{"a method in lower case", preflight(clientOrigin, "get"), "foreign_method"},
		{"no method", preflight(clientOrigin, ""), "foreign_method"},
	} {
		a := w.send(t, request{method: http.MethodOptions, path: "/books", header: c.header})
		if a.status != 403 || a.code() != c.code {
			t.Errorf("%s: %d %s, want 403 %s", c.rule, a.status, a.code(), c.code)
		}
		// The client may read why; nothing else is allowed to it.
		for name := range corsHeaders(a) {
			if c.code == "foreign_origin" || name != "Access-Control-Allow-Origin" && name != "Access-Control-Allow-Credentials" {
				t.Errorf("%s: %s", c.rule, name)
			}
		}
	}
}

func TestAnswersToTheClientCarryTheHeadersWhateverTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		ask    request
		status int
	}{
		{request{as: bruceWayne, path: "/books"}, 200},
		{request{as: bruceWayne, path: "/books?x=1"}, 400},
		{request{path: "/books"}, 401},
		{request{as: bruceWayne, path: "/users"}, 403},
		{request{as: bruceWayne, path: "/nowhere"}, 404},
		{request{as: bruceWayne, method: http.MethodDelete, path: "/me"}, 405},
		{request{as: bruceWayne, method: http.MethodPost, path: returnPath}, 409},
		{request{as: peterParker, method: http.MethodDelete, path: bookPath, header: field("If-Match", `"x-y"`)}, 412},
		{request{as: peterParker, method: http.MethodPost, path: "/books", body: "x", header: field("Content-Type", "text/plain")}, 415},
	} {
		if c.ask.header == nil {
			c.ask.header = http.Header{}
		}
		c.ask.header.Set("Origin", clientOrigin)
		a := w.send(t, c.ask)
		want := map[string]string{
			"Access-Control-Allow-Origin":      clientOrigin,
			"Access-Control-Allow-Credentials": "true",
			"Access-Control-Expose-Headers":    "Link, X-Total-Count, X-Total-Count-Exact, ETag, Location, X-Request-Id, WWW-Authenticate, Idempotency-Replayed",
		}
		if diff := cmp.Diff(want, corsHeaders(a)); a.status != c.status || diff != "" {
			t.Errorf("%s %s: status %d, want %d (-want +got)\n%s", c.ask.method, c.ask.path, a.status, c.status, diff)
		}
	}
}

func TestRequestsOfOtherOriginsReachNoHandler(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, origin := range []string{foreignOrigin, "null", "", "HTTP://LOCALHOST:4200"} {
		for _, ask := range []request{
			{as: bruceWayne, path: "/books"},
			{path: "/books"},
			{as: bruceWayne, method: http.MethodPost, path: borrowPath},
			{as: peterParker, method: http.MethodDelete, path: bookPath},
			{as: bruceWayne, method: http.MethodOptions, path: "/books"},
			{as: bruceWayne, path: "/nowhere"},
		} {
			ask.header = field("Origin", origin)
			a := w.send(t, ask).want(t, 403, "foreign_origin")
			if got := corsHeaders(a); len(got) > 0 {
				t.Errorf("origin %q: %v", origin, got)
			}
		}
	}
	if b := w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 200, "").book(t); b.Borrowed {
		t.Error("a foreign page has borrowed a book")
	}
}

func TestAnOPTIONSThatIsNoPreflightIsARequestLikeAnyOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(t, request{method: http.MethodOptions, path: "/books"}).want(t, 401, "missing_token")
	w.send(t, request{method: http.MethodOptions, path: "/books", header: field("Origin", clientOrigin)}).want(t, 401, "missing_token")
	w.send(t, request{method: http.MethodOptions, path: "/books", header: field("Access-Control-Request-Method", "GET")}).want(t, 401, "missing_token")
	w.send(t, request{as: bruceWayne, method: http.MethodOptions, path: "/books"}).want(t, 405, "method_not_allowed")
	w.send(t, request{path: "/books", header: preflight(clientOrigin, "GET")}).want(t, 401, "missing_token")
}

func TestSeveralClientOrigins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.origins = []string{"Library.example:443", "old.example:80", "localhost:4200"} })
	for origin, allowed := range map[string]bool{
		"https://library.example": true, "https://library.example:443": true, "http://library.example:443": true, "http://library.example": false,
		"http://old.example": true, "https://old.example:80": true, "https://old.example": false,
		clientOrigin: true, foreignOrigin: false,
	} {
		a := w.send(t, request{method: http.MethodOptions, path: "/books", header: preflight(origin, "GET")})
		if (a.status == 200) != allowed {
			t.Errorf("%s: status %d", origin, a.status)
		}
	}
}

func TestAForeignOriginIsNoneOfTheCachesBusiness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 2 { // the second answer comes from the cache of answers
		with := w.send(t, request{as: bruceWayne, path: "/books", header: field("Origin", clientOrigin)}).want(t, 200, "")
		without := w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
		if len(corsHeaders(with)) == 0 || len(corsHeaders(without)) != 0 {
			t.Errorf("with an origin %v, without %v", corsHeaders(with), corsHeaders(without))
		}
		if diff := cmp.Diff(decode[[]api.Book](t, with), decode[[]api.Book](t, without)); diff != "" {
			t.Errorf("books (-with +without)\n%s", diff)
		}
	}
}
