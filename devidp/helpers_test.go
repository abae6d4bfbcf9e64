package devidp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

const (
	confidential = "library-client"
	secret       = "9584640c-3804-4dcd-997b-93593cfb9ea7"
	callback     = "http://localhost:9090/callback"
	webCallback  = "http://localhost:4200/"
	cliCallback  = "http://127.0.0.1:53682/callback"
	webOrigin    = "http://localhost:4200"
	verifier     = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // of RFC 7636, appendix B
	challenge    = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// Keys are slow to make, so all tests that do not rotate them share these.
var sharedKeys = sync.OnceValue(func() *Keys {
	keys, err := OpenKeys("")
	if err != nil {
		panic(err)
	}
	return keys
})

// world is a provider and its time.
type world struct {
	*testing.T
	provider *Provider
	clock    *testkit.Clock
}

func newWorld(t *testing.T, changes ...func(*Options)) *world {
	t.Helper()
	c := testkit.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	opts := Options{Config: DefaultConfig(), Keys: sharedKeys(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: c.Now}
	for _, change := range changes {
		change(&opts)
	}
	p, err := New(opts)
	testkit.NoError(t, err)
	return &world{T: t, provider: p, clock: c}
}

func withConfig(change func(*Config)) func(*Options) {
	return func(o *Options) { change(&o.Config) }
}

// path of an endpoint of the default issuer.
func at(endpoint string) string { return "/auth/realms/workshop" + endpoint }

// answer is a response with its body, as JSON if it is that.
type answer struct {
	*http.Response
	text string
	json map[string]any
}

func (w *world) do(r *http.Request) answer {
	rec := httptest.NewRecorder()
	w.provider.ServeHTTP(rec, r)
	a := answer{Response: rec.Result(), text: rec.Body.String()}
	if strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(rec.Body.Bytes(), &a.json); err != nil {
			w.Errorf("body is not JSON: %v", err)
		}
	}
	return a
}

func (a answer) str(name string) string {
	s, _ := a.json[name].(string)
	return s
}

func (a answer) members() []string { return slices.Sorted(maps.Keys(a.json)) }

// form makes url.Values of pairs.
func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

// with returns the values with others in their place; "" takes one away.
func with(base url.Values, pairs ...string) url.Values {
	v := maps.Clone(base)
	for i := 0; i < len(pairs); i += 2 {
		if v.Del(pairs[i]); pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

func formRequest(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

func (w *world) post(endpoint string, v url.Values) answer {
	return w.do(formRequest(at(endpoint), v.Encode()))
}

// asClient are the credentials of the confidential client, and more.
func asClient(pairs ...string) url.Values {
	return form(append([]string{"client_id", confidential, "client_secret", secret}, pairs...)...)
}

func passwordForm(user, password string) url.Values {
	return asClient("grant_type", "password", "username", user, "password", password)
}

// login gets tokens by the password grant.
func (w *world) login(user, scope string) answer {
	w.Helper()
	password := map[string]string{"bwayne": "wayne", "bbanner": "banner", "pparker": "parker", "ckent": "kent"}[user]
	a := w.post(pathToken, with(passwordForm(user, password), "scope", scope))
	if a.StatusCode != http.StatusOK {
		w.Fatalf("login of %s: %d %s", user, a.StatusCode, a.text)
	}
	return a
}

func (w *world) refresh(token string) answer {
	return w.post(pathToken, asClient("grant_type", "refresh_token", "refresh_token", token))
}

// active asks the provider what a token is worth.
func (w *world) active(token string) bool {
	w.Helper()
	a := w.post(pathIntrospect, asClient("token", token))
	if a.StatusCode != http.StatusOK {
		w.Fatalf("introspection: %d %s", a.StatusCode, a.text)
	}
	return a.json["active"] == true
}

// claims reads a token without looking at its signature.
func (w *world) claims(token string) map[string]any {
	w.Helper()
	segments := strings.Split(token, ".")
	if len(segments) != 3 {
		w.Fatalf("not a JWT: %q", token)
	}
	payload, err := base64.RawURLEncoding.DecodeString(segments[1])
	if err != nil {
		w.Fatal(err)
	}
	var claims map[string]any
	if err := json.Unmarshal(payload, &claims); err != nil {
		w.Fatal(err)
	}
	return claims
}

// refused checks that an answer is an OAuth error and nothing more.
func (w *world) refused(a answer, status int, code string) {
	w.Helper()
	if a.StatusCode != status || a.str("error") != code {
		w.Errorf("got %d %s, want %d %s", a.StatusCode, a.text, status, code)
	}
	if a.json["access_token"] != nil || a.json["refresh_token"] != nil {
		w.Errorf("an error with a token: %s", a.text)
	}
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}
