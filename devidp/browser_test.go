package devidp

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
)

// browser keeps cookies and shows pages.
type browser struct {
	*world
	cookies map[string]string
	page    answer
	address string
}

func (w *world) browser() *browser {
	return &browser{world: w, cookies: map[string]string{}}
}

func (b *browser) send(r *http.Request) answer {
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	b.page = b.do(r)
	b.address = r.URL.RequestURI()
	for _, c := range b.page.Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
			continue
		}
		b.cookies[c.Name] = c.Value
	}
	return b.page
}

// follow goes where a login leads to.
func (b *browser) follow() answer {
	if b.page.StatusCode == http.StatusSeeOther {
		b.get(b.page.Header.Get("Location"))
	}
	return b.page
}

func (b *browser) get(address string) answer {
	return b.send(httptest.NewRequest(http.MethodGet, address, nil))
}

var (
	actionPattern = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	hiddenPattern = regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`)
)

// filled returns the form of the page with its hidden fields and others.
func (b *browser) filled(pairs ...string) (string, url.Values) {
	b.Helper()
	found := actionPattern.FindStringSubmatch(b.page.text)
	if found == nil {
		b.Fatalf("no form on the page: %d %s", b.page.StatusCode, b.page.text)
	}
	v := form(pairs...)
	for _, hidden := range hiddenPattern.FindAllStringSubmatch(b.page.text, -1) {
		v.Set(hidden[1], html.UnescapeString(hidden[2]))
	}
	return html.UnescapeString(found[1]), v
}

func (b *browser) submit(pairs ...string) answer {
	b.Helper()
	action, v := b.filled(pairs...)
	b.send(formRequest(action, v.Encode()))
	return b.follow()
}

// authQuery is a good authorization request of a client.
func authQuery(client, redirect string, pairs ...string) url.Values {
	v := form("response_type", "code", "client_id", client, "redirect_uri", redirect, "state", "st&te", "nonce", "n-1",
		"scope", "openid", "code_challenge", challenge, "code_challenge_method", "S256")
	return with(v, pairs...)
}

func authAddress(v url.Values) string { return at(pathAuth) + "?" + v.Encode() }

// returned reads where the page redirects to.
func (b *browser) returned() url.Values {
	b.Helper()
	if b.page.StatusCode != http.StatusFound {
		b.Fatalf("no redirect: %d %s", b.page.StatusCode, b.page.text)
	}
	u, err := url.Parse(b.page.Header.Get("Location"))
	if err != nil {
		b.Fatal(err)
	}
	return u.Query()
}

// signIn goes from the login page to the code.
func (b *browser) signIn(user, password string, q url.Values) url.Values {
	b.Helper()
	b.get(authAddress(q))
	b.submit("username", user, "password", password)
	if b.page.StatusCode == http.StatusOK {
		b.submit("decision", "allow")
	}
	return b.returned()
}

// webTokens are tokens of the browser client.
func (b *browser) webTokens(pairs ...string) answer {
	b.Helper()
	code := b.signIn("bwayne", "wayne", authQuery("library-web", webCallback, pairs...)).Get("code")
	a := b.post(pathToken, webCode(code))
	if a.StatusCode != http.StatusOK {
		b.Fatalf("code: %d %s", a.StatusCode, a.text)
	}
	return a
}

func webCode(code string) url.Values {
	return form("grant_type", "authorization_code", "client_id", "library-web", "code", code,
		"redirect_uri", webCallback, "code_verifier", verifier)
}
