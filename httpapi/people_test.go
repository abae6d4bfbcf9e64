package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library/auth"
	"example.org/library/sqlstore"
)

// switched edits nothing of a user but whether they are active.
func switched(path, email, active string) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		t.Helper()
		w.send(t, request{as: clarkKent, method: http.MethodPut, path: path,
			body: `{"email":"` + email + `","firstName":"B","lastName":"B","active":` + active + `}`}).want(t, 200, "")
	}
}

func TestUsersHaveAGroupAndAreActive(t *testing.T) {
	t.Parallel()
	const put, post = "PUT /users/{wayne}", "POST /users"
	with := func(members string) string { return `{` + wayneRecord + members + `}` }
	runSteps(t, []step{
		{rule: "by default no group, and active", as: clarkKent, ask: "GET /users/{wayne}", status: 200, want: facts{"group": absent, "active": true, "bound": false}},
		{rule: "which everybody sees of themselves", as: bruceWayne, ask: "GET /me", status: 200, want: facts{"group": absent, "active": true, "bound": false}},
		{rule: "a group is a short text", as: clarkKent, ask: put, body: with(`,"group":"  7b "`), status: 200, want: facts{"group": "7b"}},
		{rule: "left out there is none", as: clarkKent, ask: put, body: with(``), status: 200, want: facts{"group": absent, "active": true}},
		{rule: "given again", as: clarkKent, ask: put, body: with(`,"group":"7b","active":false`), status: 200, want: facts{"group": "7b", "active": false}},
		{rule: "null is left out", as: clarkKent, ask: put, body: with(`,"group":null,"active":null`), status: 200, want: facts{"group": absent, "active": false}},
		{rule: "an empty one is none", as: clarkKent, ask: put, body: with(`,"group":" "`), status: 200, want: facts{"group": absent}},
		{rule: "it has a length", as: clarkKent, ask: put, body: with(`,"group":"` + strings.Repeat("\u00e4", 61) + `"`), status: 400, code: "invalid", then: names("group")},
		{rule: "of sixty characters", as: clarkKent, ask: put, body: with(`,"group":"` + strings.Repeat("\u00e4", 60) + `"`), status: 200},
		{rule: "wrong types are named", as: clarkKent, ask: put, body: with(`,"group":7,"active":"yes"`), status: 400, code: "invalid", then: names("group", "active")},
		{rule: "control characters are refused", as: clarkKent, ask: put, body: with(`,"group":"7\nb"`), status: 400, code: "invalid", then: names("group")},
		{rule: "whether a record is tied is not for editing", as: clarkKent, ask: put, body: with(`,"bound":true`), status: 200, want: facts{"bound": false}},
		{rule: "a new user can begin with both", as: clarkKent, ask: post, body: `{"email":"a@b","firstName":"A","lastName":"B","group":"7b","active":false}`, status: 201,
			want: facts{"group": "7b", "active": false, "bound": false}},
	})
}

func TestPeopleAndLoansAreFoundByGroup(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "given a class", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"group":"7b"}`, status: 200},
		{rule: "and a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, want: facts{"borrowedBy.group": "7b"}},
		{rule: "and one of somebody else", as: bruceBanner, ask: "POST /books/{patterns}/borrow", status: 200, want: facts{"borrowedBy.group": absent}},
		{rule: "users are found", as: clarkKent, ask: "GET /users?group=7B", status: 200, then: inAll("1"), want: facts{"length": 1, "0.group": "7b"}},
		{rule: "readers are found", as: peterParker, ask: "GET /readers?group=+7B+", status: 200, then: inAll("1"), want: facts{"length": 1, "0.group": "7b"}},
		{rule: "with other conditions", as: peterParker, ask: "GET /readers?group=7b&q=banner", status: 200, then: inAll("0"), want: facts{"length": 0}},
		{rule: "exactly", as: clarkKent, ask: "GET /users?group=7", status: 200, then: inAll("0"), want: facts{"length": 0}},
		{rule: "who has none is not shown one", as: peterParker, ask: "GET /readers?q=banner", status: 200, want: facts{"0.group": absent}},
		{rule: "overdue loans are found", at: "2026-05-01T10:00:00Z", as: peterParker, ask: "GET /loans?state=overdue&group=7b", status: 200, then: inAll("1"),
			want: facts{"length": 1, "0.user.identifier": "{wayne}", "0.user.group": "7b"}},
		{rule: "by admins, too", as: clarkKent, ask: "GET /loans?group=7B", status: 200, then: inAll("1"), want: facts{"length": 1}},
		{rule: "with other conditions, too", as: clarkKent, ask: "GET /loans?group=7B&user={banner}", status: 200, then: inAll("0"), want: facts{"length": 0}},
		{rule: "not by readers", as: bruceWayne, ask: "GET /loans?group=7b", status: 403, code: "role_missing"},
		{rule: "a group that nobody can have is named", as: clarkKent, ask: "GET /users?group=" + strings.Repeat("x", 61), status: 400, code: "bad_query", then: names("group")},
		{rule: "holds have no such filter", as: clarkKent, ask: "GET /holds?group=7b", status: 400, code: "bad_query", then: names("group")},
	})
}

func TestWhoIsSwitchedOffIsListed(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "nobody is", as: clarkKent, ask: "GET /users?active=false", status: 200, then: inAll("0"), want: facts{"length": 0}},
		{rule: "until an admin does it", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `,"active":false,"card":"C-1"}`, status: 200},
		{rule: "among the users", as: clarkKent, ask: "GET /users?active=false", status: 200, then: inAll("1"), want: facts{"length": 1, "0.identifier": "{wayne}", "0.active": false}},
		{rule: "among the readers", as: peterParker, ask: "GET /readers?active=false", status: 200, then: inAll("1"), want: facts{"length": 1, "0.identifier": "{wayne}", "0.active": false}},
		{rule: "the desk is told with every list", as: peterParker, ask: "GET /readers?card=C-1", status: 200, want: facts{"0.active": false}},
		{rule: "and with the card", as: peterParker, ask: "GET /codes/C-1", status: 200, want: facts{"reader.active": false}},
		{rule: "others are active", as: peterParker, ask: "GET /readers?active=true&q=banner", status: 200, then: inAll("1"), want: facts{"0.active": true}},
		{rule: "and are found without the one", as: clarkKent, ask: "GET /users?active=true&q=wayne", status: 200, then: inAll("0"), want: facts{"length": 0}},
		{rule: "another value is named", as: clarkKent, ask: "GET /users?active=yes", status: 400, code: "bad_query", then: names("active")},
		{rule: "to the desk, too", as: peterParker, ask: "GET /readers?active=", status: 400, code: "bad_query", then: names("active")},
		{rule: "and two of them", as: clarkKent, ask: "GET /users?active=true&active=false", status: 400, code: "bad_query", then: names("active")},
	})
}

func TestWhoIsSwitchedOffIsUnknownAndComesBackWithEverything(t *testing.T) {
	t.Parallel()
	const off, on = `{` + wayneRecord + `,"active":false}`, `{` + wayneRecord + `,"active":true}`
	runSteps(t, []step{
		{rule: "given a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "a reader who has books can be switched off", as: clarkKent, ask: "PUT /users/{wayne}", body: off, status: 200, want: facts{"active": false}},
		{rule: "and is refused", as: bruceWayne, ask: "GET /me", status: 401, code: "unknown_user", want: facts{"message": "Bad credentials"}},
		{rule: "for a known path as for another", as: bruceWayne, ask: "GET /nowhere", status: 401, code: "unknown_user"},
		{rule: "also with a change", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 401, code: "unknown_user"},
		{rule: "and one that is malformed", as: bruceWayne, ask: "PUT /me", body: `{"locale":`, status: 401, code: "unknown_user"},
		{rule: "an edit leaves that as it is", as: clarkKent, ask: "PUT /users/{wayne}", body: `{` + wayneRecord + `}`, status: 200, want: facts{"active": false}},
		{rule: "the loan is still there", as: peterParker, ask: "GET /loans?user={wayne}", status: 200, want: facts{"length": 1}, keep: "loan:0.identifier"},
		{rule: "the desk sees the person", as: peterParker, ask: "GET /readers?q=wayne", status: 200, want: facts{"length": 1, "0.loans": 1}},
		{rule: "and lends nothing more", as: peterParker, ask: "POST /loans", body: `{"user":"{wayne}","book":"{patterns}"}`, status: 404, code: "user_not_found"},
		{rule: "the desk can take the book back", as: peterParker, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "switched on again", as: clarkKent, ask: "PUT /users/{wayne}", body: on, status: 200, want: facts{"active": true}},
		{rule: "the person is back, with the past", as: bruceWayne, ask: "GET /loans?state=returned", status: 200, want: facts{"length": 1, "0.identifier": "{loan}"}},
		{rule: "and lends", as: bruceWayne, ask: "POST /books/{patterns}/borrow", status: 200},
	})
}

func TestNobodySwitchesOffThemselves(t *testing.T) {
	t.Parallel()
	const kent = `{"email":"clark.kent@example.com","firstName":"Clark","lastName":"Kent","active":false}`
	for _, mode := range []auth.Mode{auth.ModeScope, auth.ModeLocal} {
		play(t, []scenario{
			{rule: string(mode), ask: request{as: clarkKent, method: http.MethodPut, path: "/users/" + kentID, body: kent}, status: 409, code: "self"},
		}, func(s *setup) { s.auth.Authorities = mode })
	}
}

func TestTheLastActiveAdminStaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.auth.Authorities = auth.ModeLocal })
	edit := func(as, id, email, rest string) reply {
		t.Helper()
		return w.send(t, request{as: as, method: http.MethodPut, path: "/users/" + id, body: `{"email":"` + email + `","firstName":"A","lastName":"B",` + rest + `}`})
	}
	edit(clarkKent, wayneID, bruceWayne, `"roles":["LIBRARY_ADMIN"],"active":false`).want(t, 200, "")
	edit(clarkKent, kentID, clarkKent, `"roles":[]`).want(t, 409, "last_admin") // the other one cannot get in
	edit(clarkKent, wayneID, bruceWayne, `"roles":[]`).want(t, 200, "")
	edit(clarkKent, wayneID, bruceWayne, `"roles":["LIBRARY_ADMIN"],"active":true`).want(t, 200, "")
	edit(bruceWayne, kentID, clarkKent, `"active":false`).want(t, 200, "")
	edit(bruceWayne, kentID, clarkKent, `"roles":[]`).want(t, 200, "")
	edit(bruceWayne, wayneID, bruceWayne, `"roles":[]`).want(t, 409, "last_admin")
}

func TestWhoIsSwitchedOffIsOutInEveryProcess(t *testing.T) {
	t.Parallel()
	for database, address := range addresses {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			at := address(t)
			one, other := newWorldAt(t, at), newWorldAt(t, at)
			for range 2 {
				other.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "") // in every cache
			}
			l := other.listen(t, request{as: bruceWayne})
			l.wantBare("ready")
			switched(userPath, bruceWayne, "false")(t, one)
			other.send(t, request{as: bruceWayne, path: "/books"}).want(t, 401, "unknown_user")
			other.send(t, request{as: bruceWayne, method: http.MethodPost, path: borrowPath}).want(t, 401, "unknown_user")
			l.WantEnd()
			switched(userPath, bruceWayne, "true")(t, one)
			other.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
		})
	}
}

// newWorldAt is a process of its own on a database.
func newWorldAt(t *testing.T, address string, changes ...func(*setup)) *world {
	t.Helper()
	return newWorld(t, append(changes, func(s *setup) {
		s.open = func(t testing.TB) *sqlstore.Store { return openStore(t, address) }
	})...)
}
