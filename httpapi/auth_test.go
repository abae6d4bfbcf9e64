package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/auth/claims"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
)

const errorURI = `, error_uri="https://tools.ietf.org/html/rfc6750#section-3.1"`

func invalid(description string) string {
	return `Bearer error="invalid_token", error_description="` + description + `"` + errorURI
}

func insufficient(scope string) string {
	return `Bearer error="insufficient_scope", error_description="The request requires higher privileges than provided by the access token."` +
		errorURI + `, scope="` + scope + `"`
}

// bearerHeader is an Authorization header with the token.
func bearerHeader(token string) http.Header { return field("Authorization", "Bearer "+token) }

func TestAnswersToCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := w.token(t, bruceWayne)
	mint := func(claims testidp.Claims, options ...testidp.Option) http.Header {
		return bearerHeader(w.idp.Mint(t, claims, options...))
	}
	future := time.Now().Add(time.Hour).Unix()
	const malformed = "Bearer token is malformed"
	const twoWays = `Bearer error="invalid_request", error_description="The request carries a token in more than one way"` + errorURI
	for _, c := range []struct {
		situation string
		path      string
		header    http.Header
		status    int
		challenge string
		code      string
	}{
		{"a good token", "/books", bearerHeader(good), 200, "", ""},
		{"the scheme in another case", "/books", field("Authorization", "bEARER "+good), 200, "", ""},
		{"several spaces before the token", "/books", field("Authorization", "Bearer    "+good), 200, "", ""},
		{"an elliptic curve", "/books", mint(nil, testidp.ES256()), 200, "", ""},
		{"no kid", "/books", mint(nil, testidp.Header("kid", nil)), 200, "", ""},
		{"the type of an access token", "/books", mint(nil, testidp.Header("typ", "AT+jwt")), 200, "", ""},
		{"the audience as a string", "/books", mint(testidp.Claims{"aud": "library-service"}), 200, "", ""},
		{"the audience among others", "/books", mint(testidp.Claims{"aud": []string{"account", "library-service"}}), 200, "", ""},
		{"an address in another case", "/books", mint(testidp.Claims{"email": "Bruce.WAYNE@Example.com"}), 200, "", ""},

		{"no Authorization", "/books", nil, 401, "Bearer", "missing_token"},
		{"another scheme", "/books", field("Authorization", "Basic YTpi"), 401, "Bearer", "missing_token"},
		{"a scheme that only begins like it", "/books", field("Authorization", "Bearers "+good), 401, "Bearer", "missing_token"},
		{"a token only in the query", "/books?access_token=" + good, nil, 401, "Bearer", "missing_token"},
		{"a token only in a cookie", "/books", field("Cookie", "access_token="+good), 401, "Bearer", "missing_token"},

		{"nothing after the scheme", "/books", field("Authorization", "Bearer"), 401, invalid(malformed), "malformed_token"},
		{"only spaces after the scheme", "/books", field("Authorization", "Bearer   "), 401, invalid(malformed), "malformed_token"},
		{"no token at all", "/books", bearerHeader("hello"), 401, invalid(malformed), "malformed_token"},
		{"two tokens", "/books", bearerHeader(good + " " + good), 401, invalid(malformed), "malformed_token"},
		{"two segments", "/books", bearerHeader(strings.Join(strings.Split(good, ".")[:2], ".")), 401, invalid(malformed), "malformed_token"},
		{"a padded segment", "/books", bearerHeader(good + "="), 401, invalid(malformed), "malformed_token"},
		{"more than 16 KiB", "/books", bearerHeader(good + strings.Repeat("A", 16<<10)), 401, invalid(malformed), "malformed_token"},
		{"a duplicate claim", "/books", bearerHeader(w.idp.Sign(t, []byte(`{"email":"a@b","email":"c@d"}`))), 401, invalid(malformed), "malformed_token"},

		{"two Authorization fields", "/books", http.Header{"Authorization": {"Bearer " + good, "Bearer " + good}}, 400,
			`Bearer error="invalid_request", error_description="The request has more than one Authorization field"` + errorURI, "invalid_request"},
		{"a header and a query parameter", "/books?access_token=x", bearerHeader(good), 400, twoWays, "invalid_request"},
		{"a header and an escaped query parameter", "/books?access%5Ftoken=x", bearerHeader(good), 400, twoWays, "invalid_request"},

		{"no algorithm", "/books", mint(nil, testidp.Header("alg", "none")), 401, invalid("The signing algorithm is not supported"), "unsupported_algorithm"},
		{"a symmetric algorithm", "/books", mint(nil, testidp.Header("alg", "HS256")), 401, invalid("The signing algorithm is not supported"), "unsupported_algorithm"},
		{"a critical extension", "/books", mint(nil, testidp.Header("crit", []string{"x"})), 401, invalid("The token requires an unsupported extension"), "unsupported_header"},
		{"the type of another token", "/books", mint(nil, testidp.Header("typ", "logout+jwt")), 401, invalid("The token is not an access token"), "wrong_token_type"},
		{"an ID token", "/books", mint(testidp.Claims{"typ": "ID"}), 401, invalid("The token is not an access token"), "wrong_token_type"},
		{"a token bound to a key", "/books", mint(testidp.Claims{"cnf": map[string]string{"jkt": "x"}}), 401, invalid("The token is bound to a key without a proof of it"), "bound_token"},
		{"a key of the wrong kind", "/books", mint(nil, testidp.Header("kid", "ec-0")), 401, invalid("No key matches the token"), "unknown_key"},
		{"an unknown key", "/books", mint(nil, testidp.Header("kid", "nobody")), 401, invalid("No key matches the token"), "unknown_key"},
		{"a bad signature", "/books", mint(nil, testidp.ForgedSignature()), 401, invalid("The token could not be verified: Invalid signature"), "bad_signature"},
		{"expired", "/books", mint(testidp.Claims{"exp": 1000000000}), 401, invalid("Jwt expired at 2001-09-09T01:46:40Z"), "expired"},
		{"no exp", "/books", mint(testidp.Claims{"exp": nil}), 401, invalid("The exp claim is missing"), "invalid_claim"},
		{"exp as a string", "/books", mint(testidp.Claims{"exp": "9999999999"}), 401, invalid("The exp claim is not valid"), "invalid_claim"},
		{"exp in the year 10000", "/books", mint(testidp.Claims{"exp": 253402300800}), 401, invalid("The exp claim is not valid"), "invalid_claim"},
		{"not yet valid", "/books", mint(testidp.Claims{"nbf": future}), 401, invalid("The token is not valid yet"), "not_yet_valid"},
		{"issued in the future", "/books", mint(testidp.Claims{"iat": future}), 401, invalid("The token was issued in the future"), "not_yet_valid"},
		{"the wrong issuer", "/books", mint(testidp.Claims{"iss": w.idp.Issuer() + "/"}), 401, invalid("The iss claim is not valid"), "wrong_issuer"},
		{"no issuer", "/books", mint(testidp.Claims{"iss": nil}), 401, invalid("The iss claim is not valid"), "wrong_issuer"},
		{"the audience missing", "/books", mint(testidp.Claims{"aud": []string{"account"}}), 401, invalid("The required audience 'library-service' is missing"), "wrong_audience"},
		{"no audience", "/books", mint(testidp.Claims{"aud": nil}), 401, invalid("The required audience 'library-service' is missing"), "wrong_audience"},
		{"an audience that only contains it", "/books", mint(testidp.Claims{"aud": "library-service-2"}), 401, invalid("The required audience 'library-service' is missing"), "wrong_audience"},
		{"no user for the e-mail", "/books", mint(testidp.Claims{"email": "the.joker@example.org"}), 401, invalid("No user found for the email claim"), "unknown_user"},
		{"no e-mail", "/books", mint(testidp.Claims{"email": nil}), 401, invalid("No user found for the email claim"), "unknown_user"},
		{"an e-mail that is no string", "/books", mint(testidp.Claims{"email": []string{bruceWayne}}), 401, invalid("No user found for the email claim"), "unknown_user"},
		{"an e-mail with a look-alike letter", "/books", mint(testidp.Claims{"email": "clar\u212a.kent@example.com"}), 401, invalid("No user found for the email claim"), "unknown_user"},
		{"an e-mail with a space", "/books", mint(testidp.Claims{"email": " " + bruceWayne}), 401, invalid("No user found for the email claim"), "unknown_user"},
	} {
		t.Run(c.situation, func(t *testing.T) {
			t.Parallel()
			a := w.send(t, request{path: c.path, header: c.header}).want(t, c.status, c.code)
			if got := a.header.Get("WWW-Authenticate"); got != c.challenge {
				t.Errorf("WWW-Authenticate\n got %s\nwant %s", got, c.challenge)
			}
			if c.code == "unknown_user" && a.error().Message != "Bad credentials" {
				t.Errorf("message %q, want Bad credentials", a.error().Message)
			}
		})
	}
}

// A token in a form is no token, as one in the query is none.
func TestATokenInAFormIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.send(t, request{method: http.MethodPost, path: "/books", body: "access_token=" + w.token(t, peterParker),
		header: field("Content-Type", "application/x-www-form-urlencoded")}).want(t, 401, "missing_token")
	if got := a.header.Get("WWW-Authenticate"); got != "Bearer" {
		t.Errorf("WWW-Authenticate %q, want Bearer", got)
	}
}

func TestWithoutATokenEverythingIs401(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paths := []string{"", "/", "/nowhere", "/books/", "/books/not-a-uuid", "/users/1/2/3", "/healthz", "/metrics", "/favicon.ico", "/me?x=1"}
	for _, r := range httpapi.Routes() {
		paths = append(paths, strings.ReplaceAll(r.Pattern, "{id}", cleanCode))
	}
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"} {
			a := w.send(t, request{method: method, path: path})
			if a.status != 401 || a.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s %s: status %d, WWW-Authenticate %q", method, path, a.status, a.header.Get("WWW-Authenticate"))
			}
		}
	}
	w.raw(t, "GET / HTTP/1.1").want(t, 401, "missing_token")
	w.raw(t, "GET /other-server/books HTTP/1.1").want(t, 401, "missing_token")
}

func TestEachRouteNamesTheScopeThatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := w.idp.Token(t, bruceWayne, "email profile")
	byBody := map[string]library.Role{"/loans": library.RoleUser, "/returns": library.RoleUser, "/books/{id}/holds": library.RoleUser} // who may depends on the body
	for _, r := range httpapi.Routes() {
		if isOfStations(r) {
			continue
		}
		a := w.send(t, request{token: none, method: r.Method, path: fill(r.Pattern, unknownID)})
		role := r.Permission.Role()
		if r.Method == http.MethodPost {
			role += byBody[r.Pattern]
		}
		if role == "" {
			if a.status == 403 {
				t.Errorf("%s %s: 403, but it is for every caller", r.Method, r.Pattern)
			}
			continue
		}
		if got := a.header.Get("WWW-Authenticate"); a.status != 403 || got != insufficient(role.Scope()) {
			t.Errorf("%s %s: %d, WWW-Authenticate %s", r.Method, r.Pattern, a.status, got)
		}
	}
}

func TestAuthorities(t *testing.T) {
	t.Parallel()
	local := []string{"ROLE_LIBRARY_USER"} // of Bruce Wayne's record
	for _, c := range []struct {
		rule   string
		mode   auth.Mode
		claims testidp.Claims
		want   []string
	}{
		{"scopes become roles", auth.ModeScope, testidp.Claims{"scope": "library_admin email"}, []string{"ROLE_LIBRARY_ADMIN", "ROLE_EMAIL"}},
		{"single spaces separate", auth.ModeScope, testidp.Claims{"scope": " library_user  email "}, []string{"ROLE_LIBRARY_USER", "ROLE_EMAIL"}},
		{"only spaces separate", auth.ModeScope, testidp.Claims{"scope": "library_user\tlibrary_admin"}, []string{"ROLE_LIBRARY_USER\tLIBRARY_ADMIN"}},
		{"an array is taken as it is", auth.ModeScope, testidp.Claims{"scope": []string{"library_user", "a b"}}, []string{"ROLE_LIBRARY_USER", "ROLE_A B"}},
		{"an array with something else in it gives none", auth.ModeScope, testidp.Claims{"scope": []any{"library_user", 1}}, []string{}},
		{"an empty scope gives none", auth.ModeScope, testidp.Claims{"scope": ""}, []string{}},
		{"no scope gives none", auth.ModeScope, testidp.Claims{"scope": nil}, []string{}},
		{"a number gives none", auth.ModeScope, testidp.Claims{"scope": 1}, []string{}},
		{"only ASCII letters change case", auth.ModeScope, testidp.Claims{"scope": "l\u0131brary_user ſ"}, []string{"ROLE_L\u0131BRARY_USER", "ROLE_ſ"}},
		{"groups do not matter", auth.ModeScope, testidp.Claims{"scope": "email", "groups": []string{"library_admin"}}, []string{"ROLE_EMAIL"}},
		{"groups become roles", auth.ModeGroups, testidp.Claims{"groups": []string{"library_curator"}, "scope": "library_admin"}, []string{"ROLE_LIBRARY_CURATOR"}},
		{"no groups give none", auth.ModeGroups, testidp.Claims{"scope": "library_admin"}, []string{}},
		{"the record counts", auth.ModeLocal, testidp.Claims{"scope": "library_admin", "groups": []string{"library_admin"}}, local},
		{"scopes stay scopes", auth.ModePlain, testidp.Claims{"scope": "library_admin email"}, []string{"SCOPE_library_admin", "SCOPE_email"}},
	} {
		t.Run(string(c.mode)+": "+c.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.auth.Authorities = c.mode })
			me := decode[api.Me](t, w.send(t, request{token: w.idp.Mint(t, c.claims), path: "/me"}).want(t, 200, ""))
			if diff := cmp.Diff(c.want, me.Authorities); diff != "" {
				t.Errorf("authorities (-want +got)\n%s", diff)
			}
		})
	}
}

func TestMeSaysWhereRolesShouldBeInTheToken(t *testing.T) {
	t.Parallel()
	elsewhere := testidp.Claims{"_claim_names": map[string]string{"groups": "src1"}, "groups": []string{"library_user"}}
	for _, c := range []struct {
		rule           string
		mode           auth.Mode
		mapping        claims.Mapping
		claims         testidp.Claims
		claim, missing string
	}{
		{"nothing, where nothing is set", auth.ModeGroups, claims.Mapping{}, nil, "", ""},
		{"groups that are elsewhere", auth.ModeGroups, claims.Mapping{}, elsewhere, "groups", api.RolesMissingElsewhere},
		{"a claim that is there", auth.ModeGroups, claims.Mapping{AuthoritiesClaim: "scope"}, nil, "scope", ""},
		{"a claim that is missing", auth.ModeGroups, claims.Mapping{AuthoritiesClaim: "realm_access.roles"}, nil, "realm_access.roles", api.RolesMissingClaim},
		{"a claim that is unusable", auth.ModeGroups, claims.Mapping{AuthoritiesClaim: "r"}, testidp.Claims{"r": 1}, "r", api.RolesMissingUsable},
		{"values that are not in the map", auth.ModeScope, claims.Mapping{Roles: claims.RoleMap{"staff": {"LIBRARY_USER"}}}, nil, "scope", api.RolesMissingMapped},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.auth.Authorities, s.auth.Mapping = c.mode, c.mapping })
			me := decode[api.Me](t, w.send(t, request{token: w.idp.Mint(t, c.claims), path: "/me"}).want(t, 200, ""))
			if me.RolesClaim != c.claim || me.RolesMissing != c.missing || c.missing != "" && len(me.Authorities) > 0 {
				t.Errorf("%+v", me)
			}
		})
	}
}

func TestInPlainModeNoRoleCheckIsSatisfied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.auth.Authorities = auth.ModePlain })
	w.send(t, request{as: clarkKent, path: "/books"}).want(t, 200, "")
	w.send(t, request{as: clarkKent, path: "/users"}).want(t, 403, "role_missing")
	w.send(t, request{as: bruceWayne, method: http.MethodPost, path: borrowPath}).want(t, 403, "role_missing")
}

func TestInLocalModeARoleIsGivenAndTakenAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.auth.Authorities = auth.ModeLocal })
	edit := func(roles string) {
		t.Helper()
		w.send(t, request{as: clarkKent, method: http.MethodPut, path: userPath,
			body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","roles":` + roles + `}`}).want(t, 200, "")
	}
	list := request{as: bruceWayne, path: "/users"}
	w.send(t, list).want(t, 403, "role_missing")
	edit(`["LIBRARY_ADMIN"]`)
	w.send(t, list).want(t, 200, "")
	edit(`[]`)
	w.send(t, list).want(t, 403, "role_missing")
	me := decode[api.Me](t, w.send(t, request{as: bruceWayne, path: "/me"}).want(t, 200, ""))
	if me.Authorities == nil || len(me.Authorities) > 0 {
		t.Errorf("authorities %#v, want none", me.Authorities)
	}
}

func TestTheLastAdminKeepsTheRoleWhereTheRecordGivesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.auth.Authorities = auth.ModeLocal })
	edit := func(id, email, roles string) reply {
		t.Helper()
		return w.send(t, request{as: clarkKent, method: http.MethodPut, path: "/users/" + id,
			body: `{"email":"` + email + `","firstName":"A","lastName":"B","roles":` + roles + `}`})
	}
	edit(kentID, clarkKent, `[]`).want(t, 409, "last_admin")
	edit(kentID, clarkKent, `["LIBRARY_USER"]`).want(t, 409, "last_admin")
	edit(kentID, clarkKent, `["LIBRARY_USER","LIBRARY_ADMIN"]`).want(t, 200, "")
	edit(wayneID, bruceWayne, `["LIBRARY_ADMIN"]`).want(t, 200, "")
	edit(kentID, clarkKent, `["LIBRARY_USER"]`).want(t, 200, "")
	edit(wayneID, bruceWayne, `[]`).want(t, 403, "role_missing")

	token := newWorld(t) // where the token gives the role, the record may say anything
	token.send(t, request{as: clarkKent, method: http.MethodPut, path: "/users/" + kentID,
		body: `{"email":"` + clarkKent + `","firstName":"A","lastName":"B","roles":[]}`}).want(t, 200, "")
}

func TestAnUnverifiedAddressCanBeRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *setup) { s.auth.RequireVerifiedEmail = true })
	for _, c := range []struct {
		verified any
		status   int
		code     string
	}{{true, 200, ""}, {false, 401, "email_not_verified"}, {"true", 401, "email_not_verified"}, {nil, 401, "email_not_verified"}} {
		w.send(t, request{token: w.idp.Mint(t, testidp.Claims{"email_verified": c.verified}), path: "/books"}).want(t, c.status, c.code)
	}
}

func TestWithoutKeysTheAnswerIs503(t *testing.T) {
	t.Parallel()
	retry := func(a reply) {
		t.Helper()
		if a.header.Get("Retry-After") == "" || a.header.Get("WWW-Authenticate") != "" {
			t.Errorf("Retry-After %q, WWW-Authenticate %q", a.header.Get("Retry-After"), a.header.Get("WWW-Authenticate"))
		}
	}
	w := newWorld(t, func(s *setup) { s.keysURL = "http://127.0.0.1:1/keys" })
	retry(w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 503, "keys_unavailable"))
	w.send(t, request{path: "/books"}).want(t, 401, "missing_token")
	w.send(t, request{token: w.idp.Mint(t, testidp.Claims{"exp": 1}), path: "/books"}).want(t, 401, "expired")

	w = newWorld(t)
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	w.idp.Fail(true)
	retry(w.send(t, request{token: w.idp.Mint(t, nil, testidp.Header("kid", "new")), path: "/books"}).want(t, 503, "keys_unavailable"))
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
}

func TestANewKeyIsFetchedAndTheOldOneIsNoLongerGood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	w.idp.Rotate(t)
	w.send(t, request{token: w.idp.Mint(t, nil), path: "/books"}).want(t, 200, "")
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 401, "unknown_key")
	if n := w.idp.Fetches(); n != 2 {
		t.Errorf("the keys were fetched %d times, want 2", n)
	}
}

// Untrusted input in a token must not come back.
func TestNoTextFromATokenIsEchoed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const mark = "MARK-5d2f"
	for name, token := range map[string]string{
		"issuer":    w.idp.Mint(t, testidp.Claims{"iss": mark}),
		"audience":  w.idp.Mint(t, testidp.Claims{"aud": mark}),
		"e-mail":    w.idp.Mint(t, testidp.Claims{"email": mark}),
		"kid":       w.idp.Mint(t, nil, testidp.Header("kid", mark)),
		"algorithm": w.idp.Mint(t, nil, testidp.Header("alg", mark)),
		"type":      w.idp.Mint(t, nil, testidp.Header("typ", mark)),
		"exp":       w.idp.Mint(t, testidp.Claims{"exp": mark}),
		"scope":     w.idp.Mint(t, testidp.Claims{"scope": mark}),
	} {
		a := w.send(t, request{token: token, path: "/users"})
		text := string(a.body)
		for _, values := range a.header {
			text += strings.Join(values, "\n")
		}
		if a.status == 200 || strings.Contains(text, mark) || strings.Contains(w.log.String(), mark) {
			t.Errorf("%s: status %d, text %s", name, a.status, text)
		}
	}
}
