package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestDiscoveryFindsTheProvider(t *testing.T) {
	t.Parallel()
	i := startIDP(t)
	p := discover(t, i.Issuer)
	if p.Issuer() != i.Issuer || p.meta.Token != i.Issuer+"/protocol/openid-connect/token" || !p.meta.IssuerParameter {
		t.Errorf("found %+v", p.meta)
	}
}

func TestDiscoveryRefusesWhatIsNoIssuer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		issuer string
		words  string
	}{
		"nothing":               {"", "not an http or https address"},
		"a word":                {"workshop", "not an http or https address"},
		"another scheme":        {"ftp://localhost/realm", "not an http or https address"},
		"no host":               {"http:///realm", "not an http or https address"},
		"a user name":           {"http://me:s3cr3t@localhost/realm", "must not have a user name"},
		"a fragment":            {"http://localhost/realm#", "must not have a fragment"},
		"a query":               {"http://localhost/realm?x=1", "must not have a query"},
		"a placeholder":         {"https://login.example/<TENANT ID>/v2.0", "placeholder <TENANT ID> in it; replace it"},
		"one in braces":         {"https://{host}/v2.0", "placeholder {host} in it; replace it"},
		"the discovery address": {"http://localhost/realm" + wellKnown, "without " + wellKnown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Discover(t.Context(), c.issuer, nil)
			says(t, err, c.words)
		})
	}
}

func TestDiscoveryTakesTheIssuerToTheLetter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		issuer func(url string) string // what the caller says
		said   func(url string) any    // what the provider says
		words  []string
	}{
		"one slash more":  {func(u string) string { return u + "/" }, func(u string) any { return u }, []string{"without the slash at the end"}},
		"one slash less":  {func(u string) string { return u }, func(u string) any { return u + "/" }, []string{"with a slash at the end"}},
		"another name":    {func(u string) string { return u }, func(string) any { return "https://evil.example" }, []string{`calls itself "https://evil.example"`, "use exactly that"}},
		"another case":    {func(u string) string { return u }, func(u string) any { return strings.ToUpper(u) }, []string{"calls itself"}},
		"no name":         {func(u string) string { return u }, func(string) any { return nil }, []string{"names no issuer"}},
		"a number":        {func(u string) string { return u }, func(string) any { return 7 }, []string{"not a discovery document"}},
		"a very long one": {func(u string) string { return u }, func(string) any { return strings.Repeat("x", 5000) }, []string{"x…"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.document = changed(f.document, "issuer", c.said(f.URL))
			_, err := Discover(t.Context(), c.issuer(f.URL), nil)
			says(t, err, c.words...)
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestDiscoveryRefusesEndpointsThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		member string
		value  any
		words  string
	}{
		"no token endpoint":       {"token_endpoint", nil, "has no token_endpoint"},
		"no issuer":               {"issuer", nil, "names no issuer"},
		"no keys":                 {"jwks_uri", nil, "has no jwks_uri"},
		"a relative address":      {"token_endpoint", "/token", "is not an http or https address"},
		"a script":                {"authorization_endpoint", "javascript:alert(1)", "is not an http or https address"},
		"a user name":             {"revocation_endpoint", "http://u:s3cr3t@x/", "must not have a user name"},
		"a fragment":              {"revocation_endpoint", "http://x/#y", "must not have a fragment"},
		"a list of them":          {"token_endpoint", []string{"http://x/"}, "not a discovery document"},
		"a setting that is wrong": {"authorization_response_iss_parameter_supported", "yes", "not a discovery document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.document = changed(f.document, c.member, c.value)
			_, err := Discover(t.Context(), f.URL, nil)
			says(t, err, c.words)
		})
	}
	t.Run("plain HTTP beside a secure issuer", func(t *testing.T) {
		t.Parallel()
		m := metadata{Issuer: "https://x", Token: "https://x/t", Keys: "http://x/k"}
		says(t, m.check("https://x"), "jwks_uri is not https")
	})
}

func TestDiscoverySaysWhyThereIsNoProvider(t *testing.T) {
	t.Parallel()
	text := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		words  []string
	}{
		"not found":          {text(404, "text/plain", "s3cr3t"), []string{"status 404", "check the path"}},
		"a page":             {text(200, "text/html", "<html>"), []string{"no OpenID provider"}},
		"JSON called a page": {text(200, "text/html", `{"issuer":"x"}`), []string{"no OpenID provider"}},
		"broken JSON":        {text(200, "application/json", `{"issuer":"s3cr3t`), []string{"no OpenID provider"}},
		"too much":           {text(200, "application/json", `{"x":"`+strings.Repeat("s", maxAnswer)+`"}`), []string{"sends too much"}},
		"another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/?s3cr3t", http.StatusFound)
		}, []string{"redirects to another host"}},
		"round and round": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, []string{"cannot be reached"}},
		"a bad redirect": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://[s3cr3t")
			w.WriteHeader(http.StatusFound)
		}, []string{"cannot be reached"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := startFake(t)
			f.discovery = c.answer
			_, err := Discover(t.Context(), f.URL, nil)
			says(t, err, append(c.words, "discovery at "+f.URL)...)
		})
	}
}

func TestDiscoverySaysThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		_, err := Discover(t.Context(), "http://"+testkit.NobodyListens, nil)
		says(t, err, "cannot be reached", "connection refused", "check its address and that it runs")
	})
	t.Run("plain HTTP where https is meant", func(t *testing.T) {
		t.Parallel()
		_, err := Discover(t.Context(), strings.Replace(startFake(t).URL, "http:", "https:", 1), nil)
		says(t, err, "discovery at https", "does not speak https there")
	})
	t.Run("a certificate of nobody's", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewUnstartedServer(nil)
		server.Config.ErrorLog = quiet
		server.StartTLS()
		t.Cleanup(server.Close)
		_, err := Discover(t.Context(), server.URL, nil)
		says(t, err, "certificate of the identity provider is not trusted")
	})
	t.Run("slow", func(t *testing.T) {
		t.Parallel()
		_, err := Discover(t.Context(), startSlow(t).URL, &http.Client{Timeout: 50 * time.Millisecond})
		says(t, err, "did not answer in time")
		testkit.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Discover(ctx, startSlow(t).URL, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%v is no cancellation", err)
		}
	})
}

func TestARequestMayTakeTenSecondsAtMost(t *testing.T) {
	t.Parallel()
	for given, want := range map[time.Duration]time.Duration{0: 10 * time.Second, time.Hour: 10 * time.Second, time.Second: time.Second} {
		if got := newHTTPClient(&http.Client{Timeout: given}).Timeout; got != want {
			t.Errorf("given %v: %v, want %v", given, got, want)
		}
	}
}
