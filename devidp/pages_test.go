package devidp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestPages(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	check := func(title, actions string) {
		t.Helper()
		a := b.page
		if !strings.Contains(a.text, "<title>"+title+" – Library</title>") || !strings.Contains(a.text, `<html lang="en">`) ||
			!strings.Contains(a.text, "Development identity provider") {
			t.Errorf("page %s:\n%s", title, a.text)
		}
		_, rest, _ := strings.Cut(a.text, "<style>")
		style, _, _ := strings.Cut(rest, "</style>")
		want := map[string]string{
			"Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + hashOf(style) + "'; img-src data:; form-action " + actions + "; frame-ancestors 'none'; base-uri 'none'",
			"X-Frame-Options":         "DENY", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
			"Content-Type": "text/html; charset=utf-8", "Access-Control-Allow-Origin": "",
		}
		for name, value := range want {
			if got := a.Header.Get(name); got != value {
				t.Errorf("%s: %s is %q, want %q", title, name, got, value)
			}
		}
	}
	r := httptest.NewRequest(http.MethodGet, authAddress(authQuery(confidential, callback, "login_hint", `"><b>`)), nil)
	r.Header.Set("Origin", webOrigin)
	b.send(r)
	check("Sign in", "'self' http:")
	testkit.Contains(t, b.page.text, `<label for="username">`, `autocomplete="username"`, `<label for="password">`, `autocomplete="current-password"`, "autofocus", "Sample logins", "&#34;&gt;&lt;b&gt;")
	b.submit("username", "bwayne", "password", "no")
	check("Sign in", "'self' http:")
	if !strings.Contains(b.page.text, `role="alert" tabindex="-1" autofocus`) || strings.Count(b.page.text, "autofocus") != 1 {
		t.Error("the focus is not on the error")
	}
	b.submit("username", "bwayne", "password", "wayne")
	check("Allow access?", "'self' http:")
	testkit.Contains(t, b.page.text, "<strong>Library</strong> asks for:", "bruce.wayne@example.com", "Bruce Wayne", "borrowing", `value="allow"`, `value="deny"`)
	b.get(at(pathLogout))
	check("Sign out?", "'self'")
	b.submit()
	check("You are signed out", "'self'")
	b.get(authAddress(authQuery("library-cli", cliCallback)))
	check("Sign in", "'self' http:")
}

func TestPagesBearTheNameOfTheLibrary(t *testing.T) {
	t.Parallel()
	b := newWorld(t, withConfig(func(c *Config) {
		c.Clients = append(c.Clients, Client{ID: "reading-app", Grants: []string{grantCode}, RedirectURIs: []string{"https://app.example/"}})
	}), func(o *Options) { o.Name = "Books & Co" }).browser()
	for _, tt := range []struct{ client, redirect, page, says string }{
		{"library-web", webCallback, pageLogin, "to continue to <strong>Books &amp; Co</strong>"},
		{confidential, callback, pageConsent, "<strong>Books &amp; Co</strong> asks for:"},
		{"library-cli", cliCallback, pageConsent, "A program on this computer is asking."},
		{"reading-app", "https://app.example/", pageConsent, "<strong>reading-app</strong> asks for:"},
	} {
		a := b.get(authAddress(authQuery(tt.client, tt.redirect)))
		if !strings.Contains(a.text, " – Books &amp; Co</title>") || !strings.Contains(a.text, "<header>Books &amp; Co</header>") || !strings.Contains(a.text, tt.says) {
			t.Errorf("%s for %s:\n%s", tt.page, tt.client, a.text)
		}
		testkit.Equal(t, strings.Contains(a.text, "A program on this computer"), (tt.client == "library-cli"), tt.client)
		if tt.page == pageLogin {
			b.submit("username", "bwayne", "password", "wayne")
		}
	}
}

func TestPolicyNamesWhereAFormMayLead(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"http://localhost:4200/x?y": "http:", "https://app.example/cb": "https:",
		"http://[::1]:5/cb": "http:", "com.example.app:/cb": "com.example.app:",
	} {
		testkit.Equal(t, schemeOf(uri), want, uri)
	}
}

func TestSampleLoginsAreShownOnlyWhenTheyWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withConfig(func(c *Config) { c.Users[0].Password = "of my own" }))
	if a := w.browser().get(authAddress(authQuery("library-web", webCallback))); strings.Contains(a.text, "Sample") || strings.Contains(a.text, "my own") {
		t.Error("passwords of own users are shown")
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	for issuer, secure := range map[string]bool{DefaultIssuer: false, "https://idp.example/auth/realms/workshop": true} {
		b := newWorld(t, func(o *Options) { o.Issuer = issuer }).browser()
		b.get(authAddress(authQuery("library-web", webCallback)))
		cookies := b.page.Cookies()
		action, v := b.filled("username", "bwayne", "password", "wayne")
		cookies = append(cookies, b.send(formRequest(action, v.Encode())).Cookies()...)
		testkit.Equal(t, len(cookies), 2, "cookies")
		for _, c := range cookies {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/auth/realms/workshop" || c.Secure != secure || c.Domain != "" || c.MaxAge != 0 {
				t.Errorf("cookie %+v", c)
			}
		}
	}
}
