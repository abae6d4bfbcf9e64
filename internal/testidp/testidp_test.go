package testidp_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

func get(t *testing.T, address string, into any) {
	t.Helper()
	resp, err := http.Get(address)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: status %d", address, resp.StatusCode)
	}
	testkit.NoError(t, json.NewDecoder(resp.Body).Decode(into))
}

// verifies reports whether a token is signed with a key of the set that the discovery document points to.
func verifies(t *testing.T, idp *testidp.Provider, token string) bool {
	t.Helper()
	var discovery struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	get(t, idp.Issuer()+"/.well-known/openid-configuration", &discovery)
	if discovery.Issuer != idp.Issuer() {
		t.Errorf("issuer of the discovery document is %q, want %q", discovery.Issuer, idp.Issuer())
	}
	var keys jose.JSONWebKeySet
	get(t, discovery.Keys, &keys)
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.RS256, jose.ES256})
	testkit.NoError(t, err)
	_, err = signed.Verify(keys)
	return err == nil
}

func TestTokensVerifyWithThePublishedKeys(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	for name, token := range map[string]string{
		"RS256": idp.Token(t, "clark.kent@example.com", "library_admin"),
		"ES256": idp.Mint(t, nil, testidp.ES256()),
	} {
		if !verifies(t, idp, token) {
			t.Errorf("%s: the token does not verify", name)
		}
	}
	if idp.Fetches() != 2 || idp.Discoveries() != 2 {
		t.Errorf("counted %d fetches and %d discoveries, want 2 and 2", idp.Fetches(), idp.Discoveries())
	}
}

func TestForgedTokensDoNotVerify(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	if verifies(t, idp, idp.Mint(t, nil, testidp.ForgedSignature())) {
		t.Error("a forged token verifies")
	}
}

func TestRotationRetiresTheOldKeys(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	before := idp.Mint(t, nil)
	idp.Rotate(t)
	if verifies(t, idp, before) {
		t.Error("a token from before the rotation verifies")
	}
	if !verifies(t, idp, idp.Mint(t, nil)) {
		t.Error("a token from after the rotation does not verify")
	}
}

func TestFailingProviderAnswers500(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	idp.Fail(true)
	resp, err := http.Get(idp.KeysURL())
	testkit.NoError(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", resp.StatusCode)
	}
}
