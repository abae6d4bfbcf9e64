package devidp

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

// The table of token request fields of the specification, row by row.
func TestEachRequiredFieldOfATokenRequestIsRequired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := map[string]func() url.Values{
		"client_credentials": func() url.Values { return asClient("grant_type", "client_credentials") },
		"password":           func() url.Values { return passwordForm("bwayne", "wayne") },
		"authorization_code": func() url.Values {
			code := w.browser().signIn("bwayne", "wayne", authQuery(confidential, callback)).Get("code")
			return asClient("grant_type", "authorization_code", "code", code, "redirect_uri", callback, "code_verifier", verifier)
		},
		"refresh_token": func() url.Values {
			return asClient("grant_type", "refresh_token", "refresh_token", w.login("bwayne", "").str("refresh_token"))
		},
	}
	for _, tt := range []struct {
		field, error string
		status       int
		grants       []string
	}{
		{"", "", 200, []string{"client_credentials", "password", "authorization_code", "refresh_token"}},
		{"grant_type", "invalid_request", 400, []string{"client_credentials", "password", "authorization_code", "refresh_token"}},
		{"client_id", "invalid_client", 401, []string{"client_credentials", "password", "authorization_code", "refresh_token"}},
		{"client_secret", "invalid_client", 401, []string{"client_credentials", "password", "authorization_code", "refresh_token"}},
		{"username", "invalid_request", 400, []string{"password"}},
		{"password", "invalid_request", 400, []string{"password"}},
		{"code", "invalid_request", 400, []string{"authorization_code"}},
		{"redirect_uri", "invalid_request", 400, []string{"authorization_code"}},
		{"refresh_token", "invalid_request", 400, []string{"refresh_token"}},
	} {
		for _, grant := range tt.grants {
			missing, empty := with(good[grant](), tt.field, ""), good[grant]()
			if tt.field != "" {
				empty.Set(tt.field, "")
			}
			for _, fields := range []url.Values{missing, empty} {
				a := w.post(pathToken, fields)
				if a.StatusCode != tt.status || a.str("error") != tt.error {
					t.Errorf("%s without %q: %d %s", grant, tt.field, a.StatusCode, a.text)
				}
			}
		}
	}
}

var uuidPattern = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func TestTokenResponseHasExactlyTheFieldsOfItsGrant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	session := []string{"access_token", "expires_in", "not-before-policy", "refresh_expires_in", "refresh_token", "scope", "session_state", "token_type"}
	withID := append([]string{"access_token", "expires_in", "id_token"}, session[2:]...)
	service := []string{"access_token", "expires_in", "not-before-policy", "scope", "token_type"}
	password := w.login("bwayne", "")
	for _, tt := range []struct {
		name   string
		answer answer
		fields []string
		scope  string
	}{
		{"password", password, session, "library_user email profile"},
		{"password with openid", w.login("bwayne", "openid"), withID, "library_user email profile openid"},
		{"refresh", w.refresh(password.str("refresh_token")), session, "library_user email profile"},
		{"code", w.browser().webTokens(), withID, "library_user email profile openid"},
		{"code without openid", w.browser().webTokens("scope", ""), session, "library_user email profile"},
		{
			"client credentials", w.post(pathToken, asClient("grant_type", "client_credentials", "scope", "openid library_admin")),
			service, "library_curator email profile",
		},
		{
			"client credentials with fields of other grants",
			w.post(pathToken, asClient("grant_type", "client_credentials", "username", "ckent", "password", "kent", "code", "x", "redirect_uri", callback)),
			service, "library_curator email profile",
		},
		{
			"password with fields of other grants", w.post(pathToken, with(passwordForm("bwayne", "wayne"), "code", "x", "redirect_uri", callback)),
			session, "library_user email profile",
		},
		{
			"code with fields of other grants, and a scope too late",
			w.post(pathToken, asClient("grant_type", "authorization_code", "redirect_uri", callback, "code_verifier", verifier,
				"code", w.browser().signIn("bwayne", "wayne", authQuery(confidential, callback, "scope", "")).Get("code"),
				"username", "ckent", "password", "kent", "scope", "openid library_admin")),
			session, "library_user email profile",
		},
	} {
		a := tt.answer
		if diff := cmp.Diff(tt.fields, a.members()); diff != "" {
			t.Errorf("%s: fields (-want +got):\n%s", tt.name, diff)
		}
		if a.str("scope") != tt.scope || a.json["expires_in"] != 300.0 || a.str("token_type") != "bearer" {
			t.Errorf("%s: %s", tt.name, a.text)
		}
		if _, isNumber := a.json["not-before-policy"].(float64); !isNumber {
			t.Errorf("%s: not-before-policy %v", tt.name, a.json["not-before-policy"])
		}
		if refresh, ok := a.json["refresh_expires_in"]; ok && (refresh != 1800.0 || !uuidPattern.MatchString(a.str("session_state"))) {
			t.Errorf("%s: refresh_expires_in %v, session_state %q", tt.name, refresh, a.str("session_state"))
		}
		if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers %v", tt.name, a.Header)
		}
	}
}

func TestAccessTokenHasExactlyTheListedClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.login("bwayne", "openid")
	got := w.claims(a.str("access_token"))
	jti, _ := got["jti"].(string)
	sub, _ := got["sub"].(string)
	if len(jti) < 20 || len(sub) != 36 {
		t.Errorf("jti %q, sub %q", jti, sub)
	}
	now := float64(w.clock.Now().Unix())
	want := map[string]any{
		"iss": DefaultIssuer, "sub": sub, "aud": []any{"library-service"}, "exp": now + 300, "iat": now,
		"jti": jti, "typ": "Bearer", "azp": confidential, "sid": a.str("session_state"), "session_state": a.str("session_state"),
		"scope": "library_user email profile openid", "groups": []any{"library_user"},
		"email": "bruce.wayne@example.com", "email_verified": true, "name": "Bruce Wayne",
		"preferred_username": "bwayne", "given_name": "Bruce", "family_name": "Wayne",
	}
	testkit.Diff(t, want, got)
	delete(want, "session_state")
	delete(want, "scope")
	want["typ"], want["aud"], want["auth_time"] = "ID", confidential, now
	want["at_hash"] = accessHash(a.str("access_token"))
	id := w.claims(a.str("id_token"))
	want["jti"] = id["jti"]
	testkit.Diff(t, want, id)
	if again := w.claims(newWorld(t).post(pathToken, passwordForm("BWayne", "wayne")).str("access_token")); again["sub"] != sub {
		t.Error("the subject is not the same at every start")
	}
}

func TestServiceAccountTokenHasNoSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.claims(w.post(pathToken, asClient("grant_type", "client_credentials")).str("access_token"))
	if got["sid"] != nil || got["session_state"] != nil {
		t.Errorf("a session: %v", got)
	}
	if got["email"] != "service-account-library-client@placeholder.org" || got["preferred_username"] != "service-account-library-client" {
		t.Errorf("another account: %v", got)
	}
}

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

func TestClientAuthentication(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withConfig(func(c *Config) {
		c.Clients = append(c.Clients, Client{ID: "odd", Secret: "s:%+ ä", Grants: []string{grantPassword}})
	}))
	user := form("grant_type", "password", "username", "bwayne", "password", "wayne")
	for _, tt := range []struct {
		name      string
		fields    []string
		form      url.Values
		status    int
		error     string
		challenge string
	}{
		{"secret in the header", []string{basic(confidential, secret)}, user, 200, "", ""},
		{"secret in the header, name in both", []string{basic(confidential, secret)}, with(user, "client_id", confidential), 200, "", ""},
		{"secret in the body", nil, passwordForm("bwayne", "wayne"), 200, "", ""},
		{"a secret with special characters", []string{basic("odd", "s:%+ ä")}, user, 200, "", ""},
		{"both ways at once", []string{basic(confidential, secret)}, passwordForm("bwayne", "wayne"), 400, "invalid_request", ""},
		{"two names", []string{basic(confidential, secret)}, with(user, "client_id", "library-web"), 400, "invalid_request", ""},
		{"two header fields", []string{basic(confidential, secret), basic(confidential, secret)}, user, 400, "invalid_request", ""},
		{"wrong secret in the header", []string{basic(confidential, "x")}, user, 401, "invalid_client", `Basic realm="library"`},
		{"unknown client in the header", []string{basic("nobody", secret)}, user, 401, "invalid_client", `Basic realm="library"`},
		{"broken header", []string{"Basic ???"}, user, 401, "invalid_client", `Basic realm="library"`},
		{"another scheme", []string{"Bearer x"}, user, 401, "invalid_client", `Basic realm="library"`},
		{"broken escape in the header", []string{"Basic " + base64.StdEncoding.EncodeToString([]byte("%zz:x"))}, user, 401, "invalid_client", `Basic realm="library"`},
		{"wrong secret in the body", nil, with(passwordForm("bwayne", "wayne"), "client_secret", "x"), 401, "invalid_client", ""},
		{"unknown client in the body", nil, with(passwordForm("bwayne", "wayne"), "client_id", "x"), 401, "invalid_client", ""},
		{"a secret of a client that has none", nil, with(passwordForm("bwayne", "wayne"), "client_id", "library-web"), 401, "invalid_client", ""},
		{"no client", nil, user, 401, "invalid_client", ""},
		{"a public client where its grant is not allowed", nil, with(user, "client_id", "library-web"), 400, "unauthorized_client", ""},
		{"a public client in the header", []string{basic("library-web", "")}, user, 400, "unauthorized_client", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := formRequest(at(pathToken), tt.form.Encode())
			r.Header["Authorization"] = tt.fields
			a := w.do(r)
			if a.StatusCode != tt.status || a.str("error") != tt.error || a.Header.Get("WWW-Authenticate") != tt.challenge {
				t.Errorf("got %d %s %v", a.StatusCode, a.text, a.Header)
			}
		})
	}
}

func TestMalformedTokenRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := passwordForm("bwayne", "wayne").Encode()
	for _, tt := range []struct {
		name, kind, body string
		status           int
		error            string
	}{
		{"a charset is fine", "application/x-www-form-urlencoded; charset=utf-8", good, 200, ""},
		{"JSON", "application/json", `{"grant_type":"password"}`, 400, "invalid_request"},
		{"no content type", "", good, 400, "invalid_request"},
		{"a parameter twice", "application/x-www-form-urlencoded", good + "&grant_type=password", 400, "invalid_request"},
		{"an unknown parameter twice", "application/x-www-form-urlencoded", good + "&x=1&x=1", 400, "invalid_request"},
		{"an unknown parameter", "application/x-www-form-urlencoded", good + "&x=1", 200, ""},
		{"a broken escape", "application/x-www-form-urlencoded", good + "&x=%zz", 400, "invalid_request"},
		{"not UTF-8", "application/x-www-form-urlencoded", good + "&x=%ff", 400, "invalid_request"},
		{"too long", "application/x-www-form-urlencoded", good + "&x=" + strings.Repeat("x", maxBody), 413, "invalid_request"},
		{"an unknown grant", "application/x-www-form-urlencoded", strings.Replace(good, "=password", "=implicit", 1), 400, "unsupported_grant_type"},
		{"a malformed scope", "application/x-www-form-urlencoded", good + "&scope=%22", 400, "invalid_scope"},
		{"an unknown scope is ignored", "application/x-www-form-urlencoded", good + "&scope=foo+offline_access", 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := formRequest(at(pathToken), tt.body)
			r.Header.Set("Content-Type", tt.kind)
			a := w.do(r)
			if a.StatusCode != tt.status || a.str("error") != tt.error {
				t.Errorf("got %d %s", a.StatusCode, a.text)
			}
			if tt.status == 200 && a.str("scope") != "library_user email profile" {
				t.Errorf("scope %q", a.str("scope"))
			}
		})
	}
	t.Run("parameters in the address are not looked at", func(t *testing.T) {
		r := formRequest(at(pathToken)+"?"+good, "")
		w.refused(w.do(r), 400, "invalid_request")
	})
}

func TestMethodsAndPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", at(pathToken), 405, "POST"},
		{"PUT", at(pathAuth), 405, "GET, HEAD, POST"},
		{"POST", at(pathKeys), 405, "GET, HEAD"},
		{"OPTIONS", at(pathToken), 405, "POST"},
		{"HEAD", at(pathDiscovery), 200, ""},
		{"GET", "/", 404, ""},
		{"GET", "/auth/realms/workshop", 404, ""},
		{"GET", at(pathKeys) + "/", 404, ""},
		{"GET", "/auth/realms/workshop/protocol/openid-connect/%63erts", 404, ""},
		{"GET", "/auth/realms/workshop//protocol/openid-connect/certs", 404, ""},
		{"GET", "/AUTH/realms/workshop" + pathKeys, 404, ""},
		{"GET", pathKeys, 404, ""},
	} {
		a := w.do(httptest.NewRequest(tt.method, tt.path, nil))
		if a.StatusCode != tt.status || a.Header.Get("Allow") != tt.allow {
			t.Errorf("%s %s: %d %v", tt.method, tt.path, a.StatusCode, a.Header)
		}
	}
}

func TestNobodyGetsAScopeByAsking(t *testing.T) {
	t.Parallel()
	const asked = "openid library_admin library_curator library_user offline_access email"
	w := newWorld(t)
	check := func(grant string, a answer, more string) {
		t.Helper()
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s", grant, a.StatusCode, a.text)
		}
		testkit.Equal(t, a.str("scope"), "library_user email profile openid"+more, grant)
		if c := w.claims(a.str("access_token")); c["scope"] != a.json["scope"] || len(c["groups"].([]any)) != 1 {
			t.Errorf("%s: claims %v", grant, c)
		}
	}
	password := w.login("bwayne", asked)
	check("password", password, "")
	check("refresh", w.refresh(password.str("refresh_token")), "")
	check("code", w.browser().webTokens("scope", asked), " offline_access")
	again := w.login("bwayne", asked)
	a := w.post(pathToken, asClient("grant_type", "refresh_token", "refresh_token", again.str("refresh_token"), "scope", "library_admin"))
	w.refused(a, 400, "invalid_scope")
	check("refresh after a refused one", w.refresh(again.str("refresh_token")), "")
	a = w.post(pathToken, asClient("grant_type", "client_credentials", "scope", "library_admin"))
	if a.str("scope") != "library_curator email profile" {
		t.Errorf("client credentials: %s", a.text)
	}
}
