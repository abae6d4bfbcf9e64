package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	padded := func(size int) string {
		const book = `{"title":"T"}`
		return book + strings.Repeat(" ", size-len(book))
	}
	json := field("Content-Type", "application/json")
	for _, c := range []struct {
		rule   string
		body   string
		header http.Header
		status int
		code   string
		fields []string
	}{
		{"JSON", `{"title":"T"}`, json, 201, "", nil},
		{"white space around it", " \r\n\t{\"title\":\"T\"}\n", json, 201, "", nil},
		{"a charset that is UTF-8", `{"title":"T"}`, field("Content-Type", "application/json; charset=UTF-8"), 201, "", nil},
		{"the type in another case", `{"title":"T"}`, field("Content-Type", "Application/JSON"), 201, "", nil},
		{"a kind of JSON", `{"title":"T"}`, field("Content-Type", "application/vnd.book+json"), 201, "", nil},
		{"exactly 1 MiB", padded(1 << 20), json, 201, "", nil},
		{"escapes", `{"\u0074itle":"\ud834\udd1e"}`, json, 201, "", nil},

		// internal/strictjson has a test for each way of being malformed.
		{"not JSON", `title=T`, json, 400, "malformed_body", nil},
		{"trailing data", `{"title":"T"} {}`, json, 400, "malformed_body", nil},
		{"an array", `[{"title":"T"}]`, json, 400, "malformed_body", nil},
		{"deeply nested", `{"title":"T","x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, json, 400, "malformed_body", nil},
		{"a duplicate member", `{"title":"T","title":"U"}`, json, 400, "malformed_body", []string{"title"}},
		{"a duplicate of an unknown member", `{"title":"T","x":1,"x":2}`, json, 400, "malformed_body", []string{"x"}},

		{"wrong types, all of them named", `{"identifier":1,"title":2,"isbn":[],"description":{},"authors":"A"}`, json, 400, "invalid",
			[]string{"identifier", "title", "isbn", "description", "authors"}},
		{"wrong types and broken rules together", `{"identifier":"x","title":5,"isbn":"` + strings.Repeat("1", 30) + `","description":"\u0001"}`, json, 400, "invalid",
			[]string{"identifier", "title", "isbn", "description"}},
		{"an array with something else in it", `{"title":"T","authors":["A",1]}`, json, 400, "invalid", []string{"authors"}},
		{"an array with null in it", `{"title":"T","authors":["A",null]}`, json, 400, "invalid", []string{"authors"}},
		{"a boolean for a title", `{"title":true}`, json, 400, "invalid", []string{"title"}},
		{"null for a title", `{"title":null}`, json, 400, "invalid", []string{"title"}},
		{"names in another case are others", `{"TITLE":"T"}`, json, 400, "invalid", []string{"title"}},

		{"no content type", `{"title":"T"}`, http.Header{"Content-Type": {}}, 415, "not_json", nil},
		{"an empty content type", `{"title":"T"}`, field("Content-Type", ""), 415, "not_json", nil},
		{"a form", `title=T`, field("Content-Type", "application/x-www-form-urlencoded"), 415, "not_json", nil},
		{"text", `{"title":"T"}`, field("Content-Type", "text/plain"), 415, "not_json", nil},
		{"a type that only begins like it", `{"title":"T"}`, field("Content-Type", "application/jsonp"), 415, "not_json", nil},
		{"another charset", `{"title":"T"}`, field("Content-Type", "application/json; charset=latin1"), 415, "not_json", nil},
		{"nonsense for a type", `{"title":"T"}`, field("Content-Type", ";;;"), 415, "not_json", nil},
		{"two types", `{"title":"T"}`, http.Header{"Content-Type": {"application/json", "text/plain"}}, 415, "not_json", nil},
		{"compressed", `{"title":"T"}`, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, 415, "not_json", nil},

		{"more than 1 MiB", padded(1<<20 + 1), json, 413, "body_too_large", nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			a := w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: c.body, header: c.header}).want(t, c.status, c.code)
			if diff := cmp.Diff(c.fields, a.fields()); diff != "" {
				t.Errorf("wrong fields (-want +got)\n%s", diff)
			}
		})
	}
}

// unsized hides the length of a body, so that it is sent in chunks.
type unsized struct{ io.Reader }

func TestALargeBodyOfUnknownLengthIs413(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := unsized{strings.NewReader(`{"title":"T","x":"` + strings.Repeat("x", 2<<20) + `"}`)}
	req, err := http.NewRequest(http.MethodPost, w.server.URL+w.base+"/books", body)
	testkit.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+w.token(t, peterParker))
	w.do(t, req).want(t, 413, "body_too_large")
}

func TestABodyThatEndsTooSoonIs400(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	// zz is no length of a chunk.
	text := fmt.Sprintf("POST %s/books HTTP/1.1\nAuthorization: Bearer %s\nContent-Type: application/json\nTransfer-Encoding: chunked\n\nzz\r\n{\"title\":\"T\"}\r\n",
		w.base, w.token(t, peterParker))
	w.raw(t, text).want(t, 400, "incomplete_body")
}

func TestTheRoleIsJudgedBeforeTheBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, ask := range []request{
		{as: bruceWayne, method: http.MethodPost, path: "/books", body: "not JSON"},
		{as: bruceWayne, method: http.MethodPost, path: "/books", body: "x", header: field("Content-Type", "text/plain")},
		{as: bruceWayne, method: http.MethodPost, path: "/users", body: strings.Repeat("x", 1<<20+1)},
	} {
		w.send(t, ask).want(t, 403, "role_missing")
	}
	w.send(t, request{method: http.MethodPost, path: "/books", body: "not JSON"}).want(t, 401, "missing_token")
}

func TestTheBodyIsJudgedBeforeTheRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/books/" + unknownID, bookPath} {
		w.send(t, request{as: peterParker, method: http.MethodPut, path: path, body: "{"}).want(t, 400, "malformed_body")
		w.send(t, request{as: peterParker, method: http.MethodPut, path: path}).want(t, 415, "not_json")
	}
}
