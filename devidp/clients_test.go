package devidp

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"example.org/library/internal/testkit"
)

// serve runs a provider on a real port, on the real time.
func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	issuer := "http://" + server.Listener.Addr().String() + "/auth/realms/workshop"
	p, err := New(Options{Issuer: issuer, Config: DefaultConfig(), Keys: sharedKeys(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	testkit.NoError(t, err)
	server.Config.Handler = p
	server.Start()
	t.Cleanup(server.Close)
	return issuer
}

// surf is a person with a browser: it signs in and returns where the browser
// is sent to in the end.
func surf(t *testing.T, address string) url.Values {
	t.Helper()
	jar, err := cookiejar.New(nil)
	testkit.NoError(t, err)
	client := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.Response.StatusCode == http.StatusSeeOther { // after the login
			return nil
		}
		return http.ErrUseLastResponse
	}}
	origin := address[:strings.Index(address, "/auth/")]
	b := &browser{world: &world{T: t}}
	read := func(resp *http.Response, err error) {
		t.Helper()
		testkit.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		testkit.NoError(t, err)
		b.page = answer{Response: resp, text: string(text)}
	}
	read(client.Get(address))
	for _, fields := range [][]string{{"username", "pparker", "password", "parker"}, {"decision", "allow"}} {
		if b.page.StatusCode == http.StatusFound { // no consent is asked for
			break
		}
		action, v := b.filled(fields...)
		read(client.PostForm(origin+action, v))
	}
	return b.returned()
}

func TestGoOIDCAndOAuth2WorkWithTheProvider(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	issuer := serve(t)
	provider, err := oidc.NewProvider(ctx, issuer)
	testkit.NoError(t, err)
	for _, cfg := range []oauth2.Config{
		{ClientID: confidential, ClientSecret: secret, RedirectURL: callback},
		{ClientID: "library-cli", RedirectURL: cliCallback},
		{ClientID: "library-web", RedirectURL: webCallback},
	} {
		t.Run(cfg.ClientID, func(t *testing.T) {
			cfg.Endpoint, cfg.Scopes = provider.Endpoint(), []string{oidc.ScopeOpenID, "profile"}
			pkce := oauth2.GenerateVerifier()
			q := surf(t, cfg.AuthCodeURL("some state", oidc.Nonce("some nonce"), oauth2.S256ChallengeOption(pkce)))
			if q.Get("state") != "some state" || q.Get("iss") != issuer {
				t.Fatalf("redirected with %v", q)
			}
			token, err := cfg.Exchange(ctx, q.Get("code"), oauth2.VerifierOption(pkce))
			testkit.NoError(t, err)
			checkIDToken(t, provider, cfg.ClientID, token, "some nonce")
			info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
			if err != nil || info.Email != "peter.parker@example.com" || !info.EmailVerified {
				t.Errorf("user info %+v, %v", info, err)
			}
			refreshed, err := cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
			testkit.NoError(t, err)
			checkIDToken(t, provider, cfg.ClientID, refreshed, "")
		})
	}
	own := clientcredentials.Config{ClientID: confidential, ClientSecret: secret, TokenURL: provider.Endpoint().TokenURL}
	token, err := own.Token(ctx)
	testkit.NoError(t, err)
	verifier := provider.VerifierContext(ctx, &oidc.Config{ClientID: audience})
	if _, err := verifier.Verify(ctx, token.AccessToken); err != nil {
		t.Error(err)
	}
}

func checkIDToken(t *testing.T, provider *oidc.Provider, client string, token *oauth2.Token, nonce string) {
	t.Helper()
	ctx := context.Background()
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.VerifierContext(ctx, &oidc.Config{ClientID: client}).Verify(ctx, raw)
	testkit.NoError(t, err)
	if err := id.VerifyAccessToken(token.AccessToken); err != nil {
		t.Error(err)
	}
	testkit.Equal(t, id.Nonce, nonce, "nonce")
	if _, err := provider.VerifierContext(ctx, &oidc.Config{ClientID: audience}).Verify(ctx, token.AccessToken); err != nil {
		t.Error(err)
	}
}
