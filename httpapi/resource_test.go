package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.org/library/auth/dpop"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

const metadataPath = "/.well-known/oauth-protected-resource"

func withResource(r httpapi.Resource) func(*setup) { return func(s *setup) { s.resource = &r } }

// metadata asks for the metadata at a path from the root.
func (w *world) metadata(t *testing.T, path string) (int, http.Header, map[string]any) {
	t.Helper()
	resp, err := w.server.Client().Get(w.server.URL + path)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	var members map[string]any
	testkit.NoError(t, json.NewDecoder(resp.Body).Decode(&members))
	return resp.StatusCode, resp.Header, members
}

func TestAnybodyFindsTheProviderByTheMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withResource(httpapi.Resource{Issuer: "https://login.example.org", LoginScopes: []string{"openid", "library"}, LoginAudience: "library-service"}))
	status, header, got := w.metadata(t, metadataPath+basePath)
	testkit.Equal(t, status, http.StatusOK)
	testkit.Equal(t, header.Get("Content-Type"), "application/json")
	testkit.Diff(t, map[string]any{
		"resource": w.server.URL + basePath, "authorization_servers": []any{"https://login.example.org"},
		"bearer_methods_supported": []any{"header"}, "scopes_supported": []any{"openid", "library"}, "login_audience": "library-service",
	}, got)
	a := w.send(t, request{path: "/books"}).want(t, 401, "missing_token")
	parameter := `resource_metadata="` + w.server.URL + metadataPath + basePath + `"`
	testkit.Equal(t, a.header.Get("WWW-Authenticate"), "Bearer "+parameter)
	a = w.send(t, request{path: "/books", token: "x"}).want(t, 401, "malformed_token")
	testkit.Equal(t, a.header.Get("WWW-Authenticate"), invalid("Bearer token is malformed")+", "+parameter)
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	for _, path := range []string{metadataPath, metadataPath + "/other", metadataPath + basePath + "/", metadataPath + basePath + "/books"} {
		if status, _, _ := w.metadata(t, path); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestWithoutTheSettingNothingIsAnonymous(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	status, header, _ := w.metadata(t, metadataPath+basePath)
	testkit.Equal(t, status, http.StatusUnauthorized)
	testkit.Equal(t, header.Get("WWW-Authenticate"), "Bearer")
}

func TestTheMetadataNameThePublicAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withResource(httpapi.Resource{Issuer: "https://login.example.org", PublicURL: "https://library.example.org/api/"}))
	for _, path := range []string{metadataPath + basePath, metadataPath + "/api"} {
		_, _, got := w.metadata(t, path)
		testkit.Equal(t, got["resource"], any("https://library.example.org/api"))
	}
	a := w.send(t, request{path: "/books"}).want(t, 401, "missing_token")
	testkit.Equal(t, a.header.Get("WWW-Authenticate"), `Bearer resource_metadata="https://library.example.org`+metadataPath+`/api"`)
}

func TestTheMetadataSayThatTokensMayOrMustBeBound(t *testing.T) {
	t.Parallel()
	for mode, required := range map[dpop.Mode]any{dpop.Allowed: nil, dpop.Required: true} {
		w := newDPoPWorldWith(t, mode, withResource(httpapi.Resource{Issuer: "https://login.example.org"}))
		_, _, got := w.metadata(t, metadataPath+basePath)
		if algs, _ := got["dpop_signing_alg_values_supported"].([]any); len(algs) != 10 || got["dpop_bound_access_tokens_required"] != required {
			t.Errorf("%s: %v", mode, got)
		}
		a := w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken)}).want(t, 401, "invalid_dpop_proof")
		want := 2
		if mode == dpop.Required {
			want = 1
		}
		testkit.Equal(t, strings.Count(a.header.Get("WWW-Authenticate"), "resource_metadata="), want)
	}
}
