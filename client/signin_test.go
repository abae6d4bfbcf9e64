package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestAPersonSignsInWithABrowser(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	b := newBrowser("bwayne", "wayne", "allow")
	token, err := signInWith(t.Context(), p, 0, b.open)
	testkit.NoError(t, err)
	if token.Access == "" || token.Refresh == "" || token.ID == "" || !slices.Contains(token.Scope, "library_user") {
		t.Errorf("got %v", token)
	}
	testkit.Contains(t, b.page, "You are signed in; you can close this window.")
	if _, err := p.Refresh(t.Context(), terminal, token); err != nil {
		t.Errorf("renewing: %v", err)
	}
}

func TestAPersonWhoDeniesIsNotSignedIn(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	b := newBrowser("bwayne", "wayne", "deny")
	_, err := signInWith(t.Context(), p, 0, b.open)
	says(t, err, "access was denied")
	testkit.ErrorIs(t, err, ErrDenied)
	testkit.Contains(t, b.page, "You are not signed in: the identity provider refused: access was denied")
}

func TestTheRequestIsOneThatNobodyElseCanAnswer(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	seen := map[string]bool{}
	for range 2 {
		_, err := p.SignIn(t.Context(), SignInOptions{Client: terminal, Scopes: []string{"email"}, Open: func(address string) error {
			u, err := url.Parse(address)
			if err != nil {
				return err
			}
			q := u.Query()
			if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || q.Get("scope") != "email openid" ||
				q.Get("response_type") != "code" || q.Get("client_id") != terminal.ID {
				t.Errorf("asked with %v", q)
			}
			for _, name := range []string{"state", "nonce", "code_challenge"} {
				if len(q.Get(name)) < 26 || seen[q.Get(name)] {
					t.Errorf("%s is short or not new: %q", name, q.Get(name))
				}
				seen[q.Get(name)] = true
			}
			return errors.New("enough")
		}})
		says(t, err, "could not be opened: enough")
	}
}

// The command line of a browser can be read by every user of the machine. Who
// knows the state can sign the person in as somebody else.
func TestWhatABrowserIsStartedWithHoldsNoSecret(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	b := newBrowser("bwayne", "wayne", "allow")
	_, err := launchWith(t.Context(), p, 0, nil, func(address string) error {
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		if u.Hostname() != "127.0.0.1" || u.RawQuery != "" || strings.Contains(address, "state") {
			t.Errorf("started with %s", address)
		}
		for name, c := range map[string]struct {
			address string
			status  int
		}{
			"a guess":       {address + "x", 404},
			"another name":  {strings.Replace(address, "127.0.0.1", "localhost", 1), 404},
			"half of it":    {address[:len(address)-1], 404},
			"the beginning": {address[:strings.LastIndex(address, "/")+1], 404},
		} {
			if status, page := visit(c.address); status != c.status {
				t.Errorf("%s: %d %s", name, status, page)
			}
		}
		return b.open(address)
	})
	if err != nil || !strings.Contains(b.page, "You are signed in;") {
		t.Errorf("%v\n%s", err, b.page)
	}
}

func TestTheAddressThatABrowserIsStartedWithIsGoodOnce(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	_, err := launchWith(t.Context(), p, 100*time.Millisecond, nil, func(address string) error {
		stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := stay.Get(address)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusFound || !strings.Contains(resp.Header.Get("Location"), "state=") || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v", resp.StatusCode, resp.Header)
		}
		if status, page := visit(address); status != http.StatusGone || !strings.Contains(page, "somebody else") {
			t.Errorf("the second time: %d %s", status, page)
		}
		return nil
	})
	says(t, err, "not finished in time")
}

func TestABrowserThatDoesNotStartLeavesTheAddressToThePerson(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	b := newBrowser("bwayne", "wayne", "allow")
	token, err := launchWith(t.Context(), p, 0, func(address string) error {
		testkit.Contains(t, address, "state=")
		return b.open(address)
	}, func(string) error { return errors.New("no browser") })
	if err != nil || token.Access == "" {
		t.Error(err)
	}
}

// Anybody can send something to a port of this machine. Nothing that does not
// know the state may end or change the sign-in.
func TestForgedAnswersSpoilNothing(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	b := newBrowser("bwayne", "wayne", "allow")
	_, err := signInWith(t.Context(), p, 0, func(address string) error {
		for name, forged := range map[string]struct {
			address string
			status  int
		}{
			"wrong state":        {answerTo(address, "state", "guessed", "code", "c", "iss", p.Issuer()), 400},
			"no state":           {answerTo(address, "state", "", "code", "c", "iss", p.Issuer()), 400},
			"two states":         {answerTo(address, "code", "c") + "&state=x", 400},
			"an error":           {answerTo(address, "state", "guessed", "error", "access_denied"), 400},
			"a broken query":     {answerTo(address) + "&x=%zz", 400},
			"nothing":            {answerTo(address, "state", ""), 400},
			"another path":       {strings.Replace(answerTo(address, "code", "c"), "/callback", "/", 1), 404},
			"another name of us": {strings.Replace(answerTo(address, "code", "c"), "127.0.0.1", "localhost", 1), 404},
		} {
			if status, page := visit(forged.address); status != forged.status || strings.Contains(page, "You are signed in;") {
				t.Errorf("%s: %d %s", name, status, page)
			}
		}
		resp, err := http.PostForm(answerTo(address), url.Values{"code": {"c"}})
		if err != nil {
			return err
		}
		resp.Body.Close()
		testkit.Equal(t, resp.StatusCode, http.StatusMethodNotAllowed, "POST")
		return b.open(address)
	})
	if err != nil {
		t.Errorf("the real answer did not count: %v", err)
	}
}

func TestAnAnswerThatIsNotRightEndsTheSignIn(t *testing.T) {
	t.Parallel()
	i := startIDP(t)
	for name, c := range map[string]struct {
		answer []string // beside the state
		more   string
		words  string
	}{
		"from another provider":        {[]string{"code", "c", "iss", "https://evil.example"}, "", "another identity provider"},
		"from another with a slash":    {[]string{"code", "c", "iss", i.Issuer + "/"}, "", "another identity provider"},
		"from nobody":                  {[]string{"code", "c"}, "", "another identity provider"},
		"from two":                     {[]string{"code", "c", "iss", i.Issuer}, "&iss=https://evil.example", "neither a code nor a reason"},
		"an error from another":        {[]string{"error", "access_denied", "iss", "https://evil.example"}, "", "another identity provider"},
		"a code that nobody gave":      {[]string{"code", "s3cr3t", "iss", i.Issuer}, "", "invalid_grant"},
		"no code":                      {[]string{"iss", i.Issuer}, "", "neither a code nor a reason"},
		"two codes":                    {[]string{"code", "c", "iss", i.Issuer}, "&code=d", "neither a code nor a reason"},
		"an error that is known":       {[]string{"error", "temporarily_unavailable", "iss", i.Issuer}, "", "try again later (temporarily_unavailable)"},
		"an error with a secret in it": {[]string{"error", "s3cr3t", "error_description", "s3cr3t", "iss", i.Issuer}, "", "no reason given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := signInWith(t.Context(), discover(t, i.Issuer), 0, func(address string) error {
				status, page := visit(answerTo(address, c.answer...) + c.more)
				if status != http.StatusBadRequest || !strings.Contains(page, "You are not signed in: ") || strings.Contains(page, "s3cr3t") {
					t.Errorf("page: %d %s", status, page)
				}
				return nil
			})
			says(t, err, "signing in: ", c.words)
		})
	}
}

func TestAnAnswerCountsOnce(t *testing.T) {
	t.Parallel()
	f := startFake(t)
	first, second := make(chan struct{}), make(chan struct{})
	f.token = func(w http.ResponseWriter, _ *http.Request) {
		close(first) // twice would panic
		<-second
		sendJSON(w, http.StatusOK, goodToken())
	}
	_, err := signInWith(t.Context(), discover(t, f.URL), 0, func(address string) error {
		go visit(answerTo(address, "code", "c"))
		<-first
		defer close(second)
		if status, page := visit(answerTo(address, "code", "d")); status != http.StatusConflict || !strings.Contains(page, "answered already") {
			t.Errorf("second answer: %d %s", status, page)
		}
		return nil
	})
	says(t, err, "no ID token")
}

func TestTheWaitHasAnEnd(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	for name, c := range map[string]struct {
		timeout time.Duration
		cancel  time.Duration
		want    error
		words   string
	}{
		"nobody comes":       {30 * time.Millisecond, time.Minute, context.DeadlineExceeded, "not finished in time; try again"},
		"the caller gave up": {time.Minute, 30 * time.Millisecond, context.Canceled, "signing in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(c.cancel, cancel).Stop()
			var callback string
			_, err := signInWith(ctx, p, c.timeout, func(address string) error {
				callback = answerTo(address)
				return nil
			})
			says(t, err, c.words)
			testkit.ErrorIs(t, err, c.want)
			if status, text := visit(callback); status != 0 {
				t.Errorf("the port is still open: %d %s", status, text)
			}
		})
	}
}

func TestThePortIsOfThisMachineAlone(t *testing.T) {
	t.Parallel()
	c, err := listen(t.Context(), metadata{})
	testkit.NoError(t, err)
	defer c.finish(nil)
	host, port, err := net.SplitHostPort(c.host)
	if err != nil || host != "127.0.0.1" || c.address != "http://127.0.0.1:"+port+"/callback" {
		t.Errorf("listens at %s, redirects to %s", c.host, c.address)
	}
	for _, other := range []string{"127.0.0.2", "::1"} {
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(other, port), time.Second); err == nil {
			conn.Close()
			t.Errorf("reached at %s", other)
		}
	}
}

// Browsers connect beforehand; the sign-in does not wait for them.
func TestAnIdleConnectionDoesNotHoldTheSignInUp(t *testing.T) {
	t.Parallel()
	c, err := listen(t.Context(), metadata{})
	testkit.NoError(t, err)
	conn, err := net.Dial("tcp", c.host)
	testkit.NoError(t, err)
	defer conn.Close()
	start := time.Now()
	c.finish(nil)
	if took := time.Since(start); took > testkit.Bound(3*time.Second) {
		t.Errorf("took %v", took)
	}
}

func TestSignInSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	open := func(string) error { return nil }
	for name, c := range map[string]struct {
		member  string
		value   any
		options SignInOptions
		words   string
	}{
		"nothing to open with": {"x", nil, SignInOptions{Client: terminal}, "there is no Open"},
		"no client":            {"x", nil, SignInOptions{Open: open}, "client id is missing"},
		"no page":              {"authorization_endpoint", nil, SignInOptions{Client: terminal, Open: open}, "no page to sign in at"},
		"no S256":              {"code_challenge_methods_supported", []string{"plain"}, SignInOptions{Client: terminal, Open: open}, "PKCE with S256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.document = changed(f.document, c.member, c.value)
			_, err := discover(t, f.URL).SignIn(t.Context(), c.options)
			says(t, err, c.words)
		})
	}
}
