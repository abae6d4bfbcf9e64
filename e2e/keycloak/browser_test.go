//go:build keycloak

package keycloak

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// browser is somebody in front of a browser.
type browser struct {
	t    testing.TB
	http *http.Client
}

func newBrowser(t testing.TB) *browser {
	jar, err := cookiejar.New(nil)
	testkit.NoError(t, err)
	client := newClient()
	client.Jar = trustingJar{jar}
	return &browser{t, client}
}

// trustingJar sends secure cookies to localhost over plain HTTP, as browsers
// do: what never leaves the machine counts as secure.
type trustingJar struct{ *cookiejar.Jar }

func (j trustingJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		c.Secure = false
	}
	j.Jar.SetCookies(u, cookies)
}

func (b *browser) get(address string) response {
	b.t.Helper()
	req, err := http.NewRequest("GET", address, nil)
	testkit.NoError(b.t, err)
	r, err := testkit.Send(b.http, req)
	testkit.NoError(b.t, err)
	r.T = b.t
	return r
}

// flow is an authorization code flow of a client.
type flow struct {
	client, redirect, scope string
	verifier                string // for PKCE, "" to go without
}

func newFlow(client, redirect, scope string) flow {
	return flow{client, redirect, scope, rand.Text() + rand.Text()}
}

// address is where the client sends the browser.
func (f flow) address() string {
	q := form("response_type", "code", "client_id", f.client, "redirect_uri", f.redirect, "scope", f.scope, "state", "a state")
	if f.verifier != "" {
		sum := sha256.Sum256([]byte(f.verifier))
		q.Set("code_challenge", base64.RawURLEncoding.EncodeToString(sum[:]))
		q.Set("code_challenge_method", "S256")
	}
	return endpoint("auth") + "?" + q.Encode()
}

// exchange is the form with which the client turns the code into tokens.
func (f flow) exchange(code string) url.Values {
	fields := form("grant_type", "authorization_code", "client_id", f.client, "redirect_uri", f.redirect, "code", code)
	if f.verifier != "" {
		fields.Set("code_verifier", f.verifier)
	}
	if f.client == "library-client" {
		fields.Set("client_secret", clientSecret)
	}
	return fields
}

var formAction = regexp.MustCompile(`<form[^>]*id="kc-form-login"[^>]*action="([^"]+)"`)

// logIn goes to the login page, fills it in and returns what the redirect to
// the client says.
func (b *browser) logIn(f flow, user string) url.Values {
	b.t.Helper()
	return redirected(b.fillIn(f.address(), user), f.redirect)
}

// fillIn goes to a login page and fills it in.
func (b *browser) fillIn(address, user string) response {
	b.t.Helper()
	page := b.get(address).WantStatus(200)
	action := formAction.FindSubmatch(page.Body)
	if action == nil {
		b.t.Fatalf("there is no login form:\n%.2000s", page.Body)
	}
	r, err := postForm(b.http, html.UnescapeString(string(action[1])), form("username", user, "password", passwords[user]))
	testkit.NoError(b.t, err)
	r.T = b.t
	return r
}

// redirected checks that an answer sends the browser to an address of the
// client, and returns the query of it.
func redirected(r response, to string) url.Values {
	r.T.Helper()
	location := r.WantStatus(302).Header.Get("Location")
	u, err := url.Parse(location)
	if err != nil || !strings.HasPrefix(location, to) {
		r.T.Fatalf("sent to %s, want %s", location, to)
	}
	return u.Query()
}

// tokensThroughLogin is the whole flow.
func tokensThroughLogin(t testing.TB, f flow, user string) tokens {
	t.Helper()
	q := newBrowser(t).logIn(f, user)
	if q.Get("state") != "a state" || q.Get("code") == "" || q.Get("iss") != issuer {
		t.Errorf("the redirect says %v", q)
	}
	return obtain(t, f.exchange(q.Get("code")))
}

var (
	anyForm     = regexp.MustCompile(`<form[^>]*action="([^"]+)"`)
	hiddenField = regexp.MustCompile(`<input type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"`)
)

// allowDevice goes to an address with a code in it, signs in and agrees, until
// there is nothing left to fill in.
func (b *browser) allowDevice(address, user string) {
	b.t.Helper()
	base, err := url.Parse(address)
	testkit.NoError(b.t, err)
	absolute := func(reference string) string {
		u, err := base.Parse(reference)
		testkit.NoError(b.t, err)
		return u.String()
	}
	r := b.get(address)
	for range 10 {
		if r.Status == http.StatusFound || r.Status == http.StatusSeeOther {
			r = b.get(absolute(r.Header.Get("Location")))
			continue
		}
		action := anyForm.FindSubmatch(r.WantStatus(200).Body)
		if action == nil {
			return
		}
		fields := form("username", user, "password", passwords[user], "accept", "Yes")
		for _, hidden := range hiddenField.FindAllSubmatch(r.Body, -1) {
			fields.Set(string(hidden[1]), html.UnescapeString(string(hidden[2])))
		}
		next, err := postForm(b.http, absolute(html.UnescapeString(string(action[1]))), fields)
		testkit.NoError(b.t, err)
		next.T = b.t
		r = next
	}
	b.t.Fatal("there is no end of forms")
}
