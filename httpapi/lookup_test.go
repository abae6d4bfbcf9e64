package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
)

// catalogue is a server with the answers of Open Library that knows one book.
func catalogue(t *testing.T, title string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case title == "broken":
			w.WriteHeader(http.StatusInternalServerError)
		case r.URL.Query().Get("bibkeys") == "ISBN:9780306406157":
			fmt.Fprintf(w, `{"ISBN:9780306406157":{"title":%q,"authors":[{"name":"Somebody"}],"number_of_pages":3}}`, title)
		default:
			w.Write([]byte(`{}`))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestABookIsLookedUp(t *testing.T) {
	t.Parallel()
	first, second, broken := catalogue(t, "First"), catalogue(t, "Second"), catalogue(t, "broken")
	all := func(s *setup) {
		s.lookup = "openlibrary+" + second + ",openlibrary+" + broken + ",openlibrary+" + first
	}
	good := func(s *setup) { s.lookup = "openlibrary+" + first }
	known := func(host, title string) api.Lookup {
		return api.Lookup{Source: strings.TrimPrefix(host, "http://"), Book: api.BookFields{ISBN: "9780306406157", Title: title, Authors: []string{"Somebody"}}}
	}
	w := newWorld(t, all)
	for _, spelling := range []string{"9780306406157", "978-0-306-40615-7", "0306406152", "0-306-40615-2", "978%200306406157"} {
		a := w.send(t, request{as: peterParker, path: "/lookups/" + spelling}).want(t, 200, "")
		if diff := cmp.Diff([]api.Lookup{known(second, "Second"), known(first, "First")}, decode[[]api.Lookup](t, a)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", spelling, diff)
		}
	}
	w.send(t, request{as: peterParker, path: "/lookups/9780132350884"}).want(t, 503, "source_failed")
	w.send(t, request{as: peterParker, path: "/lookups/9780132350885"}).want(t, 400, "bad_isbn")
	w.send(t, request{as: peterParker, path: "/lookups/clean%20code"}).want(t, 400, "bad_isbn")
	w.send(t, request{as: peterParker, path: "/lookups/9780306406157?source=x"}).want(t, 400, "bad_query")
	w.send(t, request{as: bruceWayne, path: "/lookups/9780306406157"}).want(t, 403, "role_missing")
	w.send(t, request{path: "/lookups/9780306406157"}).want(t, 401, "missing_token")
	if me := w.send(t, request{as: bruceWayne, path: "/me"}); !strings.Contains(string(me.body), `"lookup":true`) {
		t.Errorf("%s", me.body)
	}
	newWorld(t, good).send(t, request{as: peterParker, path: "/lookups/9780132350884"}).want(t, 404, "unknown_isbn")
	off := newWorld(t)
	off.send(t, request{as: peterParker, path: "/lookups/9780132350884"}).want(t, 404, "lookup_off")
	if me := off.send(t, request{as: bruceWayne, path: "/me"}); !strings.Contains(string(me.body), `"lookup":false`) || !strings.Contains(string(me.body), `"coverSource":false`) {
		t.Errorf("%s", me.body)
	}
}
