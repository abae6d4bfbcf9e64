//go:build keycloak

package keycloak

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"example.org/library/internal/testkit"
)

// boundToken returns an access token that is worth something only together
// with a proof of possession (RFC 9449).
func boundToken(t testing.TB) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(t, err)
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
	testkit.NoError(t, err)
	proof, err := jwt.Signed(signer).Claims(object{
		"jti": rand.Text(), "htm": "POST", "htu": endpoint("token"), "iat": time.Now().Unix(),
	}).Serialize()
	testkit.NoError(t, err)
	req, err := http.NewRequest("POST", endpoint("token"), strings.NewReader(passwordGrant("bwayne").Encode()))
	testkit.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("DPoP", proof)
	r, err := testkit.Send(atKeycloak, req)
	testkit.NoError(t, err)
	r.T = t
	got := into[tokens](r.WantStatus(200))
	if got.Type != "DPoP" {
		t.Fatalf("the token is of type %s", got.Type)
	}
	return got.Access
}
