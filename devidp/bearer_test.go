package devidp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

func (w *world) userinfo(fields ...string) answer {
	r := httptest.NewRequest(http.MethodGet, at(pathUserinfo), nil)
	r.Header["Authorization"] = fields
	return w.do(r)
}

func TestUserinfo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tokens := w.login("bwayne", "openid")
	a := w.userinfo("bearer  " + tokens.str("access_token"))
	want := map[string]any{
		"sub": w.claims(tokens.str("id_token"))["sub"], "groups": []any{"library_user"},
		"email": "bruce.wayne@example.com", "email_verified": true, "name": "Bruce Wayne",
		"preferred_username": "bwayne", "given_name": "Bruce", "family_name": "Wayne",
	}
	if diff := cmp.Diff(want, a.json); a.StatusCode != http.StatusOK || diff != "" {
		t.Errorf("%d (-want +got):\n%s", a.StatusCode, diff)
	}
	invalid := `Bearer error="invalid_token", error_description="The token is unknown, expired or revoked"`
	for _, tt := range []struct {
		name      string
		fields    []string
		status    int
		challenge string
	}{
		{"no token", nil, 401, "Bearer"},
		{"another scheme", []string{basic(confidential, secret)}, 401, "Bearer"},
		{"empty", []string{"Bearer"}, 401, invalid},
		{"garbage", []string{"Bearer x"}, 401, invalid},
		{"an ID token", []string{"Bearer " + tokens.str("id_token")}, 401, invalid},
		{"a refresh token", []string{"Bearer " + tokens.str("refresh_token")}, 401, invalid},
		{"a broken signature", []string{"Bearer " + tokens.str("access_token")[:700]}, 401, invalid},
		{"two fields", []string{"Bearer x", "Bearer x"}, 400, `Bearer error="invalid_request", error_description="More than one Authorization field"`},
	} {
		if a := w.userinfo(tt.fields...); a.StatusCode != tt.status || a.Header.Get("WWW-Authenticate") != tt.challenge {
			t.Errorf("%s: %d %v", tt.name, a.StatusCode, a.Header)
		}
	}
	w.clock.Advance(tokenLifetime)
	testkit.Equal(t, w.userinfo("Bearer "+tokens.str("access_token")).StatusCode, 401, "an expired token")
}

func TestTokensOfAnotherKeyOrIssuerAreNotBelieved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := newWorld(t, func(o *Options) { o.Issuer = "http://other.example/auth/realms/workshop" })
	if w.active(other.login("ckent", "").str("access_token")) {
		t.Error("another issuer is believed")
	}
	token := w.login("bwayne", "").str("access_token")
	segments := strings.Split(token, ".")
	for name, forged := range map[string]string{
		"none":            encodeSegment([]byte(`{"alg":"none"}`)) + "." + segments[1] + ".",
		"changed claims":  segments[0] + "." + encodeSegment([]byte(`{"sub":"x"}`)) + "." + segments[2],
		"unknown key":     encodeSegment([]byte(`{"alg":"RS256","kid":"x"}`)) + "." + segments[1] + "." + segments[2],
		"other algorithm": encodeSegment([]byte(`{"alg":"HS256","kid":"`+sharedKeys().snapshot().Current.KeyID+`"}`)) + "." + segments[1] + "." + segments[2],
		"line break":      token + "\n",
		"too long":        token + strings.Repeat("A", maxTokenSize),
	} {
		if w.active(forged) {
			t.Errorf("%s is believed", name)
		}
	}
}

func TestIntrospection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tokens := w.login("bwayne", "")
	a := w.post(pathIntrospect, asClient("token", tokens.str("access_token"), "token_type_hint", "refresh_token"))
	if a.json["active"] != true || a.str("client_id") != confidential || a.str("username") != "bwayne" || a.str("scope") != "library_user email profile" ||
		a.str("iss") != DefaultIssuer || a.str("token_type") != "bearer" || a.str("email") == "" {
		t.Errorf("access token: %s", a.text)
	}
	if a := w.post(pathIntrospect, asClient("token", tokens.str("refresh_token"))); a.json["active"] != true {
		t.Errorf("refresh token: %s", a.text)
	}
	web := w.browser().webTokens()
	for name, token := range map[string]string{"garbage": "x", "ID token": web.str("id_token"), "another client's refresh token": web.str("refresh_token")} {
		if a := w.post(pathIntrospect, asClient("token", token)); a.StatusCode != 200 || a.text != "{\"active\":false}\n" {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.text)
		}
	}
	w.refused(w.post(pathIntrospect, asClient()), 400, "invalid_request")
	w.refused(w.post(pathIntrospect, form("token", "x")), 401, "invalid_client")
	w.refused(w.post(pathIntrospect, form("token", "x", "client_id", "library-web")), 401, "invalid_client")
	w.refused(w.post(pathIntrospect, form("token", "x", "client_id", confidential, "client_secret", "x")), 401, "invalid_client")
	w.clock.Advance(tokenLifetime)
	if w.active(tokens.str("access_token")) {
		t.Error("an expired token is active")
	}
	w.clock.Advance(refreshLifetime)
	if w.active(tokens.str("refresh_token")) {
		t.Error("an expired refresh token is active")
	}
}

func TestRemovedUsersTokensAreWorthNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token := w.login("bwayne", "").str("access_token")
	cfg := DefaultConfig()
	cfg.Users = cfg.Users[1:]
	testkit.NoError(t, w.provider.Reload(cfg))
	if w.active(token) || w.userinfo("Bearer "+token).StatusCode != 401 {
		t.Error("the token is still good")
	}
}

func TestRevocation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	revoke := func(pairs ...string) {
		t.Helper()
		a := w.post(pathRevoke, form(pairs...))
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/json" || a.text != "{}\n" {
			t.Errorf("got %d %s", a.StatusCode, a.text)
		}
	}
	first, second := w.login("bwayne", ""), w.browser().webTokens()

	revoke("client_id", "library-web", "token", "garbage")
	revoke("client_id", "library-web", "token", first.str("access_token"))
	revoke("client_id", "library-web", "token", first.str("refresh_token"))
	if !w.active(first.str("access_token")) || !w.active(first.str("refresh_token")) {
		t.Error("a client has revoked another's token")
	}
	revoke("client_id", confidential, "client_secret", secret, "token", first.str("access_token"), "token_type_hint", "refresh_token")
	if w.active(first.str("access_token")) || w.userinfo("Bearer "+first.str("access_token")).StatusCode != 401 {
		t.Error("the access token is still good")
	}
	rotated := w.refresh(first.str("refresh_token"))
	if !w.active(rotated.str("access_token")) {
		t.Error("the family has ended with one access token")
	}
	w.clock.Advance(tokenLifetime - time.Second)
	if w.active(first.str("access_token")) {
		t.Error("the revocation was forgotten too early")
	}
	revoke("client_id", "library-web", "token", second.str("refresh_token"))
	if w.active(second.str("access_token")) {
		t.Error("an access token has outlived its family")
	}
	w.refused(w.post(pathToken, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", second.str("refresh_token"))), 400, "invalid_grant")
	w.refused(w.post(pathRevoke, form("client_id", "library-web")), 400, "invalid_request")
	w.refused(w.post(pathRevoke, form("token", "x")), 401, "invalid_client")
	w.refused(w.post(pathRevoke, form("token", "x", "client_id", confidential)), 401, "invalid_client")
}
