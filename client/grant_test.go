package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// near reports whether a time is so far from now, give or take.
func near(at time.Time, from time.Duration) bool {
	return (time.Until(at) - from).Abs() < time.Minute
}

func TestClientCredentialsGiveATokenOfTheProgramItself(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	token, err := p.ClientCredentials(t.Context(), service, "openid")
	testkit.NoError(t, err)
	if token.Access == "" || token.Refresh != "" || token.ID != "" || !near(token.Expiry, 300*time.Second) ||
		!token.RefreshExpiry.IsZero() || !slices.Contains(token.Scope, "library_curator") {
		t.Errorf("got %v, refresh %t, ID %t", token, token.Refresh != "", token.ID != "")
	}
}

func TestAPasswordGivesATokenOfAPerson(t *testing.T) {
	t.Parallel()
	token := personToken(t, discover(t, startIDP(t).Issuer))
	if token.Access == "" || token.Refresh == "" || token.ID == "" || !near(token.Expiry, 300*time.Second) ||
		!near(token.RefreshExpiry, 1800*time.Second) || !slices.Contains(token.Scope, "library_user") {
		t.Errorf("got %v until %v", token, token.RefreshExpiry)
	}
}

func TestTheProviderRefusesWhomItDoesNotKnow(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	for name, c := range map[string]struct {
		client   Credentials
		password string
		code     string
	}{
		"wrong password":   {service, "s3cr3t", "invalid_grant"},
		"wrong secret":     {Credentials{service.ID, "s3cr3t"}, "wayne", "invalid_client"},
		"unknown client":   {Credentials{"nobody", "s3cr3t"}, "wayne", "invalid_client"},
		"grant not given":  {terminal, "wayne", "unauthorized_client"},
		"no client at all": {Credentials{}, "wayne", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := p.Password(t.Context(), c.client, "bwayne", c.password)
			var refused *ProviderError
			if c.code == "" {
				says(t, err, "client id is missing")
			} else if says(t, err, c.code); !errors.As(err, &refused) || refused.Code != c.code {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestARefreshRotatesAndKeepsTheIDToken(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	old := personToken(t, p)
	next, err := p.Refresh(t.Context(), service, old)
	testkit.NoError(t, err)
	if next.Refresh == old.Refresh || next.Access == old.Access || next.ID != old.ID || !near(next.RefreshExpiry, 1800*time.Second) {
		t.Errorf("got %v", next)
	}
	if _, err := p.Refresh(t.Context(), service, old); err != ErrSessionEnded {
		t.Errorf("used again: %v", err)
	}
	if _, err := p.Refresh(t.Context(), service, next); err != ErrSessionEnded {
		t.Errorf("the family is alive after a reuse: %v", err)
	}
	if _, err := p.Refresh(t.Context(), service, Token{Access: "x"}); !errors.Is(err, ErrSessionEnded) {
		t.Errorf("without a refresh token: %v", err)
	}
}

// A provider that is overloaded says all kinds of things; the session goes on.
func TestOnlyARefusalEndsTheSession(t *testing.T) {
	t.Parallel()
	for status, ended := range map[int]bool{400: true, 401: true, 429: false, 500: false, 503: false} {
		f := startFake(t)
		f.token = func(w http.ResponseWriter, _ *http.Request) {
			sendJSON(w, status, map[string]string{"error": "invalid_grant"})
		}
		_, err := discover(t, f.URL).Refresh(t.Context(), terminal, Token{Refresh: "r"})
		if err == nil || errors.Is(err, ErrSessionEnded) != ended {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestWhatATokenResponseLeavesOutIsAsItWas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  map[string]any
		refresh string
		expires time.Duration // of the refresh token, 0 is unknown
		scope   string
	}{
		"nothing left out":              {goodToken(), "refresh", 1800 * time.Second, "library_user email"},
		"the refresh token":             {goodToken("refresh_token", nil, "refresh_expires_in", nil), "old", time.Hour, "library_user email"},
		"the scope":                     {goodToken("scope", nil), "refresh", 1800 * time.Second, "a"},
		"the end of a new one":          {goodToken("refresh_expires_in", nil), "refresh", 0, "library_user email"},
		"an end of 0, which is none":    {goodToken("refresh_expires_in", 0), "refresh", 0, "library_user email"},
		"an end that cannot be":         {goodToken("refresh_expires_in", 1e300), "refresh", 0, "library_user email"},
		"an end that is no number":      {goodToken("refresh_expires_in", "soon"), "refresh", 0, "library_user email"},
		"a type in another spelling":    {goodToken("token_type", "bEARER"), "refresh", 1800 * time.Second, "library_user email"},
		"an ID token nobody asked for":  {goodToken("id_token", "unchecked"), "refresh", 1800 * time.Second, "library_user email"},
		"a scope with too many spaces ": {goodToken("scope", " a  b "), "refresh", 1800 * time.Second, "a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.token = func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, http.StatusOK, c.answer) }
			old := Token{Refresh: "old", RefreshExpiry: time.Now().Add(time.Hour), Scope: []string{"a"}}
			got, err := discover(t, f.URL).Refresh(t.Context(), terminal, old)
			testkit.NoError(t, err)
			if got.Refresh != c.refresh || strings.Join(got.Scope, " ") != c.scope || got.ID != "" {
				t.Errorf("got %v, refresh token %q, ID %q", got, got.Refresh, got.ID)
			}
			if got.RefreshExpiry.IsZero() != (c.expires == 0) || c.expires != 0 && !near(got.RefreshExpiry, c.expires) {
				t.Errorf("refresh token until %v", got.RefreshExpiry)
			}
		})
	}
}

func TestTheSecretGoesWhereTheProviderRequiresIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		methods []string
		client  Credentials
		want    string // header, form, public or an error
	}{
		"nothing said":             {nil, Credentials{"a b", "s&t"}, "form"},
		"both":                     {[]string{"client_secret_basic", "client_secret_post"}, Credentials{"a b", "s&t"}, "form"},
		"header alone":             {[]string{"client_secret_basic"}, Credentials{"a b", "s&t"}, "header"},
		"neither":                  {[]string{"private_key_jwt"}, Credentials{"a b", "s&t"}, "does not take client secrets"},
		"neither, but no secret":   {[]string{"private_key_jwt"}, Credentials{ID: "a b"}, "public"},
		"header alone, no secret ": {[]string{"client_secret_basic"}, Credentials{ID: "a b"}, "public"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.document = changed(f.document, "token_endpoint_auth_methods_supported", c.methods,
				"revocation_endpoint_auth_methods_supported", c.methods)
			f.token = func(w http.ResponseWriter, r *http.Request) {
				got := "none"
				switch user, password, basic := r.BasicAuth(); {
				case basic && user == "a+b" && password == "s%26t" && r.FormValue("client_id") == "":
					got = "header"
				case !basic && r.FormValue("client_id") == "a b" && r.FormValue("client_secret") == "s&t":
					got = "form"
				case !basic && r.FormValue("client_id") == "a b" && !r.Form.Has("client_secret"):
					got = "public"
				}
				testkit.Equal(t, got, c.want, r.URL.Path)
				sendJSON(w, http.StatusOK, goodToken())
			}
			f.revoke = f.token
			p := discover(t, f.URL)
			_, err := p.ClientCredentials(t.Context(), c.client)
			revoked := p.Revoke(t.Context(), c.client, Token{Access: "x"})
			if strings.Contains(c.want, " ") {
				says(t, err, c.want)
				says(t, revoked, c.want)
			} else if err != nil || revoked != nil {
				t.Errorf("%v, %v", err, revoked)
			}
		})
	}
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	token := Token{Access: "s3cr3t", Refresh: "s3cr3t", ID: "s3cr3t", Expiry: time.Unix(0, 0).UTC(), Scope: []string{"email"}}
	client := Credentials{ID: "c", Secret: "s3cr3t"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		text := fmt.Sprintf(format, token) + fmt.Sprintf(format, client) + fmt.Sprintf(format, []any{&token, client})
		if strings.Contains(text, "s3cr3t") {
			t.Errorf("%s prints %s", format, text)
		}
	}
	if got := token.LogValue().String() + client.LogValue().String(); strings.Contains(got, "s3cr3t") {
		t.Errorf("logged: %s", got)
	}
	if token.String() != "token for email until 1970-01-01T00:00:00Z" || (Token{}).String() != "no token" {
		t.Errorf("printed: %s", token)
	}
}

func TestATokenSurvivesBeingStored(t *testing.T) {
	t.Parallel()
	token := personToken(t, discover(t, startIDP(t).Issuer))
	stored, err := json.Marshal(token)
	testkit.NoError(t, err)
	var back Token
	testkit.NoError(t, json.Unmarshal(stored, &back))
	if back.Access != token.Access || back.Refresh != token.Refresh || back.ID != token.ID ||
		back.Expiry != token.Expiry || back.RefreshExpiry != token.RefreshExpiry || !slices.Equal(back.Scope, token.Scope) {
		t.Errorf("stored %v, read %v", token, back)
	}
}
