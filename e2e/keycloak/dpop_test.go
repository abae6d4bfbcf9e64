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
)

// boundToken returns an access token that is worth something only together
// with a proof of possession (RFC 9449).
func boundToken(t testing.TB) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	options := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := jwt.Signed(signer).Claims(object{
		"jti": rand.Text(), "htm": "POST", "htu": endpoint("token"), "iat": time.Now().Unix(),
	}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", endpoint("token"), strings.NewReader(passwordGrant("bwayne").Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("DPoP", proof)
	r, err := send(atKeycloak, req)
	if err != nil {
		t.Fatal(err)
	}
	r.t = t
	got := into[tokens](r.want(200))
	if got.Type != "DPoP" {
		t.Fatalf("the token is of type %s", got.Type)
	}
	return got.Access
}
