//go:build keycloak

package keycloak

import (
	"path/filepath"
	"testing"
)

// TestAStationStaysSignedIn: its tokens outlive the session of the person who has set it up, and a restart of
// the library, and are good for at least 72 hours without use.
func TestAStationStaysSignedIn(t *testing.T) {
	passwords["station"] = "shelves"
	t.Cleanup(func() { delete(passwords, "station") })
	database := "sqlite:" + filepath.Join(t.TempDir(), "library.db")
	s := start(t, "--database", database)
	admin := accessOf(t, "ckent")
	s.call(t, admin, "POST", "/users", object{"firstName": "Front", "lastName": "Door", "email": "station@example.com", "station": true}).WantStatus(201)

	got := tokensThroughLogin(t, newFlow("library-web", "http://localhost:4200/", "openid offline_access"), "station")
	if typ := decode[claims](t, got.Refresh, 1).Typ; typ != "Offline" || got.RefreshExpires != 0 && got.RefreshExpires < 72*3600 {
		t.Fatalf("the refresh token is of type %s, good for %d s", typ, got.RefreshExpires)
	}
	if idle, _ := into[object](administer(t, "GET", "", nil).WantStatus(200))["offlineSessionIdleTimeout"].(float64); idle < 72*3600 {
		t.Errorf("switched off for %v s it is signed out", idle)
	}
	works := func(s *server, token string) {
		t.Helper()
		if me := into[struct{ Station bool }](s.get(t, token, "/me").WantStatus(200)); !me.Station {
			t.Error("it is no station")
		}
		s.call(t, token, "POST", "/station/readers", object{"card": "nobody"}).WantStatus(404)
		s.get(t, token, "/books").WantStatus(403)
	}
	works(s, got.Access)
	if sessions := into[[]object](administer(t, "GET", "/users/"+idOf(t, "/users", "username", "station")+"/sessions", nil).WantStatus(200)); len(sessions) > 0 {
		t.Errorf("it needs a session that ends: %v", sessions)
	}
	s.Kill()
	s = start(t, "--database", database)
	for range 2 {
		got = obtain(t, form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", got.Refresh))
		works(s, got.Access)
	}
}
