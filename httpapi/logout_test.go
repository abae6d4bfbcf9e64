package httpapi_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

const logoutClient = "library-web"

var logoutEvents = map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}

// withLogouts takes logout tokens.
func withLogouts(s *setup) {
	s.logouts = &auth.LogoutConfig{Audiences: []string{"other", logoutClient}, Keep: 24 * time.Hour}
}

var logoutTokens struct {
	sync.Mutex
	made int
}

// logoutToken is a good logout token with other claims; nil takes one away.
func (w *world) logoutToken(t testing.TB, more testidp.Claims, options ...testidp.Option) string {
	t.Helper()
	logoutTokens.Lock()
	logoutTokens.made++
	number := logoutTokens.made
	logoutTokens.Unlock()
	c := testidp.Claims{
		"iss": w.idp.Issuer(), "aud": logoutClient, "iat": time.Now().Unix(), "jti": "logout-" + strconv.Itoa(number),
		"sub": "nobody", "events": logoutEvents,
	}
	for name, value := range more {
		if c[name] = value; value == nil {
			delete(c, name)
		}
	}
	payload, err := json.Marshal(c)
	testkit.NoError(t, err)
	return w.idp.Sign(t, payload, options...)
}

// logOut posts a form, and returns the status.
func (w *world) logOut(t testing.TB, server *httptest.Server, token string) int {
	t.Helper()
	return postLogout(t, server.URL+w.base+"/logout", "application/x-www-form-urlencoded", url.Values{"logout_token": {token}, "other": {"x"}}.Encode())
}

func postLogout(t testing.TB, address, media, body string) int {
	t.Helper()
	resp, err := http.Post(address, media, strings.NewReader(body))
	testkit.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	testkit.Equal(t, resp.Header.Get("Cache-Control"), "no-store")
	if resp.StatusCode == http.StatusOK {
		testkit.Equal(t, string(text), "")
		return resp.StatusCode
	}
	var refusal api.LogoutError
	testkit.NoError(t, json.Unmarshal(text, &refusal))
	if resp.StatusCode == http.StatusBadRequest && refusal.Error != "invalid_request" || refusal.Description == "" || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("a refusal %d with %s", resp.StatusCode, text)
	}
	return resp.StatusCode
}

// inSession is the token of a reader in a session.
func (w *world) inSession(t testing.TB, sid string, more testidp.Claims) string {
	t.Helper()
	c := testidp.Claims{"sub": "bruce", "email": bruceWayne, "scope": scopes[bruceWayne]}
	if sid != "" {
		c["sid"] = sid
	}
	maps.Copy(c, more)
	return w.idp.Mint(t, c)
}

// wantEnded expects that a token is refused by every kind of request.
func (w *world) wantEnded(t testing.TB, token string) {
	t.Helper()
	for _, r := range []request{{path: "/me"}, {path: "/books"}, {path: "/events"}, {method: http.MethodPost, path: borrowPath}, {path: "/nowhere"}} {
		r.token = token
		a := w.send(t, r).want(t, 401, "session_ended")
		testkit.Equal(t, a.header.Get("WWW-Authenticate"), invalid("The session has ended"), r.path)
	}
}

func (w *world) wantGood(t testing.TB, token string) {
	t.Helper()
	w.send(t, request{token: token, path: "/me"}).want(t, 200, "")
}

func TestALogoutEndsTheTokensOfASessionOrASubject(t *testing.T) {
	t.Parallel()
	now := time.Now().Unix()
	for _, c := range []struct {
		rule   string
		logout testidp.Claims
		sid    string
		token  testidp.Claims
		ends   bool
	}{
		{"of the session", testidp.Claims{"sid": "s"}, "s", nil, true},
		{"of the session, issued later, too", testidp.Claims{"sid": "s", "iat": now - 60}, "s", testidp.Claims{"iat": now}, true},
		{"of the session alone, whatever the subject", testidp.Claims{"sid": "s", "sub": "bruce"}, "t", nil, false},
		{"of the session, of another subject", testidp.Claims{"sid": "s", "sub": "x"}, "s", nil, true},
		{"not of a session in another case", testidp.Claims{"sid": "S"}, "s", nil, false},
		{"a session is a text", testidp.Claims{"sid": "1"}, "", testidp.Claims{"sid": 1}, false},
		{"a session is no subject", testidp.Claims{"sid": "bruce"}, "", nil, false},
		{"a subject is no session", testidp.Claims{"sub": "s"}, "s", nil, false},
		{"of the subject", testidp.Claims{"sub": "bruce"}, "s", testidp.Claims{"iat": now - 60}, true},
		{"of the subject, without a session", testidp.Claims{"sub": "bruce"}, "", testidp.Claims{"iat": now - 60}, true},
		{"of the subject, issued in the same second", testidp.Claims{"sub": "bruce", "iat": now}, "", testidp.Claims{"iat": now}, true},
		{"of the subject, issued later", testidp.Claims{"sub": "bruce", "iat": now - 60}, "", testidp.Claims{"iat": now - 59}, false},
		{"of the subject, without a time", testidp.Claims{"sub": "bruce", "iat": now - 60}, "", testidp.Claims{"iat": nil}, true},
		{"of another subject", testidp.Claims{"sub": "clark"}, "s", nil, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withLogouts)
			token := w.inSession(t, c.sid, c.token)
			w.wantGood(t, token)
			testkit.Equal(t, w.logOut(t, w.server, w.logoutToken(t, c.logout)), 200)
			if c.ends {
				w.wantEnded(t, token)
			} else {
				w.wantGood(t, token)
			}
		})
	}
}

func TestABadLogoutTokenChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withLogouts)
	now := time.Now().Unix()
	const sid = "s"
	token := w.inSession(t, sid, nil)
	for rule, bad := range map[string]string{
		"an access token":             token,
		"an ID token":                 w.logoutToken(t, testidp.Claims{"sid": sid, "events": nil, "at_hash": "x", "exp": now + 60}),
		"a nonce":                     w.logoutToken(t, testidp.Claims{"sid": sid, "nonce": "n"}),
		"a nonce of null":             w.logoutToken(t, testidp.Claims{"sid": sid, "nonce": json.RawMessage("null")}),
		"another issuer":              w.logoutToken(t, testidp.Claims{"sid": sid, "iss": "https://elsewhere.example"}),
		"another audience":            w.logoutToken(t, testidp.Claims{"sid": sid, "aud": testidp.Audience}),
		"no audience":                 w.logoutToken(t, testidp.Claims{"sid": sid, "aud": nil}),
		"no time of issue":            w.logoutToken(t, testidp.Claims{"sid": sid, "iat": nil}),
		"a text as time of issue":     w.logoutToken(t, testidp.Claims{"sid": sid, "iat": "now"}),
		"six minutes old":             w.logoutToken(t, testidp.Claims{"sid": sid, "iat": now - 360}),
		"from the future":             w.logoutToken(t, testidp.Claims{"sid": sid, "iat": now + 30}),
		"expired":                     w.logoutToken(t, testidp.Claims{"sid": sid, "exp": now - 1}),
		"a text as expiry":            w.logoutToken(t, testidp.Claims{"sid": sid, "exp": "soon"}),
		"no jti":                      w.logoutToken(t, testidp.Claims{"sid": sid, "jti": nil}),
		"a number as jti":             w.logoutToken(t, testidp.Claims{"sid": sid, "jti": 7}),
		"no events":                   w.logoutToken(t, testidp.Claims{"sid": sid, "events": nil}),
		"another event":               w.logoutToken(t, testidp.Claims{"sid": sid, "events": map[string]any{"x": map[string]any{}}}),
		"events that are a list":      w.logoutToken(t, testidp.Claims{"sid": sid, "events": []string{"http://schemas.openid.net/event/backchannel-logout"}}),
		"an event that is no object":  w.logoutToken(t, testidp.Claims{"sid": sid, "events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": true}}),
		"neither session nor subject": w.logoutToken(t, testidp.Claims{"sub": nil}),
		"a session that is a number":  w.logoutToken(t, testidp.Claims{"sid": 7, "sub": "bruce"}),
		"a forged signature":          w.logoutToken(t, testidp.Claims{"sid": sid}, testidp.ForgedSignature()),
		"the type of an access token": w.logoutToken(t, testidp.Claims{"sid": sid}, testidp.Header("typ", "at+jwt")),
		"another type":                w.logoutToken(t, testidp.Claims{"sid": sid}, testidp.Header("typ", "secevent+jwt")),
		"no signature":                w.logoutToken(t, testidp.Claims{"sid": sid}, testidp.Header("alg", "none")),
		"a critical header":           w.logoutToken(t, testidp.Claims{"sid": sid}, testidp.Header("crit", []string{"x"})),
		"no token":                    "",
		"too long":                    strings.Repeat("x", 20<<10),
	} {
		testkit.Equal(t, w.logOut(t, w.server, bad), 400, rule)
	}
	w.wantGood(t, token)
	for _, typ := range []string{"JWT", "logout+jwt", "application/logout+JWT"} {
		testkit.Equal(t, w.logOut(t, w.server, w.logoutToken(t, testidp.Claims{"aud": []string{"x", logoutClient}, "exp": now + 60}, testidp.Header("typ", typ))), 200, typ)
	}
}

func TestALogoutIsOneFormWithOneToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withLogouts)
	const form = "application/x-www-form-urlencoded"
	token := url.Values{"logout_token": {w.logoutToken(t, nil)}}.Encode()
	address := w.server.URL + w.base + "/logout"
	for rule, r := range map[string][3]string{
		"another media type":   {"", "application/json", `{"logout_token":"x"}`},
		"no media type":        {"", "", token},
		"no token":             {"", form, "other=x"},
		"two tokens":           {"", form, token + "&" + token},
		"a token in the query": {"?" + token, form, token},
		"no form":              {"", form, "%zz"},
		"more than 64 KiB":     {"", form, token + "&x=" + strings.Repeat("x", 64<<10)},
	} {
		testkit.Equal(t, postLogout(t, address+r[0], r[1], r[2]), 400, rule)
	}
	testkit.Equal(t, postLogout(t, address, form+"; charset=UTF-8", token), 200)
	testkit.Equal(t, postLogout(t, address, form, token), 400, "the same token again")
}

func TestTheLogoutPathIsLikeAnyOtherWithoutTheSetting(t *testing.T) {
	t.Parallel()
	off, on := newWorld(t), newWorld(t, withLogouts)
	for _, c := range []struct {
		w           *world
		method, as  string
		status      int
		code, allow string
	}{
		{off, "POST", "", 401, "missing_token", ""}, {off, "POST", bruceWayne, 404, "no_such_path", ""}, {off, "GET", bruceWayne, 404, "no_such_path", ""},
		{on, "GET", "", 401, "missing_token", ""}, {on, "GET", bruceWayne, 405, "method_not_allowed", "POST"},
	} {
		a := c.w.send(t, request{as: c.as, method: c.method, path: "/logout"}).want(t, c.status, c.code)
		testkit.Equal(t, a.header.Get("Allow"), c.allow)
	}
}

func TestALogoutTokenIsNoBearerToken(t *testing.T) {
	t.Parallel()
	for _, more := range []testidp.Claims{nil, {"email": bruceWayne, "aud": testidp.Audience, "exp": time.Now().Unix() + 60, "scope": scopes[bruceWayne]}} {
		w := newWorld(t, withLogouts)
		w.send(t, request{token: w.logoutToken(t, more), path: "/me"}).want(t, 401, "wrong_token_type")
	}
}

func TestTokensMayNotOutliveALogout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withLogouts, func(s *setup) { s.logouts.Keep = time.Hour })
	now := time.Now().Unix()
	w.wantGood(t, w.inSession(t, "", testidp.Claims{"iat": now, "exp": now + 3600}))
	w.wantGood(t, w.inSession(t, "", testidp.Claims{"iat": nil, "exp": now + 3590}))
	for _, bad := range []testidp.Claims{{"iat": now, "exp": now + 3700}, {"iat": nil, "exp": now + 3700}, {"iat": now - 3600, "exp": now + 600}} {
		w.send(t, request{token: w.inSession(t, "", bad), path: "/me"}).want(t, 401, "invalid_claim")
	}
}

func TestWithoutKeysALogoutIsToBeSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withLogouts, func(s *setup) { s.keysURL = "http://127.0.0.1:1/none" })
	testkit.Equal(t, w.logOut(t, w.server, w.logoutToken(t, nil)), 503)
}

// another is a second process: its own store of the same library.
func (w *world) another(t testing.TB, address string) *httptest.Server {
	t.Helper()
	store := openStore(t, address)
	s := setup{auth: auth.Config{Issuer: w.idp.Issuer(), Audience: testidp.Audience}}
	withLogouts(&s)
	second := &world{idp: w.idp, log: w.log, service: service.New(store)}
	scheme := second.bearer(t, &s)
	server := httptest.NewServer(httpapi.New(httpapi.Config{
		Service: second.service, Search: search.New(store), Auth: scheme, BasePath: w.base, Logouts: s.auth.Logouts,
		Logger: w.log.logger(), Events: func(*httpapi.Event) {}, Metrics: httpapi.NewMetrics(prometheus.NewRegistry()),
	}))
	t.Cleanup(server.Close)
	return server
}

func TestALogoutCountsInEveryProcessAndAfterARestart(t *testing.T) {
	t.Parallel()
	for database := range databases {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			address := addresses[database](t)
			w := newWorld(t, withLogouts, func(s *setup) {
				s.open = func(t testing.TB) *sqlstore.Store { return openStore(t, address) }
			})
			second := w.another(t, address)
			ended, other := w.inSession(t, "s", nil), w.inSession(t, "t", nil)
			w.wantGood(t, ended)
			beside := &world{idp: w.idp, server: second, base: w.base} // streams of the other process
			streams := []*listener{w.listen(t, request{token: ended}), beside.listen(t, request{token: ended})}
			var undisturbed []*listener
			for range 8 {
				undisturbed = append(undisturbed, w.listen(t, request{token: other}), beside.listen(t, request{token: other}))
			}
			for _, l := range append(streams, undisturbed...) {
				l.wantBare("ready")
			}
			logout := w.logoutToken(t, testidp.Claims{"sid": "s"})
			testkit.Equal(t, w.logOut(t, second, logout), 200)
			for _, l := range streams {
				l.WantEnd()
			}
			w.wantEnded(t, ended)
			w.wantGood(t, other)
			testkit.Equal(t, w.logOut(t, w.server, logout), 400, "a token taken by the other process")
			restarted := w.another(t, address)
			for token, status := range map[string]int{ended: 401, other: 200} {
				req, err := http.NewRequest(http.MethodGet, restarted.URL+w.base+"/me", nil)
				testkit.NoError(t, err)
				req.Header.Set("Authorization", "Bearer "+token)
				resp, err := http.DefaultClient.Do(req)
				testkit.NoError(t, err)
				resp.Body.Close()
				testkit.Equal(t, resp.StatusCode, status)
			}
			lent(cleanCode, bruceBanner)(t, w)
			for _, l := range undisturbed {
				l.want("borrowed", cleanCode, true)
			}
		})
	}
}

func TestLogoutsAreKeptAsLongAsTheyCountAndNoMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, w *world) {
		const most = 3
		ctx, now, s := allowTime(t.Context()), time.Now(), service.New(w.store, service.WithMaxLogouts(most))
		digest := func(i int) (d library.Digest) { copy(d[:], strconv.Itoa(i)); return d }
		add := func(i int, until time.Time) error {
			return s.EndSession(ctx, library.Logout{Token: digest(i), Ends: digest(i), Until: until})
		}
		testkit.NoError(t, add(0, now.Add(-time.Hour)))
		for i := range most {
			testkit.NoError(t, add(1+i, now.Add(time.Hour)))
		}
		testkit.ErrorIs(t, add(1+most, now.Add(time.Hour)), library.ErrTooManyLogouts)
		testkit.ErrorIs(t, add(1, now.Add(time.Hour)), library.ErrLogoutTaken)
		testkit.NoError(t, testkit.Err(s.RunHousekeeping(ctx)))
		kept, err := s.Logouts(ctx, 0, 2)
		testkit.NoError(t, err)
		testkit.Equal(t, kept[0].Token, digest(1))
		if _, err := s.Logouts(ctx, kept[1].Seq, 1); err != nil {
			t.Error(err)
		}
	})
}
