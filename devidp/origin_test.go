package devidp

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// from are the headers of a request that a browser sends for a page.
type from struct{ origin, site string }

func (f from) request(r *http.Request) *http.Request {
	if f.origin != "" {
		r.Header.Set("Origin", f.origin)
	}
	if f.site != "" {
		r.Header.Set("Sec-Fetch-Site", f.site)
	}
	return r
}

var foreigners = []from{
	{"https://evil.example", ""}, {"https://evil.example", "cross-site"}, {"null", "cross-site"}, {"", "cross-site"},
	{"http://localhost:1", "same-site"}, {"http://localhost:8080.evil.example", ""}, {"evil", ""},
}

// Far more than an account or an address may fail before it has to wait.
const manyFailures = freePerAddress + freePerAccount + 1

func TestFormsOfForeignPagesCountAgainstNobody(t *testing.T) {
	t.Parallel()
	for _, f := range foreigners {
		b := newWorld(t).browser()
		b.get(authAddress(authQuery("library-web", webCallback)))
		action, v := b.filled("username", "bwayne", "password", "wrong")
		for range manyFailures {
			if a := b.send(f.request(formRequest(action, v.Encode()))); a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, "another site") {
				t.Fatalf("%v: a form with a token: %d", f, a.StatusCode)
			}
			if a := b.send(f.request(formRequest(action, with(v, "form", "made up").Encode()))); a.StatusCode != http.StatusForbidden {
				t.Fatalf("%v: a form without a token: %d", f, a.StatusCode)
			}
			a := b.do(f.request(formRequest(at(pathToken), passwordForm("bwayne", "wrong").Encode())))
			b.refused(a, http.StatusForbidden, "invalid_request")
		}
		b.get(authAddress(authQuery("library-web", webCallback)))
		if b.submit("username", "bwayne", "password", "wayne"); b.cookies[cookieSession] == "" {
			t.Errorf("%v: the person cannot log in: %d", f, b.page.StatusCode)
		}
	}
}

func TestFormsWithoutATokenCountAgainstNobody(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery("library-web", webCallback)))
	action, v := b.filled("username", "bwayne", "password", "wrong")
	for range manyFailures {
		b.send(formRequest(action, with(v, "form", "made up").Encode()))
	}
	b.get(authAddress(authQuery("library-web", webCallback)))
	if b.submit("username", "bwayne", "password", "wayne"); b.cookies[cookieSession] == "" {
		t.Errorf("the person cannot log in: %d", b.page.StatusCode)
	}
}

func TestOwnPagesAndProgramsAreNotForeign(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, f := range []from{
		{}, {"null", "same-origin"}, {"null", ""}, {"http://localhost:8080", ""}, {"http://localhost:8080", "same-origin"},
		{"http://example.com", "same-origin"}, {"", "none"}, // the tests come to example.com
	} {
		b := w.browser()
		b.get(authAddress(authQuery("library-web", webCallback)))
		action, v := b.filled("username", "bwayne", "password", "wayne")
		if b.send(f.request(formRequest(action, v.Encode()))); b.cookies[cookieSession] == "" {
			t.Errorf("%v: the login page's own form: %d", f, b.page.StatusCode)
		}
	}
	for _, f := range []from{{}, {webOrigin, "same-site"}, {webOrigin, "cross-site"}} {
		if a := w.do(f.request(formRequest(at(pathToken), passwordForm("bwayne", "wayne").Encode()))); a.StatusCode != http.StatusOK {
			t.Errorf("%v: a token for a password: %d %s", f, a.StatusCode, a.text)
		}
	}
	// A client may send its request in a form of its own.
	a := w.do(from{"https://app.example", "cross-site"}.request(formRequest(at(pathAuth), authQuery("library-web", webCallback).Encode())))
	testkit.Equal(t, a.StatusCode, http.StatusSeeOther, "a request by POST")
}

func TestOriginOfTheIssuer(t *testing.T) {
	t.Parallel()
	for issuer, want := range map[string]string{
		DefaultIssuer: "http://localhost:8080", "https://ID.example:443/x": "https://id.example",
		"http://id.example:80": "http://id.example", "https://id.example:80": "https://id.example:80", "http://[::1]:9/x": "http://[::1]:9",
	} {
		u, err := parseIssuer(issuer)
		testkit.NoError(t, err)
		testkit.Equal(t, originOf(u), want, issuer)
	}
}
