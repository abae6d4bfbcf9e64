package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/signin"
)

// organisation is a library whose people come from a provider.
type organisation struct {
	*world
	t *testing.T
}

// withSignIn runs a test with rules of signing in, on each database.
func withSignIn(t *testing.T, rules signin.Rules, test func(t *testing.T, o organisation), changes ...func(*setup)) {
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, append(changes, func(s *setup) {
				s.open, s.signIn, s.auth.RequireSubject = databases[database], rules, rules.Binds
			})...)
			test(t, organisation{w, t})
		})
	}
}

// as is the token of a subject with an address, and other claims.
func (o organisation) as(sub, email string, more ...testidp.Claims) string {
	o.t.Helper()
	c := testidp.Claims{"sub": sub, "email": email, "email_verified": true, "scope": "library_user"}
	for _, some := range more {
		for name, value := range some {
			c[name] = value
		}
	}
	return o.idp.Mint(o.t, c)
}

func (o organisation) me(token string) api.Me {
	o.t.Helper()
	return decode[api.Me](o.t, o.send(o.t, request{token: token, path: "/me"}).want(o.t, 200, ""))
}

func (o organisation) refused(token string) {
	o.t.Helper()
	for _, r := range []request{{path: "/me"}, {path: "/books"}, {method: http.MethodPost, path: borrowPath}, {method: http.MethodPut, path: "/me", body: `{"locale":"de"}`}, {path: "/nowhere"}} {
		r.token = token
		a := o.send(o.t, r).want(o.t, 401, "unknown_user")
		if got := a.header.Get("WWW-Authenticate"); got != invalid("No user found for the email claim") {
			o.t.Errorf("%s %s: WWW-Authenticate %q", r.method, r.path, got)
		}
	}
}

func (o organisation) borrow(token, book string) {
	o.t.Helper()
	o.send(o.t, request{token: token, method: http.MethodPost, path: "/books/" + book + "/borrow"}).want(o.t, 200, "")
}

// has returns the books of a caller.
func (o organisation) has(token string) (books []string) {
	o.t.Helper()
	for _, b := range o.send(o.t, request{token: token, path: "/me/books"}).want(o.t, 200, "").books(o.t) {
		books = append(books, b.Identifier)
	}
	return books
}

var binding = signin.Rules{Binds: true}

func TestTheFirstSubjectThatIsLetInKeepsTheRecord(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		first, second := o.as("one", bruceWayne), o.as("two", bruceWayne)
		if me := o.me(first); me.Identifier != wayneID || !me.Bound {
			t.Errorf("%+v", me)
		}
		o.refused(second)
		if me := o.me(first); me.Identifier != wayneID {
			t.Errorf("%+v", me)
		}
		o.borrow(first, cleanCode)
		o.refused(second)
		log := o.log.String()
		if !strings.Contains(log, "tied to another subject") || !strings.Contains(log, wayneID) || strings.Contains(log, bruceWayne) {
			t.Errorf("the log:\n%s", log)
		}
		recorder := httptest.NewRecorder()
		httpapi.NewManagement(o.metrics, nil).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if !strings.Contains(recorder.Body.String(), "\nlibrary_subject_conflicts_total 10\n") {
			t.Errorf("the metrics:\n%s", recorder.Body)
		}
	})
}

func TestConflictsOfSubjectsDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		o.me(o.as("one", bruceWayne))
		second, began := o.as("two", bruceWayne), time.Now()
		for range 50 {
			o.send(t, request{token: second, path: "/me"}).want(t, 401, "unknown_user")
		}
		most := 1 + int(time.Since(began)/time.Second)
		if lines := strings.Count(o.log.String(), "tied to another subject"); lines < 1 || lines > most {
			t.Errorf("%d lines for 50 conflicts, at most %d expected", lines, most)
		}
	})
}

func TestAFirstLoginTakesAPlaceOfChanges(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{Binds: true, Provisions: true}, func(t *testing.T, o organisation) {
		known := o.as("wayne", bruceWayne)
		o.me(known)
		giveBack := o.api().FillWritePlaces()
		o.me(known) // nothing is written
		for _, path := range []string{"/me", "/books", "/nowhere"} {
			for _, token := range []string{o.as("ada", "ada@example.com"), o.as("banner", bruceBanner), o.as("wayne", "batman@example.com")} {
				a := o.send(t, request{token: token, path: path}).want(t, 503, "overloaded")
				testkit.Equal(t, a.header.Get("Retry-After") != "", true, "Retry-After")
			}
		}
		giveBack()
		for _, token := range []string{o.as("ada", "ada@example.com"), o.as("banner", bruceBanner), o.as("wayne", "batman@example.com")} {
			if me := o.me(token); !me.Bound {
				t.Errorf("%+v", me)
			}
		}
		testkit.Equal(t, o.api().Placed(), 0, "places")
	})
}

func TestWhoWaitsForAFirstLoginKeepsNoPlaceFromIt(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{Binds: true, Provisions: true}, func(t *testing.T, o organisation) {
		o.api().LeaveOneWritePlace(testkit.Timeout(t) / 2)
		for i := range 10 {
			name := fmt.Sprint("newcomer", i)
			token := o.as(name, name+"@example.com")
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { o.send(t, request{token: token, path: "/me"}).want(t, 200, "") })
				all.Go(func() {
					o.send(t, request{token: token, method: http.MethodPut, path: "/me", body: `{"locale":"de"}`}).want(t, 200, "")
				})
			}
			all.Wait()
		}
		testkit.Equal(t, o.api().Placed(), 0, "places")
	})
}

func TestPeopleWhoSwapAddressesKeepTheirLoans(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		o.borrow(o.as("wayne", bruceWayne), cleanCode)
		o.borrow(o.as("banner", bruceBanner), designPatterns)
		for range 2 {
			for _, c := range []struct{ sub, email, id, book string }{
				{"wayne", bruceBanner, wayneID, cleanCode}, {"banner", bruceWayne, bannerID, designPatterns},
			} {
				token := o.as(c.sub, c.email)
				if me := o.me(token); me.Identifier != c.id {
					t.Errorf("%s is %+v", c.sub, me)
				}
				if books := o.has(token); len(books) != 1 || books[0] != c.book {
					t.Errorf("%s has %v", c.sub, books)
				}
				o.send(t, request{token: token, method: http.MethodPost, path: "/books/" + c.book + "/return"}).want(t, 200, "")
				o.borrow(token, c.book)
			}
		}
	})
}

func TestAnAddressThatIsGivenToAnotherPersonOpensNothing(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{Binds: true, Provisions: true}, func(t *testing.T, o organisation) {
		o.borrow(o.as("first", bruceWayne), cleanCode)
		second := o.as("second", bruceWayne)
		o.refused(second)
		// The first person comes under a new address, which sets the old one free.
		first := o.as("first", "bruce.w@example.com")
		if me := o.me(first); me.Identifier != wayneID || me.Email != "bruce.w@example.com" {
			t.Errorf("%+v", me)
		}
		me := o.me(second)
		if me.Identifier == wayneID || me.Email != bruceWayne || len(o.has(second)) != 0 {
			t.Errorf("%+v", me)
		}
		if books := o.has(first); len(books) != 1 {
			t.Errorf("the first has %v", books)
		}
	})
}

func TestARecordTakesOverTheAddressOfItsSubject(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		o.me(o.as("wayne", bruceWayne))
		for email, want := range map[string]string{
			"batman@example.com": "batman@example.com", "BATMAN@example.com": "batman@example.com", // the same, and nothing is written
			strings.Repeat("x", 300) + "@example.com": "batman@example.com", "no address": "batman@example.com", clarkKent: "batman@example.com",
		} {
			if email != "batman@example.com" {
				o.me(o.as("wayne", "batman@example.com"))
			}
			if me := o.me(o.as("wayne", email)); me.Identifier != wayneID || me.Email != want {
				t.Errorf("%.30s: %+v", email, me)
			}
		}
	})
}

func TestAnAddressThatIsNotVerifiedTiesNothing(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		for _, said := range []any{false, "false", 0, "TRUE"} {
			eve := o.as("eve", bruceWayne, testidp.Claims{"email_verified": said})
			if me := o.me(eve); me.Identifier != wayneID || me.Bound {
				t.Errorf("%v: %+v", said, me)
			}
			o.borrow(eve, cleanCode) // let in as without the setting
		}
		owner := o.as("wayne", bruceWayne)
		if me := o.me(owner); me.Identifier != wayneID || !me.Bound {
			t.Errorf("%+v", me)
		}
		o.refused(o.as("eve", bruceWayne, testidp.Claims{"email_verified": false}))
		if me := o.me(o.as("wayne", "batman@example.com", testidp.Claims{"email_verified": false})); me.Identifier != wayneID || me.Email != bruceWayne {
			t.Errorf("it took over an address that is not verified: %+v", me)
		}
		for said, email := range map[any]string{nil: "one@example.com", "true": "two@example.com"} {
			if me := o.me(o.as("wayne", email, testidp.Claims{"email_verified": said})); me.Identifier != wayneID || me.Email != email {
				t.Errorf("%v: %+v", said, me)
			}
		}
	})
}

func TestAnOlderTokenDoesNotBringTheOldAddressBack(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		issued := func(ago time.Duration) testidp.Claims { return testidp.Claims{"iat": time.Now().Add(-ago).Unix()} }
		older, newer := o.as("wayne", bruceWayne, issued(time.Hour)), o.as("wayne", "batman@example.com", issued(time.Minute))
		o.me(older)
		for range 3 {
			for _, token := range []string{newer, older, o.as("wayne", "robin@example.com", testidp.Claims{"iat": nil})} {
				if me := o.me(token); me.Identifier != wayneID || me.Email != "batman@example.com" {
					t.Errorf("%+v", me)
				}
			}
		}
		o.borrow(older, cleanCode)
		if me := o.me(o.as("wayne", bruceWayne, issued(0))); me.Email != bruceWayne {
			t.Errorf("a newer token: %+v", me)
		}
	})
}

func TestATokenWithoutASubjectIsRefusedWhereRecordsAreTied(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		for _, sub := range []any{nil, "", 7, true, []string{"a"}, map[string]any{"a": "b"}} {
			token := o.idp.Mint(t, testidp.Claims{"email": bruceWayne, "sub": sub})
			o.send(t, request{token: token, path: "/me"}).want(t, 401, "invalid_claim")
		}
		if u := o.send(t, request{token: o.as("kent", clarkKent, testidp.Claims{"scope": "library_admin"}), path: userPath}).user(t); u.Bound {
			t.Errorf("%+v", u)
		}
	})
}

func TestAdminsUntieUsers(t *testing.T) {
	t.Parallel()
	withSignIn(t, binding, func(t *testing.T, o organisation) {
		admin := o.as("kent", clarkKent, testidp.Claims{"scope": "library_admin"})
		untie := request{token: admin, method: http.MethodDelete, path: userPath + "/subject"}
		o.send(t, untie).want(t, 204, "") // who was not tied
		first, second := o.as("one", bruceWayne), o.as("two", bruceWayne)
		o.me(first)
		l := o.listen(t, request{token: first})
		l.wantBare("ready")
		before := o.send(t, request{token: admin, path: userPath}).want(t, 200, "")
		o.send(t, untie).want(t, 204, "")
		l.WantEnd()
		after := o.send(t, request{token: admin, path: userPath, header: field("If-None-Match", before.header.Get("ETag"))}).want(t, 200, "")
		if !before.user(t).Bound || after.user(t).Bound {
			t.Errorf("%s, then %s", before.body, after.body)
		}
		o.me(second)
		o.refused(first)
		o.send(t, request{token: admin, method: http.MethodDelete, path: "/users/" + unknownID + "/subject"}).want(t, 404, "user_not_found")
		o.send(t, request{token: second, method: http.MethodDelete, path: userPath + "/subject"}).want(t, 403, "role_missing")
		o.send(t, request{token: admin, path: userPath + "/subject"}).want(t, 405, "method_not_allowed")
		o.send(t, request{token: admin, method: http.MethodDelete, path: "/users/" + kentID + "/subject"}).want(t, 204, "") // one's own
		o.send(t, request{token: admin, path: "/users"}).want(t, 200, "")
	})
}

func TestARecordThatIsTiedToAnotherMeanwhileIsNotChanged(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			var g gate
			o := organisation{newWorld(t, func(s *setup) { s.open, s.store, s.signIn = databases[database], g.over, binding }), t}
			token := o.as("one", bruceWayne)
			o.me(token)
			arrived, open := g.close()
			done := make(chan reply, 1)
			go func() { done <- o.send(t, request{token: token, method: http.MethodPost, path: borrowPath}) }()
			testkit.Receive(t, "the change", arrived)
			testkit.NoError(t, o.store.Tx(t.Context(), func(tx library.Tx) error { return tx.BindUser(t.Context(), wayneID, signin.SubjectKey("x", "two")) }))
			open()
			(<-done).want(t, 401, "unknown_user")
		})
	}
}

func TestTyingARecordEndsTheStreamsOfOthersOnAllProcesses(t *testing.T) {
	t.Parallel()
	for database, address := range addresses {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			at := address(t)
			rules := func(s *setup) { s.signIn, s.auth.RequireSubject = binding, true }
			one := newWorldAt(t, at, rules)
			two := newWorldAt(t, at, rules, func(s *setup) { s.auth.Issuer = one.idp.Issuer() })
			o := organisation{one, t}
			eve := o.as("eve", bruceWayne, testidp.Claims{"email_verified": false})
			var others []*listener
			for _, w := range []*world{one, two} {
				l := w.listen(t, request{token: eve})
				l.wantBare("ready")
				others = append(others, l)
			}
			owner := o.as("wayne", bruceWayne)
			o.borrow(owner, cleanCode)
			for _, l := range others {
				l.WantEnd() // and nothing of the loan before it
			}
			own := two.listen(t, request{token: owner})
			own.wantBare("ready")
			o.send(t, request{token: owner, method: http.MethodPost, path: "/books/" + cleanCode + "/return"}).want(t, 200, "")
			testkit.Equal(t, own.anyLending().Event, "loan", "what the owner hears")
		})
	}
}

func TestWithoutTheSettingSubjectsDoNotMatter(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{}, func(t *testing.T, o organisation) {
		testkit.NoError(t, o.store.Tx(t.Context(), func(tx library.Tx) error { return tx.BindUser(t.Context(), wayneID, "somebody") }))
		for _, sub := range []any{"one", "two", 7, nil} {
			token := o.idp.Mint(t, testidp.Claims{"email": bruceWayne, "sub": sub, "scope": "library_user"})
			if me := o.me(token); me.Identifier != wayneID || !me.Bound || me.Provision != "" {
				t.Errorf("%v: %+v", sub, me)
			}
			o.borrow(token, cleanCode)
		}
	})
}

var provisioning = signin.Rules{Provisions: true}

func TestAFirstLoginMakesTheRecord(t *testing.T) {
	t.Parallel()
	for _, rules := range []signin.Rules{provisioning, {Provisions: true, Binds: true}} {
		withSignIn(t, rules, func(t *testing.T, o organisation) {
			token := o.as("ada", "ada@example.com", testidp.Claims{"given_name": "Ada", "family_name": "King", "scope": "library_user library_curator email"})
			me := o.me(token)
			if me.Email != "ada@example.com" || me.FirstName != "Ada" || me.LastName != "King" || !me.Active || me.Bound != rules.Binds ||
				strings.Join(me.Roles, " ") != "LIBRARY_USER LIBRARY_CURATOR" || me.Provision != "login" {
				t.Errorf("%+v", me)
			}
			if again := o.me(token); again.Identifier != me.Identifier {
				t.Errorf("%+v", again)
			}
			// With a change first, and an address that only counts as verified.
			bob := o.as("bob", "bob@example.com", testidp.Claims{"email_verified": "true", "name": "Bob"})
			o.borrow(bob, cleanCode)
			if me := o.me(bob); me.FirstName != "Bob" || me.LastName != "Bob" {
				t.Errorf("%+v", me)
			}
			if me := o.me(o.as("carol", "carol@example.com", testidp.Claims{"given_name": 7, "name": []string{"Carol"}})); me.FirstName != me.Email || me.LastName != me.Email {
				t.Errorf("%+v", me)
			}
			for rule, c := range map[string]testidp.Claims{
				"without a role":            {"scope": "email profile"},
				"not verified":              {"email_verified": false},
				"verified by nobody":        {"email_verified": nil},
				"verified in another way":   {"email_verified": "TRUE"},
				"with what is no address":   {"email": "eve"},
				"with too long an address":  {"email": strings.Repeat("x", 250) + "@example.com"},
				"with spaces in an address": {"email": " eve@example.com"},
			} {
				t.Run(rule, func(t *testing.T) { organisation{o.world, t}.refused(o.as("eve", "eve@example.com", c)) })
			}
		})
	}
}

func TestWhereRecordsGiveRolesThoseOfTheSettingAreGiven(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{Provisions: true, Unverified: true, Roles: []library.Role{library.RoleUser}}, func(t *testing.T, o organisation) {
		token := o.as("ada", "ada@example.com", testidp.Claims{"email_verified": false, "scope": "library_admin", "name": "Ada"})
		if me := o.me(token); strings.Join(me.Roles, " ") != "LIBRARY_USER" || me.FirstName != "Ada" || me.LastName != "Ada" || me.RolesFrom != "record" {
			t.Errorf("%+v", me)
		}
		o.borrow(token, cleanCode)
		o.send(t, request{token: token, path: "/users"}).want(t, 403, "role_missing")
	}, func(s *setup) { s.auth.Authorities = auth.ModeLocal })
}

func TestWhoIsRemovedComesBackAndWhoIsSwitchedOffDoesNot(t *testing.T) {
	t.Parallel()
	withSignIn(t, provisioning, func(t *testing.T, o organisation) {
		token := o.as("wayne", bruceWayne)
		first := o.me(token)
		switched(userPath, bruceWayne, "false")(t, o.world)
		o.refused(token)
		switched(userPath, bruceWayne, "true")(t, o.world)
		o.me(token)
		deleted(userPath, clarkKent)(t, o.world)
		if again := o.me(token); again.Identifier == first.Identifier || again.Email != bruceWayne {
			t.Errorf("%+v", again)
		}
	})
}

func TestWhoIsSwitchedOffDoesNotComeBackUnderAnotherAddress(t *testing.T) {
	t.Parallel()
	withSignIn(t, signin.Rules{Provisions: true, Binds: true}, func(t *testing.T, o organisation) {
		o.borrow(o.as("wayne", bruceWayne), cleanCode)
		moved := o.as("wayne", "batman@example.com")
		admin := o.as("kent", clarkKent, testidp.Claims{"scope": "library_admin"})
		set := func(active string) {
			o.send(t, request{token: admin, method: http.MethodPut, path: userPath, body: `{` + wayneRecord + `,"active":` + active + `}`}).want(t, 200, "")
		}
		set("false")
		o.refused(moved)
		if found := o.send(t, request{token: admin, path: "/users?q=batman"}).want(t, 200, "").users(t); len(found) != 0 {
			t.Errorf("a record was made, or has taken over the address: %+v", found)
		}
		set("true")
		if me := o.me(moved); me.Identifier != wayneID || me.Email != "batman@example.com" || len(o.has(moved)) != 1 {
			t.Errorf("switched on: %+v", me)
		}
	})
}
