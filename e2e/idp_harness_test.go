package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// provider is a running `library idp`.
type provider struct {
	*server
	issuer string
}

const (
	clientID     = "library-client"
	clientSecret = "9584640c-3804-4dcd-997b-93593cfb9ea7"
	callback     = "http://localhost:9090/callback" // nobody has to listen there
)

// password is the password of each sample user.
var passwords = map[string]string{"bwayne": "wayne", "bbanner": "banner", "pparker": "parker", "ckent": "kent", "station": "shelves"}

var idpListening = regexp.MustCompile(`msg=listening addr=\S+ issuer=(\S+)`)

// startIDP starts the identity provider on a free port.
func startIDP(t testing.TB, args ...string) *provider {
	t.Helper()
	s := launch(t, nil, append([]string{"idp", "--addr", "127.0.0.1:0"}, args...)...)
	return &provider{s, s.AwaitLog(t, idpListening)}
}

// library starts the service behind the provider, with the samples in it.
func (p *provider) library(t testing.TB, args ...string) *server {
	t.Helper()
	s := start(t, nil, append([]string{"--issuer", p.issuer, "--database", emptySQLite(t), "--sample-data"}, args...)...)
	s.awaitReady(t)
	return s
}

func (p *provider) at(endpoint string) string {
	return p.issuer + "/protocol/openid-connect/" + endpoint
}

// tokenAnswer is an answer of the token endpoint.
type tokenAnswer struct {
	status int
	fields map[string]any
}

func (a tokenAnswer) text(field string) string { s, _ := a.fields[field].(string); return s }

// fields makes a form of names and values, without those that are empty.
func fields(pairs ...string) url.Values {
	form := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			form.Set(pairs[i], pairs[i+1])
		}
	}
	return form
}

// forClient is a form of the confidential client.
func forClient(pairs ...string) url.Values {
	form := fields(pairs...)
	form.Set("client_id", clientID)
	form.Set("client_secret", clientSecret)
	return form
}

func byPassword(username, scope string) url.Values {
	return forClient("grant_type", "password", "username", username, "password", passwords[username], "scope", scope)
}

// ask sends a form to the token endpoint.
func (p *provider) ask(t testing.TB, form url.Values) tokenAnswer {
	t.Helper()
	a, err := p.tryAsk(form)
	testkit.NoError(t, err)
	return a
}

// tryAsk is ask for other goroutines than the test's.
func (p *provider) tryAsk(form url.Values) (tokenAnswer, error) {
	resp, err := p.client.PostForm(p.at("token"), form)
	if err != nil {
		return tokenAnswer{}, err
	}
	defer resp.Body.Close()
	a := tokenAnswer{status: resp.StatusCode}
	return a, json.NewDecoder(resp.Body).Decode(&a.fields)
}

// grant is ask for what must be granted.
func (p *provider) grant(t testing.TB, form url.Values) tokenAnswer {
	t.Helper()
	a := p.ask(t, form)
	if a.status != http.StatusOK {
		t.Fatalf("%s: no token: %d %v", form.Get("grant_type"), a.status, a.fields)
	}
	return a
}

// login is a token by password.
func (p *provider) login(t testing.TB, username string) string {
	t.Helper()
	return p.grant(t, byPassword(username, "")).text("access_token")
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// code returns the code that a user of the confidential client gets.
func (p *provider) code(t testing.TB, username, scope string) string {
	t.Helper()
	return p.codeFor(t, username, fields("response_type", "code", "client_id", clientID, "redirect_uri", callback, "scope", scope))
}

// codeFor goes through login and consent as a browser does and returns the code.
func (p *provider) codeFor(t testing.TB, username string, query url.Values) string {
	t.Helper()
	address := p.at("auth") + "?" + query.Encode()
	cookies := map[string]*http.Cookie{}
	var visit func(form url.Values) *http.Response
	visit = func(form url.Values) *http.Response {
		t.Helper()
		req, err := http.NewRequest("GET", address, nil)
		if form != nil {
			req, err = http.NewRequest("POST", address, strings.NewReader(form.Encode()))
		}
		testkit.NoError(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for _, c := range cookies {
			req.AddCookie(c)
		}
		resp, err := p.client.Do(req)
		testkit.NoError(t, err)
		for _, c := range resp.Cookies() {
			cookies[c.Name] = c
		}
		if resp.StatusCode == http.StatusSeeOther { // after the login, to the same address
			resp.Body.Close()
			return visit(nil)
		}
		return resp
	}
	fill := func(page *http.Response, pairs ...string) url.Values {
		t.Helper()
		defer page.Body.Close()
		text, err := io.ReadAll(page.Body)
		if err != nil || page.StatusCode != http.StatusOK {
			t.Fatalf("no page: %d %v\n%s", page.StatusCode, err, text)
		}
		form := fields(pairs...)
		for _, hidden := range hiddenField.FindAllStringSubmatch(string(text), -1) {
			form.Set(hidden[1], hidden[2])
		}
		return form
	}
	login := visit(nil)
	consent := visit(fill(login, "username", username, "password", passwords[username]))
	answer := visit(fill(consent, "decision", "allow"))
	answer.Body.Close()
	target, err := answer.Location()
	if err != nil || answer.StatusCode != http.StatusFound || !strings.HasPrefix(target.String(), query.Get("redirect_uri")+"?") {
		t.Fatalf("no redirect to the client: %d %v %v", answer.StatusCode, target, err)
	}
	if target.Query().Get("session_state") == "" {
		t.Errorf("no session_state in %s", target)
	}
	return target.Query().Get("code")
}

func byCode(code string) url.Values {
	return forClient("grant_type", "authorization_code", "code", code, "redirect_uri", callback)
}

// configuration is the configuration file of the provider.
type configuration map[string][]map[string]any

// defaultConfiguration is what --print-config prints.
func defaultConfiguration(t testing.TB) configuration {
	t.Helper()
	var c configuration
	testkit.NoError(t, json.Unmarshal([]byte(runProgram(t, nil, "idp", "--print-config").stdout), &c))
	return c
}

// change sets a field of the user or client with that name.
func (c configuration) change(kind, name, field string, value any) {
	for _, item := range c[kind] {
		if item["username"] == name || item["id"] == name {
			item[field] = value
		}
	}
}

// write puts the configuration into a file.
func (c configuration) write(t testing.TB, path string) string {
	t.Helper()
	if path == "" {
		path = filepath.Join(t.TempDir(), "idp.json")
	}
	data, err := json.Marshal(c)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	testkit.NoError(t, err)
	return path
}
