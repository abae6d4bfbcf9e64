package main

import (
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// verifier checks the signature and the claims of every token.
type verifier struct {
	parser *jwt.Parser
	keys   map[string]*rsa.PublicKey
}

type claims struct {
	jwt.RegisteredClaims
	Email string `json:"email"`
	Scope string `json:"scope"`
}

func (c *claims) may(scope string) bool { return slices.Contains(strings.Fields(c.Scope), scope) }

func newVerifier(issuer, keysURL string) (*verifier, error) {
	resp, err := http.Get(keysURL)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var set struct {
		Keys []struct{ Kty, Kid, N, E string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&set); err != nil {
		return nil, err
	}
	v := &verifier{keys: make(map[string]*rsa.PublicKey), parser: jwt.NewParser(
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(issuer), jwt.WithAudience("library-service"), jwt.WithExpirationRequired())}
	for _, k := range set.Keys {
		if k.Kty != "RSA" {
			continue
		}
		n, errN := base64.RawURLEncoding.DecodeString(k.N)
		e, errE := base64.RawURLEncoding.DecodeString(k.E)
		if err := errors.Join(errN, errE); err != nil {
			return nil, err
		}
		v.keys[k.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
	}
	return v, nil
}

func (v *verifier) verify(r *http.Request) (*claims, error) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil, errors.New("no token")
	}
	var c claims
	_, err := v.parser.ParseWithClaims(text, &c, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		if key := v.keys[kid]; key != nil {
			return key, nil
		}
		return nil, errors.New("unknown key")
	})
	return &c, err
}
