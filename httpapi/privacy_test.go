package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library/httpapi"
)

// TestAReaderNeverLearnsOfAnother asks everything that a reader can ask, in a
// library in which another one borrows, borrowed, waits and has a copy set aside.
func TestAReaderNeverLearnsOfAnother(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStory(t, database)
			for _, st := range []step{
				{as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"card":"CARD-1"}`, status: 200},
				{as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
				{as: bruceWayne, ask: "POST /books/{clean}/return", status: 200},
				{as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
				{as: peterParker, ask: "GET /loans/{loan}", status: 200, keep: "copy:copy.identifier"},
				{as: peterParker, ask: "PUT /copies/{copy}", body: `{"barcode":"LIB-1"}`, status: 200},
				{as: bruceBanner, ask: "POST /books/{patterns}/borrow", status: 200, keep: "own:loan.identifier"},
				{as: bruceWayne, ask: "POST /books/{patterns}/holds", status: 201, keep: "hold"},
				{as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, status: 201, keep: "emma"},
				{as: bruceBanner, ask: "POST /books/{emma}/borrow", status: 200},
				{as: bruceWayne, ask: "POST /books/{emma}/holds", status: 201, keep: "ready"},
				{as: bruceBanner, ask: "POST /books/{emma}/return", status: 200},
			} {
				s.make(t, st)
			}
			var asked int
			for _, r := range httpapi.Routes() {
				if r.Pattern == "/events" || r.Pattern == "/openapi.yaml" {
					continue // the one has tests of its own, the other has examples
				}
				for _, path := range pathsOf(r) {
					a := s.send(t, request{as: bruceBanner, method: r.Method, path: s.fill(t, path), body: bodyFor(r.Method)})
					asked++
					for _, secret := range []string{wayneID, "Wayne", "wayne@", "CARD-1"} {
						if strings.Contains(withoutPath(a), secret) {
							t.Errorf("%s %s: %s", r.Method, path, a.body)
						}
					}
				}
			}
			if asked < 200 {
				t.Errorf("only %d requests", asked)
			}
			s.make(t, step{as: bruceWayne, ask: "GET /loans/{loan}", status: 200, want: facts{"renewals": 0, "returnedAt": absent}})
			s.make(t, step{as: bruceWayne, ask: "GET /holds/{hold}", status: 200, want: facts{"endedAt": absent}})
			s.make(t, step{as: bruceWayne, ask: "GET /holds/{ready}", status: 200, want: facts{"state": "ready"}})
		})
	}
}

// pathsOf are the paths of a route, with each thing that there is and with each
// question.
func pathsOf(r httpapi.RouteInfo) (paths []string) {
	if strings.Contains(r.Pattern, "{") {
		for _, id := range []string{"{clean}", "{patterns}", "{emma}", "{loan}", "{own}", "{hold}", "{ready}", "{copy}", "{wayne}", "LIB-1", "CARD-1", "9780132350884"} {
			paths = append(paths, fill(r.Pattern, id))
		}
		return paths
	}
	for _, query := range []string{"", "?state=returned", "?state=ended", "?state=ready", "?user={wayne}", "?book={emma}", "?q=wayne", "?borrowed=true"} {
		paths = append(paths, r.Pattern+query)
	}
	return paths
}

func bodyFor(method string) string {
	if method == http.MethodPost || method == http.MethodPut {
		return `{}`
	}
	return ""
}

// withoutPath is the body of an answer without the path that the caller has sent.
func withoutPath(a reply) string {
	return strings.ReplaceAll(string(a.body), `"path":"`+a.error().Path+`"`, "")
}
