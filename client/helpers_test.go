package client

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

const secret = "9584640c-3804-4dcd-997b-93593cfb9ea7"

var (
	service  = Credentials{ID: "library-client", Secret: secret}
	terminal = Credentials{ID: "library-cli"}
)

func startIDP(t testing.TB) *testidp.Dev {
	t.Helper()
	i := testidp.StartDev()
	t.Cleanup(i.Close)
	return i
}

func discover(t testing.TB, issuer string) *Provider {
	t.Helper()
	p, err := Discover(t.Context(), issuer, nil)
	testkit.NoError(t, err)
	return p
}

// personToken is a token of bwayne with a refresh token.
func personToken(t testing.TB, p *Provider) Token {
	t.Helper()
	token, err := p.Password(t.Context(), service, "bwayne", "wayne", "openid")
	testkit.NoError(t, err)
	return token
}

// browser is a person who signs in and then presses a button.
type browser struct {
	http     *http.Client
	user     string
	password string
	decision string
	page     string // the last page
}

func newBrowser(user, password, decision string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic(err)
	}
	return &browser{http: &http.Client{Jar: jar, Timeout: testkit.Bound(10 * time.Second)}, user: user, password: password, decision: decision}
}

var (
	actionPattern = regexp.MustCompile(`<form [^>]*action="([^"]*)"`)
	hiddenPattern = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)
)

// open goes to an address and fills in forms until a page has none.
func (b *browser) open(address string) error {
	resp, err := b.http.Get(address)
	for range 5 {
		if err != nil {
			return err
		}
		body, readErr := io.ReadAll(resp.Body)
		resp.Body.Close()
		if readErr != nil {
			return readErr
		}
		b.page = string(body)
		action := actionPattern.FindStringSubmatch(b.page)
		if action == nil {
			return nil
		}
		form := url.Values{"username": {b.user}, "password": {b.password}, "decision": {b.decision}}
		for _, hidden := range hiddenPattern.FindAllStringSubmatch(b.page, -1) {
			form.Set(hidden[1], html.UnescapeString(hidden[2]))
		}
		target, parseErr := resp.Request.URL.Parse(html.UnescapeString(action[1]))
		if parseErr != nil {
			return parseErr
		}
		resp, err = b.http.PostForm(target.String(), form)
	}
	return err
}

// visit gets a page and returns its status and text.
func visit(address string) (int, string) {
	resp, err := http.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// signInWith signs in with a function that takes the place of a browser, and
// waits for it to end.
func signInWith(ctx context.Context, p *Provider, timeout time.Duration, open func(address string) error) (Token, error) {
	ended := make(chan struct{})
	defer func() { <-ended }()
	return p.SignIn(ctx, SignInOptions{Client: terminal, Timeout: timeout, Open: func(address string) error {
		defer close(ended)
		return open(address)
	}})
}

// launchWith is signInWith for a browser that is started. open is called if
// launch fails.
func launchWith(ctx context.Context, p *Provider, timeout time.Duration, open, launch func(address string) error) (Token, error) {
	var calls sync.WaitGroup
	defer calls.Wait()
	calls.Add(1)
	return p.SignIn(ctx, SignInOptions{Client: terminal, Timeout: timeout, Open: func(address string) error {
		defer calls.Done()
		return open(address)
	}, Launch: func(address string) error {
		err := launch(address)
		if err == nil {
			calls.Done()
		}
		return err
	}})
}

// answerTo returns the address that answers an authorization request.
func answerTo(address string, pairs ...string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	v := url.Values{"state": {u.Query().Get("state")}}
	for i := 0; i < len(pairs); i += 2 {
		v.Del(pairs[i])
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return u.Query().Get("redirect_uri") + "?" + v.Encode()
}

// says checks that an error has all these words and none of the secrets.
func says(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	testkit.Contains(t, err.Error(), words...)
	for _, hidden := range []string{secret, "s3cr3t", "wayne"} {
		if strings.Contains(err.Error(), hidden) {
			t.Errorf("error %q holds a secret", err)
		}
	}
}
