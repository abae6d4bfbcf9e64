package auth

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestAKeyIsReadOrPassedOverByItself(t *testing.T) {
	t.Parallel()
	r, e, ed := rsaSigner(), ecSigner(), edSigner()
	type change = map[string]any
	modulus := r.private.Public().(*rsa.PublicKey).N
	number := func(n *big.Int) string { return encode(string(n.Bytes())) }
	small := new(big.Int).SetBit(big.NewInt(1), 2046, 1)
	large := new(big.Int).SetBit(big.NewInt(1), 16384, 1)
	x := member(e.jwk(nil), "x")
	for name, tt := range map[string]struct {
		jwk  string
		want error
	}{
		"RSA":                              {r.jwk(nil), nil},
		"EC":                               {e.jwk(nil), nil},
		"Ed25519":                          {ed.jwk(nil), nil},
		"no kid":                           {r.jwk(change{"kid": nil}), nil},
		"use sig":                          {r.jwk(change{"use": "sig"}), nil},
		"several key_ops":                  {r.jwk(change{"key_ops": []string{"sign", "verify"}}), nil},
		"a certificate nobody can read":    {r.jwk(change{"x5c": []string{"junk"}, "x5t": "junk", "x5u": ":"}), nil},
		"members nobody knows":             {r.jwk(change{"exp": 1, "nbf": nil}), nil},
		"an RSA exponent of 3":             {r.jwk(change{"e": "Aw"}), nil},
		"no object":                        {`"key"`, errKeyUnreadable},
		"null":                             {`null`, errKeyUnreadable},
		"a duplicate member":               {strings.Replace(r.jwk(nil), "{", `{"kid":"x",`, 1), errKeyUnreadable},
		"a kid that is no string":          {r.jwk(change{"kid": 1}), errKeyUnreadable},
		"an alg that is no string":         {r.jwk(change{"alg": []string{"RS256"}}), errKeyUnreadable},
		"an empty alg":                     {r.jwk(change{"alg": ""}), errKeyUnreadable},
		"use enc":                          {r.jwk(change{"use": "enc"}), errKeyPurpose},
		"use empty":                        {r.jwk(change{"use": ""}), errKeyPurpose},
		"use SIG":                          {r.jwk(change{"use": "SIG"}), errKeyPurpose},
		"use that is no string":            {r.jwk(change{"use": 1}), errKeyPurpose},
		"no key_ops in key_ops":            {r.jwk(change{"key_ops": []string{}}), errKeyPurpose},
		"key_ops to encrypt":               {r.jwk(change{"key_ops": []string{"encrypt"}}), errKeyPurpose},
		"key_ops that is a string":         {r.jwk(change{"key_ops": "verify"}), errKeyPurpose},
		"key_ops with a number":            {r.jwk(change{"key_ops": []any{"verify", 1}}), errKeyPurpose},
		"symmetric":                        {`{"kty":"oct","k":"AAAA","kid":"x"}`, errKeySecret},
		"symmetric without its secret":     {`{"kty":"oct","kid":"x"}`, errKeySecret},
		"private RSA":                      {r.jwk(change{"d": "AQAB"}), errKeySecret},
		"private EC":                       {e.jwk(change{"d": "AQAB"}), errKeySecret},
		"private Ed25519":                  {ed.jwk(change{"d": "AQAB"}), errKeySecret},
		"a prime factor":                   {r.jwk(change{"p": "AQAB"}), errKeySecret},
		"a private part that is null":      {r.jwk(change{"d": json.RawMessage("null")}), errKeySecret},
		"no kty":                           {r.jwk(change{"kty": nil}), errKeyKind},
		"kty in another case":              {r.jwk(change{"kty": "rsa"}), errKeyKind},
		"a kty of the future":              {r.jwk(change{"kty": "AKP"}), errKeyKind},
		"RSA of 2047 bits":                 {r.jwk(change{"n": number(small)}), errKeyWeak},
		"RSA of 16385 bits":                {r.jwk(change{"n": number(large)}), errKeyWeak},
		"an even modulus":                  {r.jwk(change{"n": number(new(big.Int).Sub(modulus, big.NewInt(1)))}), errKeyWeak},
		"an exponent of 1":                 {r.jwk(change{"e": "AQ"}), errKeyWeak},
		"an exponent of 0":                 {r.jwk(change{"e": "AA"}), errKeyWeak},
		"an even exponent":                 {r.jwk(change{"e": "BA"}), errKeyWeak},
		"an exponent of 32 bits":           {r.jwk(change{"e": "_____w"}), errKeyWeak},
		"65537 if cut to 64 bits":          {r.jwk(change{"e": encode("\x01\x00\x00\x00\x00\x00\x01\x00\x01")}), errKeyWeak},
		"no exponent":                      {r.jwk(change{"e": nil}), errKeyUnreadable},
		"an empty exponent":                {r.jwk(change{"e": ""}), errKeyUnreadable},
		"a modulus with padding":           {r.jwk(change{"n": number(modulus) + "=="}), errKeyUnreadable},
		"a modulus with a line break":      {r.jwk(change{"n": number(modulus) + "\n"}), errKeyUnreadable},
		"a modulus that is a number":       {r.jwk(change{"n": 1}), errKeyUnreadable},
		"an EC point off the curve":        {e.jwk(change{"y": x}), errKeyUnreadable},
		"the point at zero":                {e.jwk(change{"x": encode(string(make([]byte, 32))), "y": encode(string(make([]byte, 32)))}), errKeyUnreadable},
		"a point of another curve":         {e.jwk(change{"crv": "P-384"}), errKeyUnreadable},
		"a curve that is not supported":    {e.jwk(change{"crv": "secp256k1"}), errKeyUnreadable},
		"no curve":                         {e.jwk(change{"crv": nil}), errKeyUnreadable},
		"no y":                             {e.jwk(change{"y": nil}), errKeyUnreadable},
		"a coordinate cut short":           {e.jwk(change{"x": x[:40]}), errKeyUnreadable},
		"a coordinate with a line break":   {e.jwk(change{"x": x + "\n"}), errKeyUnreadable},
		"an Ed25519 key of 31 bytes":       {ed.jwk(change{"x": encode(string(make([]byte, 31)))}), errKeyUnreadable},
		"an Ed25519 key of low order":      {ed.jwk(change{"x": encode("\x01" + string(make([]byte, 31)))}), errKeyUnreadable},
		"an X25519 key, not for signing":   {ed.jwk(change{"crv": "X25519"}), errKeyUnreadable},
		"Ed448":                            {ed.jwk(change{"crv": "Ed448"}), errKeyUnreadable},
		"an EC key that says it is OKP":    {e.jwk(change{"kty": "OKP"}), errKeyUnreadable},
		"an EC key that says it is RSA":    {e.jwk(change{"kty": "RSA"}), errKeyUnreadable},
		"members in another case":          {strings.ReplaceAll(r.jwk(nil), `"n"`, `"N"`), errKeyUnreadable},
		"a private part in another case":   {r.jwk(change{"D": "AQAB"}), nil},
		"a kid that is long and elaborate": {r.jwk(change{"kid": strings.Repeat("k", 10_000)}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good := ec384Signer().jwk(nil)
			keys, rest, err := parseJWKS([]byte(jwksOf(tt.jwk, good)))
			testkit.NoError(t, err)
			if tt.want == nil {
				if len(keys.keys) != 2 || len(rest) != 0 {
					t.Errorf("passed over: %v", rest)
				}
				return
			}
			if len(keys.keys) != 1 || len(rest) != 1 || !errors.Is(rest[0].reason, tt.want) {
				t.Errorf("%d keys, passed over: %v; want %v", len(keys.keys), rest, tt.want)
			}
		})
	}
}

// member returns a string member of a JSON object.
func member(object, name string) string {
	var members map[string]any
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		panic(err)
	}
	return members[name].(string)
}

func TestASetWithoutAnyUsableKeyIsAFailure(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]string{
		"nothing":               "",
		"HTML":                  "<html>",
		"an array":              "[]",
		"no keys":               "{}",
		"keys null":             `{"keys":null}`,
		"keys an object":        `{"keys":{}}`,
		"keys in another case":  strings.Replace(jwks(ecSigner()), "keys", "Keys", 1),
		"an empty array":        `{"keys":[]}`,
		"only a symmetric key":  `{"keys":[{"kty":"oct","k":"AAAA"}]}`,
		"a key without its set": ecSigner().jwk(nil),
		"something after it":    jwks(ecSigner()) + "{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if keys, _, err := parseJWKS([]byte(set)); err == nil {
				t.Errorf("got %d keys", len(keys.keys))
			}
		})
	}
}

func TestTheNumberOfKeysInASetIsBounded(t *testing.T) {
	t.Parallel()
	var entries []string
	for i := range maxKeys + 5 {
		entries = append(entries, ecSigner().named(fmt.Sprint(i)).jwk(nil))
	}
	keys, rest, err := parseJWKS([]byte(jwksOf(entries...)))
	if err != nil || len(keys.keys) != maxKeys || len(rest) != 5 {
		t.Errorf("%d keys, %d passed over, %v", len(keys.keys), len(rest), err)
	}
}

func TestAPassedOverKeyIsNamedShortly(t *testing.T) {
	t.Parallel()
	long := ecSigner().named(strings.Repeat("ä", 1000)).jwk(map[string]any{"use": "enc"})
	_, rest, _ := parseJWKS([]byte(jwksOf(long, `{"kid":["x"]}`, `17`)))
	got := []string{}
	for _, p := range rest {
		got = append(got, p.kid)
	}
	testkit.Diff(t, []string{strings.Repeat("ä", 100) + "…", "", ""}, got)
}
