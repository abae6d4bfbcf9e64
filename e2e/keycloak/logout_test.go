//go:build keycloak

package keycloak

import (
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// relay passes what Keycloak posts on to a process of the library, and keeps the logout tokens.
type relay struct {
	*httptest.Server
	mu     sync.Mutex
	to     *server
	posted []string
}

func newRelay(t testing.TB) *relay {
	r := &relay{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		token := req.PostFormValue("logout_token")
		r.mu.Lock()
		to := r.to
		r.posted = append(r.posted, token)
		r.mu.Unlock()
		w.WriteHeader(to.logOut(t, token))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *relay) leadTo(s *server) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = s
}

func (r *relay) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.posted[len(r.posted)-1]
}

// logOut posts a logout token, and returns the status.
func (s *server) logOut(t testing.TB, token string) int {
	resp, err := http.PostForm(s.base+"/logout", url.Values{"logout_token": {token}})
	if err != nil {
		t.Error(err)
		return http.StatusBadGateway
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// tellLogouts makes Keycloak post logout tokens of a client to an address, for the time of a test.
func tellLogouts(t testing.TB, client, address string) {
	t.Helper()
	path := "/clients/" + idOf(t, "/clients", "clientId", client)
	before := into[object](administer(t, "GET", path, nil).WantStatus(200))
	attributes := maps.Clone(before["attributes"].(object))
	maps.Copy(attributes, object{"backchannel.logout.url": address, "backchannel.logout.session.required": "true"})
	changed := maps.Clone(before)
	changed["attributes"] = attributes
	administer(t, "PUT", path, changed).WantStatus(204)
	t.Cleanup(func() {
		attributes["backchannel.logout.url"] = ""
		administer(t, "PUT", path, changed).WantStatus(204)
	})
}

// TestASessionThatEndsAtKeycloakEndsInEveryProcess kills the process that was told after each logout.
func TestASessionThatEndsAtKeycloakEndsInEveryProcess(t *testing.T) {
	relay := newRelay(t)
	for _, id := range []string{"library-client", "library-web"} {
		tellLogouts(t, id, relay.URL)
	}
	database := "sqlite:" + filepath.Join(t.TempDir(), "library.db")
	process := func() *server {
		return start(t, "--database", database, "--logout", "--logout-audience", "library-client")
	}
	told, other := process(), process()
	undisturbed := accessOf(t, "bwayne")
	var ended []string
	for way, end := range map[string]func(tokens){
		"an admin ends the session": func(got tokens) { administer(t, "DELETE", "/sessions/"+got.SessionState, nil).WantStatus(204) },
		"a person signs out":        func(got tokens) { newBrowser(t).get(endpoint("logout") + "?id_token_hint=" + got.ID) },
		"a terminal signs out":      func(got tokens) { signOut(t, got) },
	} {
		got := obtain(t, passwordGrant("bwayne", "scope", "openid"))
		for _, s := range []*server{told, other} {
			s.get(t, got.Access, "/me").WantStatus(200)
		}
		relay.leadTo(told)
		end(got)
		told.get(t, got.Access, "/me").WantStatus(401).WantHeader("WWW-Authenticate", refused("The session has ended"))
		told.Kill()
		began := time.Now()
		testkit.Eventually(t, way+": the other process refuses the token", func() bool {
			return other.get(t, got.Access, "/me").Status == http.StatusUnauthorized
		})
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: the other process took %v", way, took)
		}
		ended = append(ended, got.Access)
		told, other = other, process()
		for _, token := range ended {
			other.get(t, token, "/me").WantStatus(401)
		}
		other.get(t, undisturbed, "/me").WantStatus(200)
	}

	// Nothing of this ends a session.
	relay.leadTo(told)
	parts := strings.Split(relay.last(), ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	testkit.NoError(t, err)
	sid := decode[struct{ Sid string }](t, undisturbed, 1).Sid
	forged := strings.Replace(string(payload), decode[struct{ Sid string }](t, relay.last(), 1).Sid, sid, 1)
	bad := map[string]string{
		"replayed":        relay.last(),
		"forged":          parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(forged)) + "." + parts[2],
		"an access token": undisturbed,
	}
	foreign := tokensThroughLogin(t, newFlow("library-web", "http://localhost:4200/", "openid"), "bwayne")
	administer(t, "DELETE", "/sessions/"+foreign.SessionState, nil).WantStatus(204)
	bad["for another client"] = relay.last()
	for what, token := range bad {
		testkit.Equal(t, told.logOut(t, token), 400, what)
	}
	for _, token := range []string{undisturbed, foreign.Access} {
		told.get(t, token, "/me").WantStatus(200)
	}
}

// signOut ends a session as `library logout` does.
func signOut(t testing.TB, got tokens) {
	t.Helper()
	provider, err := client.Discover(t.Context(), issuer, nil)
	testkit.NoError(t, err)
	credentials, token := client.Credentials{ID: "library-client", Secret: clientSecret}, client.Token{Access: got.Access, Refresh: got.Refresh, ID: got.ID}
	testkit.NoError(t, provider.EndSession(t.Context(), credentials, token))
	testkit.NoError(t, provider.Revoke(t.Context(), credentials, token))
}
