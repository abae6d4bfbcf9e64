package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/auth"
)

const userPath = "/users/" + wayneID

// isUser expects a user; identifier "" is any.
func isUser(want api.User) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, a reply) {
		t.Helper()
		got := a.user(t)
		if want.Identifier == "" {
			got.Identifier = ""
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("user (-want +got)\n%s", diff)
		}
	}
}

var theReader = api.User{Identifier: wayneID, Email: bruceWayne, FirstName: "Bruce", LastName: "Wayne", Roles: []string{"LIBRARY_USER"}, Locale: "en", Reminders: true, Active: true}

func TestOnlyAdminsSeeAndChangeUsers(t *testing.T) {
	t.Parallel()
	const body = `{"email":"x@example.com","firstName":"X","lastName":"Y"}`
	for _, ask := range []request{
		{path: "/users"},
		{path: userPath},
		{method: http.MethodHead, path: userPath},
		{method: http.MethodPost, path: "/users", body: body},
		{method: http.MethodPut, path: userPath, body: body},
		{method: http.MethodDelete, path: userPath},
		{path: "/users/not-a-uuid"},
		{path: "/users?nonsense=1"},
	} {
		t.Run(ask.method+" "+ask.path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, who := range []string{bruceWayne, peterParker} {
				ask.as = who
				a := w.send(t, ask)
				if a.status != http.StatusForbidden {
					t.Errorf("for %s: status %d, want 403", who, a.status)
				}
				if got := a.header.Get("WWW-Authenticate"); got != insufficient("library_admin") {
					t.Errorf("for %s: WWW-Authenticate %q", who, got)
				}
			}
			all := w.send(t, request{as: clarkKent, path: "/users"}).want(t, 200, "").users(t)
			if len(all) != 5 {
				t.Errorf("there are %d users now, want 5", len(all))
			}
		})
	}
}

func TestShowingUsers(t *testing.T) {
	t.Parallel()
	play(t, []scenario{
		{rule: "an admin sees a user", ask: request{as: clarkKent, path: userPath}, status: 200, then: isUser(theReader)},
		{rule: "an unknown user", ask: request{as: clarkKent, path: "/users/" + unknownID}, status: 404, code: "user_not_found"},
		{rule: "a strange identifier", ask: request{as: clarkKent, path: "/users/bwayne"}, status: 400, code: "bad_identifier"},
		{rule: "the list is ordered by last name, first name", ask: request{as: clarkKent, path: "/users"}, status: 200,
			given: added("/users", clarkKent, `{"email":"a@example.com","firstName":"Alfred","lastName":"Wayne"}`),
			then: func(t *testing.T, _ *world, a reply) {
				var names []string
				for _, u := range a.users(t) {
					names = append(names, u.LastName+" "+u.FirstName)
				}
				want := []string{"Banner Bruce", "Client Library", "Kent Clark", "Parker Peter", "Wayne Alfred", "Wayne Bruce"}
				if diff := cmp.Diff(want, names); diff != "" {
					t.Errorf("users (-want +got)\n%s", diff)
				}
			}},
	})
}

func TestAddingUsers(t *testing.T) {
	t.Parallel()
	post := func(body string) request {
		return request{as: clarkKent, method: http.MethodPost, path: "/users", body: body}
	}
	const selina = `"email":"selina@example.com","firstName":"Selina","lastName":"Kyle"`
	want := api.User{Email: "selina@example.com", FirstName: "Selina", LastName: "Kyle", Locale: "en", Reminders: true, Active: true}
	withRoles := want
	withRoles.Roles = []string{"LIBRARY_USER", "LIBRARY_ADMIN"}
	chosen := want
	chosen.Identifier = unknownID
	play(t, []scenario{
		{rule: "an address and a name are enough", ask: post(`{` + selina + `}`), status: 201, then: isUser(want)},
		{rule: "the answer says where the user is", ask: post(`{` + selina + `}`), status: 201,
			then: func(t *testing.T, w *world, a reply) {
				location := a.header.Get("Location")
				if want := basePath + "/users/" + a.user(t).Identifier; location != want {
					t.Errorf("Location %q, want %q", location, want)
				}
				w.send(t, request{as: clarkKent, path: strings.TrimPrefix(location, basePath)}).want(t, 200, "")
			}},
		{rule: "roles are kept once and in order", ask: post(`{` + selina + `,"roles":["LIBRARY_ADMIN","LIBRARY_USER","LIBRARY_ADMIN"]}`), status: 201, then: isUser(withRoles)},
		{rule: "an empty array of roles is none", ask: post(`{` + selina + `,"roles":[]}`), status: 201, then: isUser(want)},
		{rule: "a client may choose the identifier", ask: post(`{"identifier":"` + unknownID + `",` + selina + `}`), status: 201, then: isUser(chosen)},
		{rule: "a password is ignored", ask: post(`{` + selina + `,"password":"secret-word"}`), status: 201,
			then: func(t *testing.T, w *world, a reply) {
				if strings.Contains(string(a.body)+w.log.String(), "secret-word") {
					t.Error("the password is in the answer or in the log")
				}
			}},
		{rule: "an address is taken once", ask: post(`{"email":"bruce.wayne@example.com","firstName":"X","lastName":"Y"}`), status: 409, code: "email_taken"},
		{rule: "an address is taken without regard to ASCII case", ask: post(`{"email":"Bruce.WAYNE@example.com","firstName":"X","lastName":"Y"}`), status: 409, code: "email_taken"},
		{rule: "other letters keep their case", ask: post(`{"email":"b\u0280uce.wayne@example.com","firstName":"X","lastName":"Y"}`), status: 201},
		{rule: "an identifier is taken once", ask: post(`{"identifier":"` + wayneID + `",` + selina + `}`), status: 409, code: "identifier_taken"},
		{rule: "all three fields are required", ask: post(`{}`), status: 400, code: "invalid", then: complainsAbout("email", "firstName", "lastName")},
		{rule: "an address needs an @", ask: post(`{"email":"selina","firstName":"S","lastName":"K"}`), status: 400, code: "invalid", then: complainsAbout("email")},
		{rule: "a role must be one of the three", ask: post(`{` + selina + `,"roles":["LIBRARY_USER","LIBRARY_GHOST"]}`), status: 400, code: "invalid", then: complainsAbout("roles[1]")},
		{rule: "roles are an array", ask: post(`{` + selina + `,"roles":"LIBRARY_USER"}`), status: 400, code: "invalid", then: complainsAbout("roles")},
	})
}

func TestEditingUsers(t *testing.T) {
	t.Parallel()
	put := func(body string) request {
		return request{as: clarkKent, method: http.MethodPut, path: userPath, body: body}
	}
	const rest = `"email":"bruce.wayne@example.com","firstName":"Bruce"`
	renamed := theReader
	renamed.LastName = "W."
	without := renamed
	without.Roles = nil
	curator := renamed
	curator.Roles = []string{"LIBRARY_CURATOR"}
	play(t, []scenario{
		{rule: "roles left out stay", ask: put(`{` + rest + `,"lastName":"W."}`), status: 200, then: isUser(renamed)},
		{rule: "roles that are null stay", ask: put(`{` + rest + `,"lastName":"W.","roles":null}`), status: 200, then: isUser(renamed)},
		{rule: "an empty array takes the roles away", ask: put(`{` + rest + `,"lastName":"W.","roles":[]}`), status: 200, then: isUser(without)},
		{rule: "roles are replaced", ask: put(`{` + rest + `,"lastName":"W.","roles":["LIBRARY_CURATOR"]}`), status: 200, then: isUser(curator)},
		{rule: "a required field cannot be left out", ask: put(`{` + rest + `}`), status: 400, code: "invalid", then: complainsAbout("lastName")},
		{rule: "a user may keep the address in another case", ask: put(`{"email":"BRUCE.WAYNE@example.com","firstName":"B","lastName":"W"}`), status: 200},
		{rule: "another user's address is taken", ask: put(`{"email":"Clark.Kent@example.com","firstName":"B","lastName":"W"}`), status: 409, code: "email_taken"},
		{rule: "the identifier in the body may be no other", ask: put(`{"identifier":"` + kentID + `",` + rest + `,"lastName":"W."}`), status: 400, code: "invalid", then: complainsAbout("identifier")},
		{rule: "an unknown user", ask: request{as: clarkKent, method: http.MethodPut, path: "/users/" + unknownID, body: `{` + rest + `,"lastName":"W."}`}, status: 404, code: "user_not_found"},
		{rule: "a borrower's new name is shown with the book", given: lent(cleanCode, bruceWayne), ask: put(`{` + rest + `,"lastName":"W."}`), status: 200,
			then: func(t *testing.T, w *world, _ reply) {
				if by := w.send(t, request{as: peterParker, path: bookPath}).book(t).BorrowedBy; by == nil || by.LastName != "W." {
					t.Errorf("borrowed by %+v", by)
				}
			}},
	})
}

func TestRemovingUsers(t *testing.T) {
	t.Parallel()
	del := func(path string) request {
		return request{as: clarkKent, method: http.MethodDelete, path: path}
	}
	play(t, []scenario{
		{rule: "an admin removes a user", ask: del(userPath), status: 204,
			then: func(t *testing.T, w *world, _ reply) {
				w.send(t, request{as: clarkKent, path: userPath}).want(t, 404, "user_not_found")
			}},
		{rule: "a user is removed once", given: deleted(userPath, clarkKent), ask: del(userPath), status: 404, code: "user_not_found"},
		{rule: "a user who has books stays", given: lent(cleanCode, bruceWayne), ask: del(userPath), status: 409, code: "user_has_books"},
		{rule: "a user who has returned all books can go", given: inTurn(lent(cleanCode, bruceWayne), returned(cleanCode, bruceWayne)), ask: del(userPath), status: 204},
		{rule: "an admin cannot remove the own account", ask: del("/users/" + kentID), status: 409, code: "own_account"},
		{rule: "a strange identifier", ask: del("/users/1"), status: 400, code: "bad_identifier"},
		{rule: "an address is free after its user is gone", given: deleted(userPath, clarkKent), status: 201,
			ask: request{as: clarkKent, method: http.MethodPost, path: "/users", body: `{"email":"bruce.wayne@example.com","firstName":"B","lastName":"W"}`}},
	})
}

func TestAUserWhoWasRemovedAMomentAgoIsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{"/books", "/me", bookPath} { // the token and the answers are in every cache
		w.send(t, request{as: bruceWayne, path: path}).want(t, 200, "")
	}
	deleted(userPath, clarkKent)(t, w)
	for _, path := range []string{"/books", "/me", bookPath, "/me/books"} {
		w.send(t, request{as: bruceWayne, path: path}).want(t, 401, "unknown_user")
	}
	added("/users", clarkKent, `{"email":"BRUCE.wayne@example.com","firstName":"B","lastName":"W"}`)(t, w)
	w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 200, "")
}

func TestAUserWhoseAddressChangedIsOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 200, "")
	w.send(t, request{as: clarkKent, method: http.MethodPut, path: userPath,
		body: `{"email":"batman@example.com","firstName":"Bruce","lastName":"Wayne"}`}).want(t, 200, "")
	w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 401, "unknown_user")
}

func TestMe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := decode[api.Me](t, w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 200, ""))
	want := api.Me{User: theReader, Authorities: []string{"ROLE_LIBRARY_USER", "ROLE_EMAIL", "ROLE_PROFILE"}, RolesFrom: "token"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("me (-want +got)\n%s", diff)
	}
}

func TestMeSaysWhereRolesComeFrom(t *testing.T) {
	t.Parallel()
	for mode, want := range map[auth.Mode]string{
		auth.ModeScope: "token", auth.ModeGroups: "token", auth.ModePlain: "token", auth.ModeLocal: "record",
	} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.auth.Authorities = mode })
			me := decode[api.Me](t, w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 200, ""))
			if me.RolesFrom != want {
				t.Errorf("rolesFrom %q, want %q", me.RolesFrom, want)
			}
		})
	}
	t.Run("basic", func(t *testing.T) {
		t.Parallel()
		w := newBasicWorld(t)
		me := decode[api.Me](t, w.send(t, request{path: "/me", header: login(bruceWayne, "secret")}).want(t, 200, ""))
		if me.RolesFrom != "record" {
			t.Errorf("rolesFrom %q, want record", me.RolesFrom)
		}
	})
}

func TestMeNamesALibraryThatHasAName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Bücherei am Fluß"} {
		w := newWorld(t, func(s *setup) { s.name = name })
		a := w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 200, "")
		if got := decode[api.Me](t, a).LibraryName; got != name {
			t.Errorf("libraryName %q, want %q", got, name)
		}
		if name == "" && strings.Contains(string(a.body), "libraryName") {
			t.Errorf("a library without a name: %s", a.body)
		}
	}
}

func TestMyBooksAreThoseThatIHaveNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inTurn(lent(designPatterns, bruceWayne), lent(cleanCode, bruceWayne), lent("2a9d7b10-3f5c-4c8e-b1a7-5d4e6f708192", bruceBanner),
		lent("6c5e4d3b-2a19-4087-b6f5-e4d3c2b1a098", bruceWayne), returned("6c5e4d3b-2a19-4087-b6f5-e4d3c2b1a098", bruceWayne))(t, w)
	a := w.send(t, request{as: bruceWayne, path: "/me/books"}).want(t, 200, "")
	var titles []string
	for _, b := range a.books(t) {
		titles = append(titles, b.Title)
		if b.BorrowedBy == nil || b.BorrowedBy.Identifier != wayneID {
			t.Errorf("%s is borrowed by %+v", b.Title, b.BorrowedBy)
		}
	}
	if diff := cmp.Diff([]string{"Clean Code", "Design Patterns"}, titles); diff != "" {
		t.Errorf("my books (-want +got)\n%s", diff)
	}
	if got := a.header.Get("X-Total-Count"); got != "2" {
		t.Errorf("X-Total-Count %q, want 2", got)
	}
	none := w.send(t, request{as: clarkKent, path: "/me/books"}).want(t, 200, "")
	if string(none.body) != "[]" {
		t.Errorf("the books of somebody who has none: %s", none.body)
	}
	w.send(t, request{as: bruceWayne, path: "/me/books?q=x"}).want(t, 400, "bad_query")
}
