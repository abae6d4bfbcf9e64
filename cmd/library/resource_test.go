package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestWhatIsKnownOfALibraryStaysWhileItDoesNotAnswer(t *testing.T) {
	t.Parallel()
	var challenge atomic.Value
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if field := challenge.Load().(string); field != "" {
			w.Header().Set("WWW-Authenticate", field)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer s.Close()
	now := time.Now()
	library := askedLibrary(s.URL+"/library-server", func() time.Time { return now })
	for _, step := range []struct {
		rule, challenge string
		later           time.Duration
		dpop, asks      bool
	}{
		{"nothing is known", "", 0, false, true},
		{"it is asked until it answers", `Bearer, DPoP algs="ES256"`, 0, true, true},
		{"once a minute at most", "Bearer", askLibraryPause - 1, true, false},
		{"it does not answer", "", 1, true, true},
		{"and is left alone for a while", "Bearer", askLibraryAnother - 1, true, false},
		{"it still does not answer", "", 1, true, true},
		{"it says something else", "Bearer", askLibraryAnother, false, true},
	} {
		challenge.Store(step.challenge)
		now = now.Add(step.later)
		before := asked.Load()
		testkit.Equal(t, library(t.Context()).DPoP, step.dpop, step.rule)
		testkit.Equal(t, asked.Load() > before, step.asks, step.rule)
	}
}
