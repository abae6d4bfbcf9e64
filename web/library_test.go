package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The page asks its own server what the library wants, and there is always an answer.
func TestThePageIsToldWhatTheLibraryWants(t *testing.T) {
	t.Parallel()
	for want, library := range map[string]func(context.Context) Library{
		`{}`: nil,
		`{"dpop":true,"resource":"https://a.example/api","audience":"a","scopes":["b"]}`: func(context.Context) Library {
			return Library{DPoP: true, Resource: "https://a.example/api", Audience: "a", Scopes: []string{"b"}}
		},
	} {
		h := &handler{base: "/lib/", library: library}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/lib/library.json", nil))
		if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusOK || got != want || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%d %s, want %s", w.Code, got, want)
		}
	}
}
