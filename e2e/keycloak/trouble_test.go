//go:build keycloak

package keycloak

import (
	"regexp"
	"strings"
	"testing"
)

// TestTroubleshooting holds what docs/keycloak.md says of each mistake.
func TestTroubleshooting(t *testing.T) {
	const (
		insufficient = `Bearer error="insufficient_scope", error_description="The request requires higher privileges than provided by the access token.", error_uri="https://tools.ietf.org/html/rfc6750#section-3.1", scope="library_user"`
		borrow       = "/books/" + cleanCode + "/borrow"
	)
	t.Run("issuer with a slash", func(t *testing.T) {
		s := startUnready(t, "--issuer", issuer+"/")
		s.AwaitLog(t, regexp.MustCompile(`discovery document: issuer is \\"`+issuer+`\\", configured is \\"`+issuer+`/\\"`))
		s.get(t, accessOf(t, "bwayne"), "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The iss claim is not valid"))
		if status, why := s.ready(t); status != 503 || !strings.Contains(why, "issuer is") {
			t.Errorf("readiness is %d: %s", status, why)
		}
	})
	t.Run("issuer by another name", func(t *testing.T) {
		other := strings.Replace(issuer, "//localhost:", "//127.0.0.1:", 1)
		s := startUnready(t, "--issuer", other, "--jwks-url", endpoint("certs"))
		s.awaitReady(t)
		s.get(t, accessOf(t, "bwayne"), "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The iss claim is not valid"))
	})
	t.Run("realm that is not there", func(t *testing.T) {
		s := startUnready(t, "--issuer", issuer+"-x")
		s.AwaitLog(t, regexp.MustCompile(`status 404`))
		if status, why := s.ready(t); status != 503 || !strings.Contains(why, "status 404") {
			t.Errorf("readiness is %d: %s", status, why)
		}
	})
	s := start(t)
	t.Run("audience missing", func(t *testing.T) {
		token := tokenOfNewClient(t, "bwayne", nil, "basic", "email", "profile", "library_user")
		s.get(t, token, "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The required audience 'library-service' is missing"))
	})
	t.Run("e-mail missing", func(t *testing.T) {
		token := tokenOfNewClient(t, "bwayne", nil, "basic", "profile", "library-service", "library_user")
		s.get(t, token, "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("No user found for the email claim"))
	})
	t.Run("lightweight access tokens", func(t *testing.T) {
		token := tokenOfNewClient(t, "bwayne", map[string]string{"client.use.lightweight.access.token.enabled": "true"},
			"basic", "email", "library-service", "library_user")
		s.get(t, token, "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The required audience 'library-service' is missing"))
	})
	t.Run("scopes missing", func(t *testing.T) {
		token := tokenOfNewClient(t, "bwayne", nil, "basic", "email", "library-service")
		s.get(t, token, "/books").WantStatus(200)
		s.call(t, token, "POST", borrow, nil).WantStatus(403).WantHeader("WWW-Authenticate", insufficient)
	})
	t.Run("role missing", func(t *testing.T) {
		s.call(t, accessOf(t, "pparker"), "POST", borrow, nil).WantStatus(403).WantHeader("WWW-Authenticate", insufficient)
	})
	t.Run("scope not in the token's scope", func(t *testing.T) {
		scope := "/client-scopes/" + idOf(t, "/client-scopes", "name", "library_user")
		good := into[object](administer(t, "GET", scope, nil).WantStatus(200))
		attributes := good["attributes"].(object)
		attributes["include.in.token.scope"] = "false"
		administer(t, "PUT", scope, good).WantStatus(204)
		token := accessOf(t, "bwayne")
		attributes["include.in.token.scope"] = "true"
		administer(t, "PUT", scope, good).WantStatus(204)
		s.call(t, token, "POST", borrow, nil).WantStatus(403).WantHeader("WWW-Authenticate", insufficient)
	})
	t.Run("e-mail not verified", func(t *testing.T) {
		who := "/users/" + idOf(t, "/users?username=bbanner", "username", "bbanner")
		good := into[object](administer(t, "GET", who, nil).WantStatus(200))
		good["emailVerified"] = false
		administer(t, "PUT", who, good).WantStatus(204)
		t.Cleanup(func() {
			good["emailVerified"] = true
			administer(t, "PUT", who, good).WantStatus(204)
		})
		token := accessOf(t, "bbanner")
		s.get(t, token, "/books").WantStatus(200)
		strict := start(t, "--require-verified-email")
		strict.get(t, token, "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The e-mail address is not verified"))
	})
	t.Run("token bound to a key", func(t *testing.T) {
		s.get(t, boundToken(t), "/books").WantStatus(401).WantHeader("WWW-Authenticate", refused("The token is bound to a key without a proof of it"))
	})
}
