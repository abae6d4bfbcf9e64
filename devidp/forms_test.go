package devidp

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// expired checks that a form was refused, in words and with a way on.
func (b *browser) expired(name string, a answer) {
	b.Helper()
	if a.StatusCode != http.StatusBadRequest || !strings.Contains(a.text, "This page has expired") || !strings.Contains(a.text, "Start again") ||
		a.Header.Get("Location") != "" || b.cookies[cookieSession] != "" {
		b.Errorf("%s: %d %s", name, a.StatusCode, a.text)
	}
}

func TestForgedAndReplayedFormsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := []string{"username", "bwayne", "password", "wayne"}
	page := func() *browser {
		b := w.browser()
		b.get(authAddress(authQuery("library-web", webCallback)))
		return b
	}
	send := func(b *browser, action string, v url.Values) answer { return b.send(formRequest(action, v.Encode())) }

	b := page()
	action, v := b.filled(good...)
	b.expired("a made-up token", send(b, action, with(v, "form", "x")))
	b.expired("a changed token", send(b, action, with(v, "form", v.Get("form")+"x")))
	b.expired("another request", send(b, strings.Replace(action, "n-1", "n-2", 1), v))
	b.expired("the token of another page", send(b, action, with(v, "page", "consent")))
	other := page()
	other.expired("another browser", send(other, action, v))
	bare := w.browser()
	bare.expired("no cookie", send(bare, action, v))
	if a := send(b, action, with(v, "form", "")); a.StatusCode != http.StatusBadRequest || a.Header.Get("Location") != "" {
		t.Errorf("no token: %d", a.StatusCode)
	}
	b.clock.Advance(formLifetime)
	b.expired("too old", send(b, action, v))

	b = page()
	action, v = b.filled("username", "bwayne", "password", "wrong")
	if a := send(b, action, v); !strings.Contains(a.text, "not right") {
		t.Fatalf("got %s", a.text)
	}
	b.expired("a replay", send(b, action, with(v, "password", "wayne")))
	b.get(b.address)
	b.submit(good...)
	if b.cookies[cookieSession] == "" {
		t.Error("the way on does not lead to a login")
	}
}

func TestConsentFormIsBoundToTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	consent := func(user, password string) *browser {
		b := w.browser()
		b.get(authAddress(authQuery(confidential, callback)))
		b.submit("username", user, "password", password)
		return b
	}
	attacker, victim := consent("ckent", "kent"), consent("bwayne", "wayne")
	action, v := attacker.filled("decision", "allow")
	testkit.Equal(t, victim.send(formRequest(action, v.Encode())).StatusCode, http.StatusBadRequest, "another session's form")
	anonymous := w.browser()
	anonymous.cookies[cookieBrowser] = attacker.cookies[cookieBrowser]
	testkit.Equal(t, anonymous.send(formRequest(action, v.Encode())).StatusCode, http.StatusBadRequest, "no session")
	testkit.Equal(t, attacker.send(formRequest(action, v.Encode())).StatusCode, http.StatusFound, "own form")
	testkit.Equal(t, attacker.send(formRequest(action, v.Encode())).StatusCode, http.StatusBadRequest, "replayed form")
}

func TestTwoTabsOfOneBrowserDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery(confidential, callback, "state", "one")))
	action, v := b.filled("username", "bwayne", "password", "wayne")
	b.get(authAddress(authQuery("library-cli", cliCallback, "state", "two")))
	b.submit("username", "bwayne", "password", "wayne")
	b.send(formRequest(action, v.Encode()))
	if a := b.follow(); !strings.Contains(a.text, "Allow access?") {
		t.Errorf("got %d %s", a.StatusCode, a.text)
	}
}

// The query of a request may hold characters that pages and browsers encode
// in another way; the form must still be good.
func TestOddCharactersInARequestSurviveTheForm(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery(confidential, callback, "state", "")) + "&state=a'b|c~d%20e+f*g(h)é%C3%A9")
	b.submit("username", "bwayne", "password", "wayne")
	b.submit("decision", "allow")
	testkit.Equal(t, b.returned().Get("state"), "a'b|c~d e f*g(h)éé", "state")
}

func TestUnknownUserAndWrongPasswordLookTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := func(user string) string {
		b := w.browser()
		b.get(authAddress(authQuery("library-web", webCallback)))
		a := b.submit("username", user, "password", "wrong")
		_, v := b.filled()
		text := strings.ReplaceAll(strings.ReplaceAll(a.text, v.Get("form"), "FORM"), `value="`+user+`"`, `value="NAME"`)
		return http.StatusText(a.StatusCode) + text
	}
	testkit.Equal(t, page("bwayne"), page("nobody"), "the pages")
	known, unknown := w.post(pathToken, passwordForm("bwayne", "x")), w.post(pathToken, passwordForm("nobody", "x"))
	w.refused(known, 400, "invalid_grant")
	testkit.Equal(t, known.text, unknown.text, "the pages")
}

func TestRepeatedFailuresAreSlowedDown(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"bwayne", "nobody"} {
		w := newWorld(t)
		for range freeFailures {
			w.refused(w.post(pathToken, passwordForm(user, "x")), 400, "invalid_grant")
		}
		for _, wait := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
			a := w.post(pathToken, passwordForm(user, "wayne"))
			w.refused(a, 429, "invalid_grant")
			if a.Header.Get("Retry-After") != strconv.Itoa(wait) {
				t.Errorf("wait %s, want %d", a.Header.Get("Retry-After"), wait)
			}
			w.clock.Advance(time.Duration(wait) * time.Second)
			w.refused(w.post(pathToken, passwordForm(user, "x")), 400, "invalid_grant")
		}
		testkit.Equal(t, w.post(pathToken, passwordForm("ckent", "kent")).StatusCode, 200, "another account")
		w.clock.Advance(time.Minute)
		want := map[string]int{"bwayne": 200, "nobody": 400}[user]
		if a := w.post(pathToken, passwordForm(user, "wayne")); a.StatusCode != want {
			t.Errorf("%s after the wait: %d", user, a.StatusCode)
		}
	}
}

func TestThrottledLoginPageSaysSo(t *testing.T) {
	t.Parallel()
	b := newWorld(t).browser()
	b.get(authAddress(authQuery(confidential, callback)))
	for range freeFailures {
		b.submit("username", "bwayne", "password", "x")
	}
	a := b.submit("username", "BWAYNE", "password", "wayne")
	if a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") != "1" || !strings.Contains(a.text, "Wait 1 second and try again") {
		t.Errorf("got %d %s", a.StatusCode, a.text)
	}
	b.clock.Advance(time.Second)
	if a := b.submit("username", "bwayne", "password", "wayne"); !strings.Contains(a.text, "Allow access?") {
		t.Errorf("got %d %s", a.StatusCode, a.text)
	}
}
