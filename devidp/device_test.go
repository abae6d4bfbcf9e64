package devidp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// begin asks for a device code as the terminal client.
func (w *world) begin(pairs ...string) answer {
	w.Helper()
	a := w.post(pathDeviceAuth, form(append([]string{"client_id", "library-cli", "scope", "openid"}, pairs...)...))
	if a.StatusCode != http.StatusOK {
		w.Fatalf("device authorization: %d %s", a.StatusCode, a.text)
	}
	return a
}

func deviceForm(a answer) url.Values {
	return form("grant_type", grantDevice, "client_id", "library-cli", "device_code", a.str("device_code"))
}

func (w *world) poll(a answer) answer { return w.post(pathToken, deviceForm(a)) }

// typed goes to the page as somebody who is logged in and types a code.
func (b *browser) typed(code string) answer {
	b.Helper()
	b.get(at(pathDevice))
	if strings.Contains(b.page.text, `name="username"`) {
		b.submit("username", "bwayne", "password", "wayne")
	}
	return b.submit("user_code", code)
}

func TestDeviceFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := w.begin()
	code := began.str("user_code")
	if began.str("verification_uri") != "http://localhost:8080/device" ||
		began.str("verification_uri_complete") != "http://localhost:8080/device?user_code="+code ||
		began.json["expires_in"] != 600.0 || began.json["interval"] != 2.0 || began.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %s", began.text)
	}
	w.refused(w.poll(began), 400, "authorization_pending")

	b := w.browser()
	a := b.get("/device?user_code=" + code)
	if to := a.Header.Get("Location"); a.StatusCode != http.StatusFound || to != at("/device?user_code="+code) {
		t.Fatalf("the short address leads to %d %q", a.StatusCode, to)
	}
	b.get(at("/device?user_code=" + code))
	if !strings.Contains(b.page.text, "to continue to <strong>Library</strong>") {
		t.Fatalf("no login page: %s", b.page.text)
	}
	b.submit("username", "bwayne", "password", "wayne")
	if !strings.Contains(b.page.text, `value="`+code+`"`) {
		t.Fatalf("the code is not filled in: %s", b.page.text)
	}
	b.submit("user_code", code)
	testkit.Contains(t, b.page.text, "Allow access?", "<strong>Library</strong> asks for:", "shows the code "+code, "bruce.wayne@example.com")
	w.clock.Advance(deviceInterval)
	w.refused(w.poll(began), 400, "authorization_pending")
	if a := b.submit("decision", "allow"); !strings.Contains(a.text, "Sign-in allowed") {
		t.Fatalf("got %d %s", a.StatusCode, a.text)
	}
	tokens := w.poll(began)
	if tokens.StatusCode != 200 || tokens.str("refresh_token") == "" || tokens.str("id_token") == "" || tokens.str("scope") != "library_user email profile openid" {
		t.Fatalf("got %d %s", tokens.StatusCode, tokens.text)
	}
	claims := w.claims(tokens.str("access_token"))
	if claims["azp"] != "library-cli" || claims["preferred_username"] != "bwayne" {
		t.Errorf("claims %v", claims)
	}
	w.refused(w.poll(began), 400, "invalid_grant") // used up
	b.get(at(pathLogout))
	b.submit()
	if !w.active(tokens.str("access_token")) {
		t.Error("signing out in the browser has signed the other device out")
	}
}

func TestDeniedDevice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began, b := w.begin(), w.browser()
	b.typed(began.str("user_code"))
	if a := b.submit("decision", "deny"); !strings.Contains(a.text, "Sign-in denied") {
		t.Fatalf("got %s", a.text)
	}
	w.refused(w.poll(began), 400, "access_denied")
	w.refused(w.poll(began), 400, "invalid_grant")
}

func TestDeviceRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, tt := range []struct {
		name   string
		form   url.Values
		status int
		error  string
	}{
		{"no client", form(), 401, "invalid_client"},
		{"unknown client", form("client_id", "x"), 401, "invalid_client"},
		{"a client without the grant", form("client_id", "library-web"), 400, "unauthorized_client"},
		{"a client with a wrong secret", form("client_id", confidential, "client_secret", "x"), 401, "invalid_client"},
		{"malformed scope", form("client_id", "library-cli", "scope", `"`), 400, "invalid_scope"},
		{"two clients", form("client_id", "library-cli", "client_id", "library-web"), 400, "invalid_request"},
	} {
		a := w.post(pathDeviceAuth, tt.form)
		if a.StatusCode != tt.status || a.str("error") != tt.error || a.str("device_code") != "" {
			t.Errorf("%s: %d %s", tt.name, a.StatusCode, a.text)
		}
	}
	for _, f := range foreigners {
		a := w.do(f.request(formRequest(at(pathDeviceAuth), "client_id=library-cli")))
		w.refused(a, 403, "invalid_request")
	}
	began := w.begin()
	code := began.str("device_code")
	for name, changed := range map[string]string{
		"made up": "x.9999999999.y", "a changed end": strings.Replace(code, ".1", ".2", 1), "cut": code[:len(code)-1], "more": code + "x", "dots": "...",
	} {
		if a := w.post(pathToken, with(deviceForm(began), "device_code", changed)); a.str("error") != "invalid_grant" {
			t.Errorf("%s: %s", name, a.text)
		}
	}
	w.refused(w.post(pathToken, with(deviceForm(began), "device_code", "")), 400, "invalid_request")
	w.refused(w.post(pathToken, with(deviceForm(began), "client_id", "library-web")), 400, "unauthorized_client")
}

func TestDeviceCodeIsBoundToItsClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withConfig(func(c *Config) { c.Clients[0].Grants = append(c.Clients[0].Grants, grantDevice) }))
	began, b := w.begin(), w.browser()
	b.typed(began.str("user_code"))
	b.submit("decision", "allow")
	w.refused(w.post(pathToken, asClient("grant_type", grantDevice, "device_code", began.str("device_code"))), 400, "invalid_grant")
	testkit.Equal(t, w.poll(began).StatusCode, 200, "the client itself")
	testkit.Equal(t, w.post(pathDeviceAuth, asClient()).StatusCode, 200, "a client with a secret")
}

func TestDeviceCodesExpire(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began, late, b := w.begin(), w.begin(), w.browser()
	b.typed(late.str("user_code"))
	w.clock.Advance(deviceLifetime - time.Second)
	b.typed(began.str("user_code"))
	b.submit("decision", "allow")
	w.clock.Advance(time.Second)
	w.refused(w.poll(began), 400, "expired_token")
	w.refused(w.poll(late), 400, "expired_token")
	if a := b.typed(late.str("user_code")); a.StatusCode != 400 || !strings.Contains(a.text, "has expired") {
		t.Errorf("an expired code: %d", a.StatusCode)
	}
}

func TestPollingTooOftenIsAnsweredWithSlowDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began := w.begin()
	for _, step := range []struct {
		wait time.Duration
		want string
	}{
		{0, "authorization_pending"}, {0, "slow_down"}, // from now on 7 s
		{2 * time.Second, "slow_down"}, {12 * time.Second, "authorization_pending"}, {11 * time.Second, "authorization_pending"}, // a little early
		{5 * time.Second, "slow_down"},
	} {
		w.clock.Advance(step.wait)
		w.refused(w.poll(began), 400, step.want)
	}
	b := w.browser()
	b.typed(began.str("user_code"))
	b.submit("decision", "allow")
	testkit.Equal(t, w.poll(began).StatusCode, 200, "a decision, within the interval")
}

func TestGuessesOfUserCodesAreSlowedDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code, b := w.begin().str("user_code"), w.browser()
	for i := range freePerAccount {
		if a := b.typed("BCDF-GHJ" + string(userCodeLetters[i])); a.StatusCode != 400 || !strings.Contains(a.text, "This code is not known") {
			t.Fatalf("a wrong code: %d %s", a.StatusCode, a.text)
		}
	}
	if a := b.typed(code); a.StatusCode != 429 || a.Header.Get("Retry-After") != "1" || !strings.Contains(a.text, "Wait 1 second") {
		t.Errorf("after too many: %d %s", a.StatusCode, a.text)
	}
	w.clock.Advance(time.Second)
	if a := b.typed(strings.ToLower(strings.ReplaceAll(code, "-", " "))); a.StatusCode != 200 || !strings.Contains(a.text, "Allow access?") {
		t.Errorf("the right code, as people type it: %d", a.StatusCode)
	}
}

func TestCodesAreLookedAtOnlyInOwnFormsOfPeopleWhoAreLoggedIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code, b := w.begin().str("user_code"), w.browser()
	for _, typed := range []string{code, "BCDF-GHJK"} { // a link does not show whether a code exists
		if a := b.get(at("/device?user_code=" + typed)); a.StatusCode != 200 || !strings.Contains(a.text, `name="username"`) {
			t.Errorf("%s without a login: %d", typed, a.StatusCode)
		}
	}
	b.typed(code)
	action, consent := b.filled("decision", "allow")
	for name, a := range map[string]answer{
		"another code": b.send(formRequest(action, with(consent, "code", "BCDFGHJK").Encode())),
		"no code":      b.send(formRequest(action, with(consent, "code", "").Encode())),
		"another page": b.send(formRequest(action, with(consent, "page", "device").Encode())),
		"no login":     w.do(formRequest(action, consent.Encode())),
	} {
		if a.StatusCode != 400 || !strings.Contains(a.text, "This page has expired") {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
	}
	for _, f := range foreigners {
		if a := b.send(f.request(formRequest(action, consent.Encode()))); a.StatusCode != 403 {
			t.Errorf("%v: %d", f, a.StatusCode)
		}
	}
	if a := b.send(formRequest(action, consent.Encode())); !strings.Contains(a.text, "Sign-in allowed") {
		t.Errorf("the form itself: %d", a.StatusCode)
	}
	testkit.Equal(t, b.send(formRequest(action, consent.Encode())).StatusCode, 400, "the form again")
	testkit.Equal(t, b.typed(code).StatusCode, 400, "a code that was decided")
}

func TestDeviceOfSomebodyWhoIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	began, b := w.begin(), w.browser()
	b.typed(began.str("user_code"))
	b.submit("decision", "allow")
	config := DefaultConfig()
	config.Users = config.Users[1:]
	testkit.NoError(t, w.provider.Reload(config))
	w.refused(w.poll(began), 400, "invalid_grant")
}

// beginFrom begins a sign-in from an address.
func (w *world) beginFrom(address string) answer {
	r := formRequest(at(pathDeviceAuth), form("client_id", "library-cli").Encode())
	r.RemoteAddr = address
	return w.do(r)
}

func TestOneAddressKeepsNobodyElseFromSigningInADevice(t *testing.T) {
	t.Parallel()
	for what, addresses := range map[string][3]string{ // of one machine: two; and of another
		"IPv4": {"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:1"},
		"IPv6": {"[2001:db8:1:2::3]:1", "[2001:db8:1:2::4]:1", "[2001:db8:1:3::3]:1"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := w.beginFrom(addresses[0])
			for range 1_000 {
				w.beginFrom(addresses[0])
			}
			for _, address := range addresses[:2] {
				a := w.beginFrom(address)
				if w.refused(a, 429, "slow_down"); a.Header.Get("Retry-After") == "" {
					t.Error("nothing is said about when to ask again")
				}
			}
			w.refused(w.poll(first), 400, "authorization_pending") // nobody was pushed out
			testkit.Equal(t, w.beginFrom(addresses[2]).StatusCode, 200, "another address")
			w.clock.Advance(deviceLifetime)
			testkit.Equal(t, w.beginFrom(addresses[1]).StatusCode, 200, "later")
			testkit.Equal(t, len(w.provider.state.devicesFrom), 1, "addresses are remembered")
		})
	}
}

func TestOutstandingDeviceCodesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	codes, first := map[string]bool{}, answer{}
	for i := range maxDevices {
		a := w.beginFrom(fmt.Sprintf("192.0.%d.%d:1", i/maxDevicesPerAddress/250, i/maxDevicesPerAddress%250))
		if i == 0 {
			first = a
		}
		codes[a.str("user_code")] = true
	}
	testkit.Equal(t, len(codes), maxDevices, "different codes")
	a := w.beginFrom("198.51.100.1:1")
	if a.StatusCode != 503 || a.str("error") != "temporarily_unavailable" || a.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %d %s", a.StatusCode, a.text)
	}
	w.refused(w.poll(first), 400, "authorization_pending") // nobody was pushed out
	w.clock.Advance(deviceLifetime)
	w.begin()
	testkit.Equal(t, len(w.provider.state.userCodes), 1, "codes are remembered")
}

func TestDevicePagesInGerman(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	code, b := w.begin().str("user_code"), w.browser()
	b.get(at("/device?ui_locales=de"))
	b.submit("username", "bwayne", "password", "wayne")
	for _, step := range []struct {
		title string
		field []string
	}{{"Auf einem anderen Gerät anmelden", []string{"user_code", code}}, {"Zugriff erlauben?", []string{"decision", "allow"}}} {
		testkit.Contains(t, b.page.text, step.title)
		b.submit(step.field...)
	}
	testkit.Contains(t, b.page.text, "Anmeldung erlaubt")
}

func TestDevicePageOfAnIssuerWithoutAPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Issuer = "https://id.example" })
	if a := w.do(httptest.NewRequest("GET", "/device", nil)); a.StatusCode != 200 || !strings.Contains(a.text, `name="username"`) {
		t.Errorf("got %d", a.StatusCode)
	}
}

func TestUserCodesAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"BCDF-GHJK": "BCDFGHJK", "bcdfghjk": "BCDFGHJK", " bcdf ghjk ": "BCDFGHJK", "BCDF–GHJK": "BCDFGHJK", "B.C.D.F_G-H-J-K": "BCDFGHJK",
		"": "", "BCDF-GHJ": "", "BCDF-GHJKL": "", "ABCD-EFGH": "", "BCDF-GHJ1": "", "BCDF/GHJK": "", "ＢＣＤＦＧＨＪＫ": "", "BCDFGHJ\x00": "",
		"BCDF" + strings.Repeat("-", 64) + "GHJK": "",
	} {
		if got, ok := parseUserCode(typed); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", typed, got, ok)
		}
	}
}

func FuzzUserCode(f *testing.F) {
	for _, seed := range []string{"BCDF-GHJK", "bcdf ghjk", "", "AEIOU", "ß–\xff", fmt.Sprint(strings.Repeat("-", 100), "B")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		code, ok := parseUserCode(typed)
		if !ok {
			return
		}
		if len(code) != userCodeLength || strings.Trim(code, userCodeLetters) != "" {
			t.Fatalf("%q is read as %q", typed, code)
		}
		if again, ok := parseUserCode(showUserCode(code)); !ok || again != code {
			t.Fatalf("%q is shown as %q, which is read as %q", code, showUserCode(code), again)
		}
	})
}
