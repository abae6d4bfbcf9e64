//go:build keycloak

package keycloak

import (
	"fmt"
	"testing"
)

// TestKeysAreRotated: tokens of the earlier key stay good beside those of the new one, and
// after it is retired.
func TestKeysAreRotated(t *testing.T) {
	s := start(t)
	realm := idOf(t, "/components?type=org.keycloak.keys.KeyProvider", "providerId", "rsa-generated")
	earlier := into[object](administer(t, "GET", "/components/"+realm, nil).WantStatus(200))
	before := accessOf(t, "bwayne")
	s.get(t, before, "/me").WantStatus(200)

	added := createdID(administer(t, "POST", "/components", keyProvider("rotated", 1000)))
	t.Cleanup(func() {
		administer(t, "DELETE", "/components/"+added, nil).WantStatus(204)
		administer(t, "PUT", "/components/"+realm, earlier).WantStatus(204)
	})
	after := accessOf(t, "bwayne")
	if headerOf(t, after).Kid == headerOf(t, before).Kid {
		t.Fatal("the key is the same")
	}
	s.get(t, after, "/me").WantStatus(200)
	s.get(t, before, "/me").WantStatus(200)

	retired := into[object](administer(t, "GET", "/components/"+realm, nil).WantStatus(200))
	retired["config"].(object)["active"] = []string{"false"}
	administer(t, "PUT", "/components/"+realm, retired).WantStatus(204)
	for _, token := range []string{before, after, accessOf(t, "bwayne")} {
		s.get(t, token, "/me").WantStatus(200)
	}
}

// keyProvider makes a signing key that Keycloak prefers to those of a lower
// priority.
func keyProvider(name string, priority int) object {
	return object{"name": name, "providerId": "rsa-generated", "providerType": "org.keycloak.keys.KeyProvider", "config": object{
		"priority": []string{fmt.Sprint(priority)}, "enabled": []string{"true"}, "active": []string{"true"},
		"keySize": []string{"2048"}, "algorithm": []string{"RS256"},
	}}
}
