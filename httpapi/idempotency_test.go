package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/httpapi"
	"example.org/library/service"
)

func key(k string) http.Header { return field("Idempotency-Key", k) }

// wantReplayed fails the test unless an answer is the one of before, sent again.
func wantReplayed(t *testing.T, first, again reply) {
	t.Helper()
	if first.header.Get("Idempotency-Replayed") != "" || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("Idempotency-Replayed is %q, and then %q", first.header.Get("Idempotency-Replayed"), again.header.Get("Idempotency-Replayed"))
	}
	if again.status != first.status || !bytes.Equal(again.body, first.body) {
		t.Errorf("got %d %s, and then %d %s", first.status, first.body, again.status, again.body)
	}
	for _, name := range []string{"Location", "Content-Type", "Etag", "Cache-Control"} {
		if a, b := first.header.Get(name), again.header.Get(name); a != b {
			t.Errorf("%s is %q, and then %q", name, a, b)
		}
	}
}

// TestEveryPostCanBeRepeated takes the routes from the table, so that a new one
// cannot be forgotten.
func TestEveryPostCanBeRepeated(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStanding(t, database, "scope")
			for i, route := range httpapi.Routes() {
				if route.Method != http.MethodPost || changesNothing(route) || isOfStations(route) {
					continue
				}
				t.Run(route.Pattern, func(t *testing.T) {
					requests := writes["POST "+route.Pattern]
					if requests == nil {
						t.Fatal("no request")
					}
					s.wantOnce(t, route, requests[0].body, fmt.Sprint("k", i))
				})
			}
		})
	}
}

// wantOnce sends a request twice with one key, and the second changes nothing.
func (s *standing) wantOnce(t *testing.T, route httpapi.RouteInfo, body, k string) {
	t.Helper()
	role := route.Permission.Role()
	if role == "" {
		role = library.RoleUser
	}
	caller, credentials := s.newCaller(t, role)
	id := s.prepare(t, route, caller)
	ask := request{
		method: http.MethodPost, path: strings.ReplaceAll(route.Pattern, "{id}", id), body: strings.ReplaceAll(body, "{id}", id),
		header: http.Header{"Authorization": {credentials}, "Idempotency-Key": {k}},
	}
	first := s.send(t, ask)
	if first.status/100 != 2 {
		t.Fatalf("got %d %s", first.status, first.body)
	}
	before := s.revision(t)
	again := s.send(t, ask)
	wantReplayed(t, first, again)
	if after := s.revision(t); after != before {
		t.Errorf("the revision was %s and is %s", before, after)
	}
	ask.body += " "
	s.send(t, ask).want(t, 422, "idempotency_key_reused")
}

func TestKeysAreOneStringOfVisibleCharacters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	borrow := request{as: bruceWayne, method: http.MethodPost, path: "/books/" + cleanCode + "/borrow"}
	long := strings.Repeat("k", 255)
	for _, keys := range [][]string{
		{`a`, `"a"`}, {`8e03978e-40d5-43dd-bc93-6894a57f9324`}, {`!#$%&'()*+-./:;<=>?@[]^_{|}~`}, {`"a,b"`},
		{`"a\"\\b"`}, {long, `"` + long + `"`}, {`A`},
	} {
		for i, k := range keys { // all of them are the same key, which was not used before
			borrow.header = key(k)
			a := w.send(t, borrow).want(t, 200, "")
			if replayed := a.header.Get("Idempotency-Replayed"); (replayed == "true") != (i > 0) {
				t.Errorf("%.50s: Idempotency-Replayed is %q", k, replayed)
			}
		}
	}
	for _, bad := range [][]string{
		{""}, {`""`}, {`"a`}, {`a"`}, {`"a" `, `"a"`}, {`a`, `a`}, {`"a"b`}, {`"a";b=1`}, {`"a", "b"`}, {`a,b`}, {`a b`}, {`"a b"`},
		{`a\b`}, {`"a\b"`}, {`"a\`}, {`"\"`}, {"\u00e9"}, {"\"\u00e9\""}, {long + "k"}, {`"` + long + `k"`}, {"a\tb"},
	} {
		borrow.header = http.Header{"Idempotency-Key": bad}
		w.send(t, borrow).want(t, 400, "bad_idempotency_key")
	}
	// Others than POST do not look at it.
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w.send(t, request{as: bruceWayne, method: method, path: "/books", header: key("a b")}).want(t, 200, "")
	}
	w.send(t, request{as: peterParker, method: http.MethodPut, path: "/books/" + designPatterns, body: `{"title":"T"}`, header: key("a b")}).want(t, 200, "")
	// Who is calling, and what, is judged before.
	w.send(t, request{method: http.MethodPost, path: "/books", header: key("a b")}).want(t, 401, "missing_token")
	w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/books", header: key("a b")}).want(t, 403, "role_missing")
	w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/nowhere", header: key("a b")}).want(t, 404, "no_such_path")
	w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/books/" + cleanCode + "/borrow", body: strings.Repeat(" ", 1<<20+1), header: key("large")}).
		want(t, 413, "body_too_large")
}

func replayed(want bool) func(*testing.T, *story, reply) {
	return func(t *testing.T, _ *story, a reply) {
		t.Helper()
		if got := a.header.Get("Idempotency-Replayed") == "true"; got != want {
			t.Errorf("the answer is replayed: %v", got)
		}
	}
}

func TestRepeatedRequests(t *testing.T) {
	t.Parallel()
	const curator = "library_curator library_user"
	runSteps(t, []step{
		{rule: "a refusal is not kept", as: bruceBanner, ask: "POST /books/{clean}/return", header: key("return"), status: 409, code: "not_borrowed"},
		{rule: "the first time it is done", as: bruceWayne, ask: "POST /books/{clean}/borrow", header: key("borrow"), status: 200, then: replayed(false), keep: "loan:loan.identifier"},
		{rule: "the second time its response is replayed", as: bruceWayne, ask: "POST /books/{clean}/borrow", header: key("borrow"), status: 200, then: replayed(true), want: facts{"loan.identifier": "{loan}"}},
		{rule: "keys of two callers have nothing to do with each other", as: bruceBanner, ask: "POST /books/{clean}/borrow", header: key("borrow"), status: 409, code: "already_borrowed"},
		{rule: "and a refusal leaves the key free", as: bruceBanner, ask: "POST /books/{patterns}/borrow", header: key("borrow"), status: 200, then: replayed(false)},
		{rule: "another path is another request", as: bruceWayne, ask: "POST /books/{clean}/return", header: key("borrow"), status: 422, code: "idempotency_key_reused"},
		{rule: "another record too", as: bruceWayne, ask: "POST /books/{patterns}/borrow", header: key("borrow"), status: 422, code: "idempotency_key_reused"},
		{rule: "another body too", as: bruceWayne, ask: "POST /books/{clean}/borrow", body: "{}", header: key("borrow"), status: 422, code: "idempotency_key_reused"},
		{rule: "what was refused is judged again", as: bruceWayne, ask: "POST /books/{clean}/return", header: key("return"), status: 200, then: replayed(false)},
		{rule: "somebody else borrows it", as: bruceBanner, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "a return is replayed though the book is somebody else's", as: bruceWayne, ask: "POST /books/{clean}/return", header: key("return"), status: 200, then: replayed(true), want: facts{"borrowed": false}},
		{rule: "the desk returns a loan", as: peterParker, scope: curator, ask: "POST /loans", body: `{"user":"{wayne}","book":"{patterns}"}`, status: 409, code: "already_borrowed"},
		{rule: "a reader's loan", as: bruceBanner, ask: "GET /loans", status: 200, want: facts{"length": 2}, keep: "first:0.identifier"},
		{rule: "is renewed", at: "2026-03-04T10:00:00Z", as: bruceBanner, ask: "POST /loans/{first}/renew", header: key("renew"), status: 200, want: facts{"renewals": 1}},
		{rule: "once", as: bruceBanner, ask: "POST /loans/{first}/renew", header: key("renew"), status: 200, then: replayed(true), want: facts{"renewals": 1}},
		{rule: "and again with another key", at: "2026-03-05T09:00:00Z", as: bruceBanner, ask: "POST /loans/{first}/renew", header: key("renew2"), status: 200, want: facts{"renewals": 2}},
		{rule: "is returned at the desk", as: peterParker, scope: curator, ask: "POST /loans/{first}/return", header: key("desk"), status: 200, then: replayed(false)},
		{rule: "which is replayed though it is not open any more", as: peterParker, scope: curator, ask: "POST /loans/{first}/return", header: key("desk"), status: 200, then: replayed(true)},
		{rule: "but not to one who has lost the role", as: peterParker, scope: "library_user", ask: "POST /loans/{first}/return", header: key("desk"), status: 403, code: "role_missing"},
		{rule: "nor where the route asks for it", as: bruceWayne, scope: "email", ask: "POST /books/{clean}/return", header: key("return"), status: 403, code: "role_missing"},
		{rule: "a new book", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, header: key("emma"), status: 201, keep: "emma"},
		{rule: "is not added twice", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, header: key("emma"), status: 201, then: replayed(true), want: facts{"identifier": "{emma}"}},
		{rule: "a body of another type is another request", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`,
			header: http.Header{"Idempotency-Key": {"emma"}, "Content-Type": {"application/json; charset=utf-8"}}, status: 422, code: "idempotency_key_reused"},
		{rule: "an import", as: peterParker, ask: "POST /imports/books", body: `[{"title":"Persuasion"},{"title":""}]`, header: key("import"), status: 200, want: facts{"0.outcome": "added"}},
		{rule: "is replayed", as: peterParker, ask: "POST /imports/books", body: `[{"title":"Persuasion"},{"title":""}]`, header: key("import"), status: 200, then: replayed(true), want: facts{"0.outcome": "added", "1.outcome": "invalid"}},
		{rule: "a dry run changes nothing and is not kept", as: peterParker, ask: "POST /imports/books?dryRun=true", body: `[{"title":"Sanditon"}]`, header: key("dry"), status: 200},
		{rule: "and is judged again", as: peterParker, ask: "POST /imports/books?dryRun=true", body: `[{"title":"Sanditon"}]`, header: key("dry"), status: 200, then: replayed(false)},
		{rule: "but its key is not for a change that was made", as: peterParker, ask: "POST /imports/books?dryRun=true", body: `[{"title":"Sanditon"}]`, header: key("emma"), status: 422, code: "idempotency_key_reused"},
		{rule: "almost a day later it is still replayed", at: "2026-03-06T08:59:59Z", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, header: key("emma"), status: 201, then: replayed(true), want: facts{"identifier": "{emma}"}},
		{rule: "after a day it is done again", at: "2026-03-06T09:00:00Z", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, header: key("emma"), status: 201, then: replayed(false), keep: "second"},
		{rule: "and is replayed", as: peterParker, ask: "POST /books", body: `{"title":"Emma"}`, header: key("emma"), status: 201, then: replayed(true), want: facts{"identifier": "{second}"}},
	})
}

func TestCSVImportIsRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := request{as: peterParker, method: http.MethodPost, path: "/imports/books", body: "title,author\nEmma,Jane Austen\n", header: key("csv")}
	ask.header.Set("Content-Type", "text/csv")
	first := w.send(t, ask).want(t, 200, "")
	wantReplayed(t, first, w.send(t, ask))
}

// TestALargeResponseIsNotSaved imports rows whose answer is too long to be kept: the
// same import again finds what it has done.
func TestALargeResponseIsNotSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var rows strings.Builder
	rows.WriteString("title,description\n")
	for i := range 1000 {
		fmt.Fprintf(&rows, "Book %d,%s\n", i, strings.Repeat("x", 1000))
	}
	ask := request{as: peterParker, method: http.MethodPost, path: "/imports/books", body: rows.String(), header: key("large")}
	ask.header.Set("Content-Type", "text/csv")
	for _, outcome := range []string{"added", "unchanged"} {
		a := w.send(t, ask).want(t, 200, "")
		if got := find(a.value(t), "results.999.outcome"); got != outcome || len(a.body) < service.MaxSavedResponse || a.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("got %v, want %s; %d bytes", got, outcome, len(a.body))
		}
	}
}

func TestWhileTheFirstIsRunningOthersGetKeyInUse(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := newStanding(t, database, "scope")
			ask := request{as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":"Emma"}`, header: key("k")}
			arrived, open := s.gate.close()
			answer := make(chan reply)
			go func() { answer <- s.send(t, ask) }()
			<-arrived
			busy := s.send(t, ask).want(t, 409, "idempotency_key_in_use")
			if busy.header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", busy.header.Get("Retry-After"))
			}
			s.send(t, request{as: clarkKent, method: http.MethodPost, path: "/books/" + unknownID + "/borrow", header: key("k")}).want(t, 403, "role_missing")
			open()
			first := <-answer
			wantReplayed(t, first.want(t, 201, ""), s.send(t, ask))
		})
	}
}

func TestKeysAndBodiesAreNotLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ask := request{as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":"Confidential"}`, header: key("secret-key")}
	w.send(t, ask).want(t, 201, "")
	w.send(t, ask).want(t, 201, "")
	ask.body = `{"title":"Confidential too"}`
	w.send(t, ask).want(t, 422, "idempotency_key_reused")
	events := fmt.Sprint(w.requests.wait(t, 3))
	for _, secret := range []string{"secret-key", "Confidential"} {
		if strings.Contains(w.log.String()+events, secret) {
			t.Errorf("the log has %q in it", secret)
		}
	}
}
