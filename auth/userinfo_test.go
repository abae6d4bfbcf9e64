package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.org/library/auth/claims"
	"example.org/library/internal/testkit"
)

func TestAnAddressThatIsNotInTheTokenIsAskedFor(t *testing.T) {
	t.Parallel()
	d := newDirectory(says(`{"sub":"s-1","email":"b@example.com","email_verified":true,"given_name":"B","name":"B W","scope":"library_admin"}`))
	b := d.bearer(atTestNow, func(c *Config) { c.RequireVerifiedEmail = true })
	token := noAddress(map[string]any{"name": "Bruce"})
	for range 3 {
		id, err := b.Authenticate(requestWith("Bearer " + token))
		testkit.NoError(t, err)
		testkit.Equal(t, id.Email, "b@example.com")
		testkit.Diff(t, []string{"ROLE_LIBRARY_USER", "ROLE_EMAIL", "ROLE_PROFILE"}, id.Authorities)
		testkit.Diff(t, claims.Person{Issuer: testIssuer, Subject: "s-1", GivenName: "B", Name: "Bruce", EmailVerified: claims.Verified}, id.Person())
	}
	testkit.Diff(t, []string{"Bearer " + token}, d.tokens)
	if id := b.Recognize(requestWith("Bearer " + token)); id == nil || id.Email != "b@example.com" {
		t.Errorf("not recognised: %+v", id)
	}
}

func TestAnAddressIsVerifiedByTheSameWordsWhereverItComesFrom(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]struct {
		refusal string
		vouches bool // for a new record
	}{
		`true`: {"", true}, `"true"`: {"email_not_verified", true}, `false`: {"email_not_verified", false},
		`null`: {"email_not_verified", false}, `1`: {"email_not_verified", false}, `"TRUE"`: {"email_not_verified", false},
	} {
		d := newDirectory(says(`{"sub":"s-1","email":"b@example.com","email_verified":` + said + `}`))
		strict := func(c *Config) { c.RequireVerifiedEmail = true }
		own := ecSigner().token(map[string]any{"sub": "s-1", "email_verified": json.RawMessage(said)})
		for place, token := range map[string]string{"the token": own, "the answer": noAddress(nil)} {
			if got := try(d.bearer(atTestNow, strict), token); got != want.refusal {
				t.Errorf("%s in %s: %q", said, place, got)
			}
			id, err := d.bearer(atTestNow).Authenticate(requestWith("Bearer " + token))
			if err != nil || id.Person().EmailVerified.Vouches() != want.vouches {
				t.Errorf("%s in %s: %+v %v", said, place, id, err)
			}
		}
	}
}

func TestNobodyAsksForATokenThatIsBadOrHasAnAddress(t *testing.T) {
	t.Parallel()
	d := newDirectory(says(addressOfBruce))
	b := d.bearer(atTestNow)
	forged := noAddress(nil)
	for token, want := range map[string]string{
		ecSigner().token(nil):                                 "",
		noAddress(map[string]any{"aud": "x"}):                 "wrong_audience",
		noAddress(map[string]any{"exp": 1}):                   "expired",
		noAddress(map[string]any{"iss": "x"}):                 "wrong_issuer",
		noAddress(map[string]any{"typ": "ID"}):                "wrong_token_type",
		noAddress(map[string]any{"sub": nil}):                 "unknown_user",
		noAddress(map[string]any{"sub": 1}):                   "unknown_user",
		forged[:len(forged)-4] + "AAAA":                       "bad_signature",
		ec384Signer().token(map[string]any{"email": nil}):     "unknown_key",
		noAddress(map[string]any{"cnf": map[string]any{}}):    "bound_token",
		ecSigner().token(map[string]any{"email_verified": 1}): "",
	} {
		mustTry(t, b, token, want)
	}
	testkit.Equal(t, d.wasAsked(), 0, "questions")
	off := newTestBearer(d.provider)
	mustTry(t, off, noAddress(nil), "unknown_user")
}

func TestWhatTheUserinfoEndpointMayAnswer(t *testing.T) {
	t.Parallel()
	const good, unavailable = addressOfBruce, "userinfo_unavailable"
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); _, _ = io.WriteString(w, good) }
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != userinfoPath {
				says(good)(w, r)
				return
			}
			http.Redirect(w, r, to, http.StatusFound)
		}
	}
	jwt := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/jwt; charset=utf-8")
		_, _ = io.WriteString(w, ecSigner().token(map[string]any{"sub": "s-1"}))
	}
	for rule, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"an address":                  {says(good), ""},
		"64 KiB":                      {says(good + strings.Repeat(" ", 64<<10-len(good))), ""},
		"one byte more":               {says(good + strings.Repeat(" ", 64<<10-len(good)+1)), unavailable},
		"no address":                  {says(`{"sub":"s-1"}`), "unknown_user"},
		"an empty address":            {says(`{"sub":"s-1","email":""}`), "unknown_user"},
		"an address that is no text":  {says(`{"sub":"s-1","email":["b@example.com"]}`), "unknown_user"},
		"another subject":             {says(`{"sub":"s-2","email":"b@example.com"}`), unavailable},
		"no subject":                  {says(`{"email":"b@example.com"}`), unavailable},
		"a subject twice":             {says(`{"sub":"s-2","sub":"s-1","email":"b@example.com"}`), unavailable},
		"no JSON":                     {says("<html>"), unavailable},
		"an array":                    {says("[" + good + "]"), unavailable},
		"deep nesting":                {says(`{"sub":"s-1","email":"b@example.com","x":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`), unavailable},
		"a signed answer":             {jwt, unavailable},
		"an error":                    {status(http.StatusInternalServerError), unavailable},
		"a refusal":                   {status(http.StatusUnauthorized), unavailable},
		"another success":             {status(http.StatusNonAuthoritativeInfo), unavailable},
		"a redirect on the same host": {redirect("https://idp.example.com/me"), ""},
		"a redirect to another host":  {redirect("https://evil.example.com/me"), unavailable},
		"a redirect to a host below":  {redirect("https://x.idp.example.com/me"), unavailable},
		"a redirect to plain HTTP":    {redirect("http://idp.example.com/me"), unavailable},
		"redirects without end":       {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, userinfoPath, http.StatusFound) }, unavailable},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			d, now := newDirectory(c.answer), testNow
			b, token := d.bearer(func() time.Time { return now }), noAddress(nil)
			mustTry(t, b, token, c.want)
			if len(d.outside) > 0 {
				t.Errorf("the token was sent to %q", d.outside)
			}
			asked := d.wasAsked()
			now = now.Add(errNoUserinfo.RetryAfter - 1)
			mustTry(t, b, token, c.want)
			testkit.Equal(t, d.wasAsked(), asked, "questions within Retry-After")
			now = now.Add(1)
			mustTry(t, b, token, c.want)
			if again := d.wasAsked() > asked; again != (c.want == unavailable) {
				t.Errorf("asked again: %v", again)
			}
		})
	}
}

func TestWhereTheUserinfoEndpointMayBe(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`{"issuer":%q,"jwks_uri":"%s","userinfo_endpoint":"https://idp.example.com/x"}`: "",
		`{"issuer":%q,"jwks_uri":"%s"}`: "userinfo_unavailable",
		`{"issuer":%q,"jwks_uri":"%s","userinfo_endpoint":"http://idp.example.com/x"}`: "userinfo_unavailable",
		`{"issuer":%q,"jwks_uri":"%s","userinfo_endpoint":"/x"}`:                       "userinfo_unavailable",
		`{"issuer":%q,"jwks_uri":"%s","userinfo_endpoint":["https://x"]}`:              "userinfo_unavailable",
	} {
		d := newDirectory(says(addressOfBruce))
		d.discovery = fmt.Sprintf(document, testIssuer, testJWKSURL)
		mustTry(t, d.bearer(atTestNow), noAddress(nil), want)
	}
}

func TestAThousandCallersOfOneTokenAskOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d := newDirectory(saysAfter(time.Second, addressOfBruce))
		b := d.bearer(time.Now)
		token := lasting(time.Hour, nil)
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() { mustTry(t, b, token, "") })
		}
		wg.Wait()
		mustTry(t, b, token, "")
		testkit.Equal(t, d.wasAsked(), 1, "questions")
	})
}

func TestAtMostTenAreAskedForAtATime(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d := newDirectory(saysAfter(time.Second, addressOfBruce))
		b := d.bearer(time.Now)
		var wg sync.WaitGroup
		var refused atomic.Int32
		for i := range 100 {
			token := lasting(time.Hour, i)
			wg.Go(func() {
				if try(b, token) == "userinfo_unavailable" {
					refused.Add(1)
				}
			})
		}
		began := time.Now()
		wg.Wait()
		if d.most != 10 || refused.Load() == 0 || refused.Load() > 60 {
			t.Errorf("%d at a time, %d of 100 refused", d.most, refused.Load())
		}
		if waited := time.Since(began); waited > fetchTimeout {
			t.Errorf("waited for %s", waited)
		}
		time.Sleep(2 * fetchTimeout)
	})
}

func TestASlowProviderIsGivenUp(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		slow := true
		d := newDirectory(func(w http.ResponseWriter, r *http.Request) {
			if slow {
				<-r.Context().Done()
				return
			}
			says(addressOfBruce)(w, r)
		})
		b := d.bearer(time.Now)
		token := lasting(time.Hour, nil)
		began := time.Now()
		mustTry(t, b, token, "userinfo_unavailable")
		testkit.Equal(t, time.Since(began), fetchTimeout)
		synctest.Wait()
		slow = false
		mustTry(t, b, token, "userinfo_unavailable")
		testkit.Equal(t, time.Since(began), fetchTimeout) // it did not wait again
		time.Sleep(errNoUserinfo.RetryAfter)
		mustTry(t, b, token, "") // it heals alone
	})
}

func TestADiscoveryThatFailedIsNotTriedAgainAtOnce(t *testing.T) {
	t.Parallel()
	d, now := newDirectory(says(addressOfBruce)), testNow
	b := d.bearer(func() time.Time { return now })
	mustTry(t, b, ecSigner().token(nil), "") // which fetches the keys
	good, before := d.discovery, d.discovered()
	discovery := func(document string) { d.change(func(p *provider) { p.discovery = document }) }
	another := 0
	next := func(want string) {
		another++
		mustTry(t, b, noAddress(map[string]any{"jti": another, "exp": testNow.Add(time.Hour).Unix()}), want)
	}
	discovery("{}")
	for range 20 {
		next("userinfo_unavailable")
	}
	testkit.Equal(t, d.discovered(), before+1, "discoveries")
	discovery(good)
	next("userinfo_unavailable")
	now = now.Add(discoveryPause)
	next("")
	// What is known is used on.
	discovery("{}")
	now = now.Add(regularPause)
	for range 20 {
		next("")
	}
	testkit.Equal(t, d.discovered(), before+3, "discoveries")
}

func TestATokenThatExpiresWhileTheProviderIsAskedIsRefused(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d := newDirectory(saysAfter(3*time.Second, addressOfBruce))
		b := d.bearer(time.Now)
		for lifetime, want := range map[time.Duration]string{2 * time.Second: "expired", 3 * time.Second: "expired", 5 * time.Second: ""} {
			mustTry(t, b, lasting(lifetime, nil), want)
		}
	})
}

func TestACallerWhoLeavesDoesNotEndTheQuestionOfTheOthers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d := newDirectory(saysAfter(time.Second, addressOfBruce))
		b := d.bearer(time.Now)
		token := lasting(time.Hour, nil)
		ctx, leave := context.WithCancel(t.Context())
		go b.Authenticate(requestWith("Bearer " + token).WithContext(ctx))
		synctest.Wait()
		leave()
		mustTry(t, b, token, "")
		testkit.Equal(t, d.wasAsked(), 1, "questions")
	})
}

// TestTheAnswerIsKeptAsLongAsTheToken: until it expires, or the keys change.
func TestTheAnswerIsKeptAsLongAsTheToken(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		d := newDirectory(says(addressOfBruce))
		b := d.bearer(time.Now)
		token := lasting(time.Hour, nil)
		mustTry(t, b, token, "")
		time.Sleep(30 * time.Minute)
		mustTry(t, b, token, "")
		testkit.Equal(t, d.wasAsked(), 1, "questions")
		d.change(func(p *provider) { p.keys = jwks(ecSigner(), rsaSigner()) })
		testkit.NoError(t, b.cfg.Keys.renew(t.Context(), true))
		mustTry(t, b, token, "")
		testkit.Equal(t, d.wasAsked(), 2, "questions")
		time.Sleep(31 * time.Minute)
		mustTry(t, b, token, "expired")
		testkit.Equal(t, d.wasAsked(), 2, "questions")
	})
}
