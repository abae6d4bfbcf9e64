package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
	"example.org/library/stocktake"
)

func TestPathsThatCouldBeReadInTwoWaysAre400(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := "\nAuthorization: Bearer " + w.token(t, bruceWayne)
	for _, path := range []string{
		"//", "//library-server/books", "/library-server//books", "/library-server/books//",
		"/library-server/../library-server/books", "/library-server/..", "/library-server/books/..", "/..",
		"/library-server/./books", "/library-server/.", "/library-server/books/..;/users",
		"/library-server/%2e%2e/users", "/library-server/%2E/books", "/library-server/.%2e/users",
		"/library-server%2fbooks", "/library-server%2Fbooks", "/library-server/books%2F" + cleanCode,
		"/library-server/books%5c" + cleanCode, "/library-server/books\\" + cleanCode,
		"/library-server/codes%5cB1", "/library-server/codes/a\\b", "/library-server/codes/a%5c..", "/library-server/codes/a%5c%2e%2e", "/library-server/codes/a%5cb/c",
		"/library-server/books%00", "/library-server/books/%00", "/library-server/books%0a", "/library-server/books%0D%0AX:y",
		"/library-server/books;jsessionid=1", "/library-server;x/books", "/library-server/books%3bx",
		"/library-server/books/%252e%252e/users", "/library-server/books%25", "/library-server/books%7f",
		"/library-server/b\u00f6oks", "/library-server/books\x80",
	} {
		for _, head := range []string{"", token} {
			a := w.raw(t, "GET "+path+" HTTP/1.1"+head)
			if a.status != 400 || a.code() != "bad_path" || a.header.Get("Location") != "" {
				t.Errorf("%q: %d %s, Location %q", path, a.status, a.code(), a.header.Get("Location"))
			}
		}
	}
}

func TestUnusualPathsWithOneReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := "\nAuthorization: Bearer " + w.token(t, bruceWayne)
	for _, c := range []struct {
		line   string
		status int
		code   string
	}{
		{"GET /library-server/books HTTP/1.1", 200, ""},
		{"GET /library-server/books? HTTP/1.1", 200, ""},
		{"GET /library-server/%62ooks HTTP/1.1", 200, ""},
		{"GET http://library.test/library-server/books HTTP/1.1", 200, ""},
		{"GET http://library.test/library-server/books?limit=1 HTTP/1.1", 200, ""},
		{"GET http://library.test/library-server//books HTTP/1.1", 400, "bad_path"},
		{"GET http://library.test/library-server/%2e%2e/books HTTP/1.1", 400, "bad_path"},
		{"GET http://library.test/nowhere HTTP/1.1", 404, "no_such_path"},
		{"OPTIONS * HTTP/1.1", 400, "bad_path"},
		{"GET /library-server/books?x=//..;%2f%00 HTTP/1.1", 400, "bad_query"},
		{"GET /library-server/Books HTTP/1.1", 404, "no_such_path"},
		{"GET /library-server/books/ HTTP/1.1", 404, "no_such_path"},
		{"GET /library-server/books/%20 HTTP/1.1", 400, "bad_identifier"},
		{"GET /library-server HTTP/1.1", 404, "no_such_path"},
		{"GET /library-server/ HTTP/1.1", 404, "no_such_path"},
		{"GET /library-serverbooks HTTP/1.1", 404, "no_such_path"},
		{"GET /books HTTP/1.1", 404, "no_such_path"},
		{"GET / HTTP/1.1", 404, "no_such_path"},
		{"GET /library-server/books/a/b/c HTTP/1.1", 404, "no_such_path"},
		{"GET /library-server/metrics HTTP/1.1", 404, "no_such_path"},
	} {
		a := w.raw(t, c.line+token)
		if a.status != c.status || a.code() != c.code {
			t.Errorf("%s: %d %q, want %d %q", c.line, a.status, a.code(), c.status, c.code)
		}
	}
	w.raw(t, "OPTIONS * HTTP/1.1").want(t, 400, "bad_path")
}

func TestThePathOfAnErrorIsAsItWasReceived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for line, path := range map[string]string{
		"GET /library-server/%62ooks?x=1 HTTP/1.1":                  "/library-server/%62ooks",
		"GET /library-server/%C3%A9t%c3%a9 HTTP/1.1":                "/library-server/%C3%A9t%c3%a9",
		"GET /library-server/a%2Fb HTTP/1.1":                        "/library-server/a%2Fb",
		"GET http://library.test/library-server/%62ooks?x HTTP/1.1": "/library-server/%62ooks",
		"GET /library-server/<script> HTTP/1.1":                     "/library-server/<script>",
	} {
		if got := w.raw(t, line).error().Path; got != path {
			t.Errorf("%s: path %q, want %q", line, got, path)
		}
	}
}

func TestWithAnotherBasePath(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "/a/b"} {
		w := newWorld(t, func(s *setup) { s.base = base })
		w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
		a := w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":"T"}`}).want(t, 201, "")
		if want := base + "/books/" + a.book(t).Identifier; a.header.Get("Location") != want {
			t.Errorf("Location %q, want %q", a.header.Get("Location"), want)
		}
		page := w.send(t, request{as: bruceWayne, path: "/books?limit=1"})
		if link := page.header.Get("Link"); !strings.HasPrefix(link, "<"+base+"/books?") {
			t.Errorf("Link %q does not begin with the base path %q", link, base)
		}
	}
}

func TestAKnownPathWithAnotherMethodIs405(t *testing.T) {
	t.Parallel()
	allow := map[string]string{}
	for _, r := range httpapi.Routes() {
		method := r.Method
		if method == http.MethodGet {
			method = "GET, HEAD"
		}
		allow[r.Pattern] = strings.TrimPrefix(allow[r.Pattern]+", "+method, ", ")
	}
	w := newWorld(t)
	for pattern, methods := range allow {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"} {
			if strings.Contains(methods, method) {
				continue
			}
			// The role does not matter: a reader learns the same as an admin.
			a := w.send(t, request{as: bruceWayne, method: method, path: fill(pattern, cleanCode)})
			if a.status != 405 || a.header.Get("Allow") != methods {
				t.Errorf("%s %s: status %d, Allow %q, want 405, %q", method, pattern, a.status, a.header.Get("Allow"), methods)
			}
		}
	}
}

// fill puts a value in the place of a pattern's parameter.
func fill(pattern, value string) string {
	return strings.NewReplacer("{id}", value, "{code}", value, "{isbn}", value).Replace(pattern)
}

// lendingRecords makes a loan, a hold and a copy, and returns their identifiers.
func (w *world) lendingRecords(t *testing.T) (loan, hold, inStock string) {
	t.Helper()
	b, err := w.service.Borrow(t.Context(), w.actor(t, bruceWayne), designPatterns)
	testkit.NoError(t, err)
	h, err := w.service.PlaceHold(t.Context(), w.actor(t, bruceBanner), designPatterns, "")
	testkit.NoError(t, err)
	return b.Loan.ID, h.ID, b.Loan.CopyID
}

func TestHEADWorksWhereverGETDoes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	everything := w.idp.Token(t, clarkKent, "library_user library_curator library_admin")
	loan, hold, inStock := w.lendingRecords(t)
	w.send(t, putCover(peterParker, onePixel)).want(t, 204, "")
	taken, err := w.stocktakes.Start(t.Context(), w.actor(t, peterParker), stocktake.Fields{Name: "All"})
	testkit.NoError(t, err)
	ids := map[string]string{"/stocktakes": taken.ID, "/users": kentID, "/readers": kentID, "/loans": loan, "/holds": hold, "/copies": inStock, "/codes": "978-0-13-235088-4", "/lookups": "978-0-13-235088-4"}
	for _, r := range httpapi.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		id := cleanCode
		for folder, other := range ids {
			if strings.HasPrefix(r.Pattern, folder) {
				id = other
			}
		}
		ask := request{token: everything, path: fill(r.Pattern, id)}
		if r.Pattern == "/notices/preview" {
			ask.path += "?kind=overdue"
		}
		if r.Pattern == "/suggestions" {
			ask.path += "?q=clean"
		}
		if r.Pattern == "/stocktakes/{id}/copies" {
			ask.path += "?outcome=remaining"
		}
		if r.Pattern == "/policy/effective" {
			ask.path += "?book=" + cleanCode
		}
		want, code := 200, ""
		if r.Pattern == "/lookups/{isbn}" {
			want, code = 404, "lookup_off"
		}
		get := w.send(t, ask).want(t, want, code)
		ask.method = http.MethodHead
		head := w.send(t, ask)
		if head.status != want || len(head.body) > 0 {
			t.Errorf("HEAD %s: status %d, %d bytes", r.Pattern, head.status, len(head.body))
		}
		for _, name := range []string{"Etag", "Content-Type", "Content-Length", "X-Total-Count", "Cache-Control"} {
			if get.header.Get(name) != head.header.Get(name) {
				t.Errorf("%s: %s is %q with GET and %q with HEAD", r.Pattern, name, get.header.Get(name), head.header.Get(name))
			}
		}
	}
	for path, status := range map[string]int{"/books/" + unknownID: 404, "/nowhere": 404, "/books/1": 400, "/books?x=1": 400} {
		if a := w.send(t, request{as: clarkKent, method: http.MethodHead, path: path}); a.status != status || len(a.body) > 0 {
			t.Errorf("HEAD %s: status %d, %d bytes", path, a.status, len(a.body))
		}
	}
}

func TestHeadersOverTLS(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.tls = true }) // the contract check looks for the header
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	w.send(t, request{path: "/books"}).want(t, 401, "missing_token")
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, given := range []string{"abc-DEF_123", "x", strings.Repeat("x", 64)} {
		a := w.send(t, request{path: "/books", header: field("X-Request-Id", given)})
		if got := a.header.Get("X-Request-Id"); got != given {
			t.Errorf("X-Request-Id %q became %q", given, got)
		}
	}
	seen := map[string]bool{}
	for _, given := range []http.Header{
		nil, field("X-Request-Id", ""), field("X-Request-Id", strings.Repeat("x", 65)), field("X-Request-Id", "a b"),
		field("X-Request-Id", "<script>"), field("X-Request-Id", "é"), {"X-Request-Id": {"a", "b"}},
	} {
		a := w.send(t, request{path: "/books", header: given})
		got := a.header.Get("X-Request-Id")
		if len(got) != 16 || seen[got] {
			t.Errorf("%q: X-Request-Id %q, want a new one", given, got)
		}
		seen[got] = true
	}
}
