package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.org/library/internal/testkit"
)

// libraryThatSays answers at both places where a library may say something of itself.
func libraryThatSays(t *testing.T, metadata, me func(w http.ResponseWriter, base string)) string {
	t.Helper()
	var s *httptest.Server
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/library-server", func(w http.ResponseWriter, _ *http.Request) { metadata(w, s.URL) })
	mux.HandleFunc("GET /library-server/me", func(w http.ResponseWriter, _ *http.Request) { me(w, s.URL) })
	s = httptest.NewUnstartedServer(mux)
	s.Start()
	t.Cleanup(s.Close)
	return s.URL + "/library-server"
}

func metadataOf(text string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, base string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, text, base+"/library-server")
	}
}

func challenge(field string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.Header().Set("WWW-Authenticate", field)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func notThere(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusNotFound) }

func TestWhatALibrarySaysOfItself(t *testing.T) {
	t.Parallel()
	const whole = `{"resource":%q,"authorization_servers":["https://id.example"],"scopes_supported":["a","b"],"login_audience":"c","dpop_signing_alg_values_supported":["ES256"]}`
	for rule, c := range map[string]struct {
		metadata, me func(http.ResponseWriter, string)
		want         Resource
	}{
		"all of it":              {metadataOf(whole), notThere, Resource{Issuer: "https://id.example", Scopes: []string{"a", "b"}, Audience: "c", DPoP: true}},
		"the provider alone":     {metadataOf(`{"resource":%q,"authorization_servers":["https://id.example"]}`), notThere, Resource{Issuer: "https://id.example"}},
		"nothing":                {challenge("Bearer"), notThere, Resource{}},
		"both schemes":           {challenge(`Bearer, DPoP algs="ES256 RS256"`), notThere, Resource{DPoP: true}},
		"one scheme":             {challenge(`DPoP algs="ES256"`), notThere, Resource{DPoP: true}},
		"behind a proxy":         {notThere, challenge(`Bearer error="x", DPoP algs="ES256"`), Resource{DPoP: true}},
		"a page in between":      {func(w http.ResponseWriter, _ string) { fmt.Fprint(w, "<html>") }, challenge("Bearer"), Resource{}},
		"DPoP in a description":  {challenge(`Bearer error_description="DPoP"`), notThere, Resource{}},
		"neither is the library": {notThere, notThere, Resource{}},
	} {
		address := libraryThatSays(t, c.metadata, c.me)
		got, err := AskResource(t.Context(), address)
		if c.want.Issuer != "" {
			c.want.Address = address
		}
		if err != nil {
			t.Errorf("%s: %v", rule, err)
		}
		testkit.Diff(t, c.want, got)
	}
	other := libraryThatSays(t, metadataOf(`{"resource":"%s-of-somebody-else"}`), notThere)
	if _, err := AskResource(t.Context(), other); !errors.Is(err, ErrOtherResource) {
		t.Errorf("the metadata of another library: %v", err)
	}
	if got, err := AskResource(t.Context(), "http://127.0.0.1:1/library-server"); err != nil || got.Issuer != "" {
		t.Errorf("nobody there: %+v %v", got, err)
	}
}

func TestALibraryThatDoesNotAnswerIsNotOneThatSaysNothing(t *testing.T) {
	t.Parallel()
	failing := func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusBadGateway) }
	for address, want := range map[string]error{
		libraryThatSays(t, challenge("Bearer"), notThere): nil,
		libraryThatSays(t, notThere, challenge("Bearer")): nil,
		libraryThatSays(t, failing, failing):              ErrNoAnswer,
		libraryThatSays(t, notThere, notThere):            ErrNoAnswer,
		"http://127.0.0.1:1/library-server":               ErrNoAnswer,
	} {
		if _, err := FindResource(t.Context(), address); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
	}
}
