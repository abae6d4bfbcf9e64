package e2e

import (
	"fmt"
	"path/filepath"
	"testing"

	"example.org/library/internal/testkit"
)

// TestAStationStaysSignedInAcrossARestartOfEverything uses the offline token of a station, which is all
// that its browser keeps.
func TestAStationStaysSignedInAcrossARestartOfEverything(t *testing.T) {
	t.Parallel()
	port, err := testkit.FreePort()
	testkit.NoError(t, err)
	keys, database := filepath.Join(t.TempDir(), "keys.json"), emptySQLite(t)
	run := func() (*provider, *server) {
		p := launch(t, nil, "idp", "--addr", fmt.Sprint("127.0.0.1:", port), "--keys", keys)
		idp := &provider{p, p.AwaitLog(t, idpListening)}
		s := start(t, nil, "--issuer", idp.issuer, "--database", database, "--sample-data")
		s.awaitReady(t)
		return idp, s
	}
	idp, s := run()
	admin := s.with(t, idp.login(t, "ckent"))
	type record = map[string]any
	station := into[record](admin.post("/users", record{"email": "station@example.com", "firstName": "Front", "lastName": "Door", "station": true}).want(201))
	tokens := idp.grant(t, byCode(idp.code(t, "station", "openid offline_access")))
	greet := func(s *server, token string, status int) {
		t.Helper()
		s.with(t, token).post("/station/readers", record{"card": "nobody's"}).want(status)
	}
	greet(s, tokens.text("access_token"), 404)

	s.stop(t, terminate)
	idp.stop(t, terminate)
	idp, s = run()
	again := idp.grant(t, forClient("grant_type", "refresh_token", "refresh_token", tokens.text("refresh_token")))
	greet(s, again.text("access_token"), 404)

	admin = s.with(t, idp.login(t, "ckent"))
	admin.put("/users/"+station["identifier"].(string), record{"email": "station@example.com", "firstName": "Front", "lastName": "Door", "active": false}).want(200)
	greet(s, again.text("access_token"), 401)
}
