//go:build keycloak

package keycloak

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// boundTo returns tokens that are worth something only together with a proof of
// possession of that key (RFC 9449).
func boundTo(t testing.TB, key *testidp.ProofKey, fields url.Values) tokens {
	t.Helper()
	req, err := http.NewRequest("POST", endpoint("token"), strings.NewReader(fields.Encode()))
	testkit.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("DPoP", key.Proof(t, "POST", endpoint("token"), "", testidp.Claims{"ath": nil}, nil))
	r, err := testkit.Send(atKeycloak, req)
	testkit.NoError(t, err)
	r.T = t
	got := into[tokens](r.WantStatus(200))
	if got.Type != "DPoP" {
		t.Fatalf("the token is of type %s", got.Type)
	}
	return got
}

func boundToken(t testing.TB) string {
	t.Helper()
	return boundTo(t, testidp.NewProofKey(t), passwordGrant("bwayne")).Access
}

// prove sends a request with a token and a proof.
func (s *server) prove(t testing.TB, token, proof, method, path string) response {
	t.Helper()
	req, err := http.NewRequest(method, s.base+path, nil)
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "DPoP "+token)
	req.Header.Set("DPoP", proof)
	r, err := testkit.Send(s.client, req)
	testkit.NoError(t, err)
	r.T = t
	return r
}

// TestBoundTokensOfKeycloakNeedTheirKey: with the key they are as good as any, without
// it they are worth nothing, also after a refresh.
func TestBoundTokensOfKeycloakNeedTheirKey(t *testing.T) {
	for _, mode := range []string{"allowed", "required"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, "--dpop", mode)
			key, thief := testidp.NewProofKey(t), testidp.NewProofKey(t)
			first := boundTo(t, key, passwordGrant("bwayne"))
			second := boundTo(t, key, refreshGrant(first.Refresh))
			borrow := "/books/" + cleanCode + "/borrow"
			for _, token := range []string{first.Access, second.Access} {
				who := into[me](s.prove(t, token, key.Proof(t, "GET", s.base+"/me", token, nil, nil), "GET", "/me").WantStatus(200))
				testkit.Equal(t, who.Email, "bruce.wayne@example.com", "who it is")
				s.prove(t, token, thief.Proof(t, "POST", s.base+borrow, token, nil, nil), "POST", borrow).WantStatus(401)
				s.get(t, token, "/me").WantStatus(401)
			}
			proof := key.Proof(t, "POST", s.base+borrow, second.Access, nil, nil)
			s.prove(t, second.Access, proof, "POST", borrow).WantStatus(200)
			s.prove(t, second.Access, proof, "POST", borrow).WantStatus(401)

			plain := accessOf(t, "bwayne")
			s.prove(t, plain, key.Proof(t, "GET", s.base+"/me", plain, nil, nil), "GET", "/me").WantStatus(401)
			s.get(t, plain, "/me").WantStatus(map[string]int{"allowed": 200, "required": 401}[mode])
		})
	}
}
