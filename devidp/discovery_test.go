package devidp

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

func TestDiscovery(t *testing.T) {
	t.Parallel()
	a := newWorld(t).do(httptest.NewRequest(http.MethodGet, at(pathDiscovery), nil))
	const endpoints = DefaultIssuer + "/protocol/openid-connect/"
	want := map[string]any{
		"issuer":                                DefaultIssuer,
		"authorization_endpoint":                endpoints + "auth",
		"token_endpoint":                        endpoints + "token",
		"userinfo_endpoint":                     endpoints + "userinfo",
		"jwks_uri":                              endpoints + "certs",
		"end_session_endpoint":                  endpoints + "logout",
		"revocation_endpoint":                   endpoints + "revoke",
		"introspection_endpoint":                endpoints + "token/introspect",
		"dpop_signing_alg_values_supported":     []any{"ES256"},
		"response_types_supported":              []any{"code"},
		"response_modes_supported":              []any{"query"},
		"grant_types_supported":                 []any{"authorization_code", "refresh_token", "client_credentials", "password"},
		"subject_types_supported":               []any{"public"},
		"id_token_signing_alg_values_supported": []any{"RS256"},
		"scopes_supported":                      []any{"openid", "offline_access", "email", "profile", "library_user", "library_curator", "library_admin"},
		"claims_supported": []any{"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "sid", "groups",
			"email", "email_verified", "name", "preferred_username", "given_name", "family_name"},
		"token_endpoint_auth_methods_supported":          []any{"client_secret_basic", "client_secret_post", "none"},
		"revocation_endpoint_auth_methods_supported":     []any{"client_secret_basic", "client_secret_post", "none"},
		"introspection_endpoint_auth_methods_supported":  []any{"client_secret_basic", "client_secret_post"},
		"code_challenge_methods_supported":               []any{"S256"},
		"prompt_values_supported":                        []any{"none", "login", "consent"},
		"ui_locales_supported":                           []any{"en", "de"},
		"authorization_response_iss_parameter_supported": true,
		"request_uri_parameter_supported":                false,
		"backchannel_logout_supported":                   true,
		"backchannel_logout_session_supported":           true,
	}
	if diff := cmp.Diff(want, a.json); a.StatusCode != http.StatusOK || diff != "" {
		t.Errorf("%d (-want +got):\n%s", a.StatusCode, diff)
	}
}

func TestLogHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := newWorld(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	b := w.browser()
	q := b.signIn("bwayne", "wayne", authQuery("library-web", webCallback))
	tokens := w.post(pathToken, webCode(q.Get("code")))
	w.post(pathToken, webCode(q.Get("code")))
	own := w.login("pparker", "openid")
	w.refresh(own.str("refresh_token"))
	w.refresh(own.str("refresh_token"))
	w.post(pathToken, passwordForm("bwayne", "typed-password"))
	w.post(pathToken, passwordForm("typed-name", "typed-password"))
	w.post(pathToken, with(passwordForm("bwayne", "wayne"), "client_secret", "typed-secret"))
	w.post(pathToken, with(passwordForm("bwayne", "wayne"), "client_id", "typed-client"))
	b.get(at(pathLogout) + "?id_token_hint=" + tokens.str("id_token"))
	secrets := []string{
		"typed", secret, q.Get("code"), b.cookies[cookieBrowser], "@",
		tokens.str("access_token"), tokens.str("refresh_token"), tokens.str("id_token"), own.str("refresh_token"), challenge, verifier,
	}
	for _, s := range secrets {
		if s == "" || strings.Contains(log.String(), s) {
			t.Errorf("the log holds %q:\n%s", s, log.String())
		}
	}
	testkit.Contains(t, log.String(), "logged in", "code issued", "tokens issued", "code used again", "refresh token used again", "wrong password", "unknown user", "logged out")
}

// Whatever a request says, the browser is sent only to addresses that are
// registered, and nobody gets in without a password.
