package auth

import (
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestEveryAlgorithmOnTheListVerifies(t *testing.T) {
	t.Parallel()
	rsa1, ec1, ec2, ec3, ed := rsaSigner(), ecSigner(), ec384Signer(), ec521Signer(), edSigner()
	set := jwksOf(rsa1.jwk(nil), ec1.jwk(nil), ec2.jwk(nil), ec3.jwk(nil), ed.jwk(nil))
	b := newTestBearer(newProvider(set))
	for alg, signer := range map[string]signingKey{
		"RS256": rsa1, "RS384": rsa1, "RS512": rsa1, "PS256": rsa1, "PS384": rsa1, "PS512": rsa1,
		"ES256": ec1, "ES384": ec2, "ES512": ec3, "EdDSA": ed,
	} {
		t.Run(alg, func(t *testing.T) {
			t.Parallel()
			signer.alg = alg
			mustTry(t, b, signer.token(nil), "")
			mustTry(t, b, signer.sign(signer.header(map[string]any{"kid": nil}), claimSet(nil)), "")
		})
	}
}

func TestOnlyOneSpellingOfATokenIsAccepted(t *testing.T) {
	t.Parallel()
	s := ecSigner()
	b := newTestBearer(newProvider(jwks(s)))
	good := s.token(nil)
	part := strings.Split(good, ".")
	header, payload, signature := part[0], part[1], part[2]
	objectWith := func(member string) string { return encode(`{"alg":"ES256","kid":"ec-1",` + member + `}`) }
	for name, tt := range map[string]struct{ token, want string }{
		"as it was made": {good, ""},

		"one segment":                     {header, "malformed_token"},
		"two segments":                    {header + "." + payload, "malformed_token"},
		"no signature":                    {header + "." + payload + ".", "malformed_token"},
		"no payload":                      {s.signSegments(header, ""), "malformed_token"},
		"no header":                       {s.signSegments("", payload), "malformed_token"},
		"four segments":                   {good + "." + signature, "malformed_token"},
		"five segments, as encrypted":     {good + "." + payload + "." + signature, "malformed_token"},
		"dots only":                       {"..", "malformed_token"},
		"a line break in the header":      {header[:4] + "\n" + header[4:] + "." + payload + "." + signature, "malformed_token"},
		"a line break in the payload":     {header + "." + payload[:4] + "\r\n" + payload[4:] + "." + signature, "malformed_token"},
		"a line break in the signature":   {header + "." + payload + "." + signature[:4] + "\n" + signature[4:], "malformed_token"},
		"a line break at the end":         {good + "\n", "malformed_token"},
		"a space in a segment":            {header + "." + payload[:4] + " " + payload[4:] + "." + signature, "malformed_token"},
		"padding":                         {good + "==", "malformed_token"},
		"padding of a signed segment":     {s.signSegments(encode(s.header(nil))+"=", payload), "malformed_token"},
		"base64 of the other alphabet":    {header + "." + payload + "." + strings.Repeat("+/", 43), "malformed_token"},
		"an unused bit in the signature":  {header + "." + payload + "." + flipUnusedBit(signature), "malformed_token"},
		"an unused bit, signed":           {s.signSegments(flipUnusedBit(encode(s.header(map[string]any{"x": "ab"}))), payload), "malformed_token"},
		"a percent escape":                {strings.Replace(good, ".", "%2E", 1), "malformed_token"},
		"a zero byte":                     {good + "\x00", "malformed_token"},
		"JSON serialization":              {`{"protected":"` + header + `","payload":"` + payload + `","signature":"` + signature + `"}`, "malformed_token"},
		"a byte order mark in the header": {s.sign("\uFEFF"+s.header(nil), claimSet(nil)), "malformed_token"},
		"a byte order mark in the claims": {s.sign(s.header(nil), "\uFEFF"+claimSet(nil)), "malformed_token"},
		"UTF-16 claims":                   {s.sign(s.header(nil), "{\x00}\x00"), "malformed_token"},
		"broken UTF-8":                    {s.sign(s.header(nil), claimSet(map[string]any{"x": json.RawMessage("\"\xff\"")})), "malformed_token"},
		"a lone surrogate":                {s.sign(s.header(nil), claimSet(map[string]any{"x": json.RawMessage(`"\ud800"`)})), "malformed_token"},
		"claims that are an array":        {s.sign(s.header(nil), "["+claimSet(nil)+"]"), "malformed_token"},
		"claims that are a token":         {s.sign(s.header(map[string]any{"cty": "JWT"}), good), "malformed_token"},
		"claims that are null":            {s.sign(s.header(nil), "null"), "malformed_token"},
		"something after the claims":      {s.sign(s.header(nil), claimSet(nil)+"{}"), "malformed_token"},
		"deep nesting":                    {s.sign(s.header(nil), claimSet(map[string]any{"x": json.RawMessage(strings.Repeat("[", 64) + strings.Repeat("]", 64))})), "malformed_token"},
		"more than 16 KiB":                {s.token(map[string]any{"x": strings.Repeat("x", 16<<10)}), "malformed_token"},
		"nearly 16 KiB":                   {s.token(map[string]any{"x": strings.Repeat("x", 11<<10)}), ""},

		"a duplicate member in the header":     {s.signSegments(objectWith(`"kid":"ec-1"`), payload), "malformed_token"},
		"a duplicate, escaped":                 {s.signSegments(objectWith(`"\u0061lg":"none"`), payload), "malformed_token"},
		"a duplicate claim":                    {s.sign(s.header(nil), strings.Replace(claimSet(nil), "{", `{"exp":9999999999,`, 1)), "malformed_token"},
		"a duplicate deep inside a claim":      {s.sign(s.header(nil), claimSet(map[string]any{"x": json.RawMessage(`[{"a":1,"a":2}]`)})), "malformed_token"},
		"a header member in another case":      {s.signSegments(objectWith(`"ALG":"none","Crit":["x"]`), payload), ""},
		"unknown members in the header":        {s.signSegments(objectWith(`"nonce":"x","zip":"DEF"`), payload), ""},
		"claims named in another case":         {s.sign(s.header(nil), claimSet(map[string]any{"exp": nil, "EXP": 9999999999})), "invalid_claim"},
		"a header without alg":                 {s.sign(s.header(map[string]any{"alg": nil}), claimSet(nil)), "malformed_token"},
		"an alg that is no string":             {s.sign(s.header(map[string]any{"alg": []string{"ES256"}}), claimSet(nil)), "malformed_token"},
		"an alg that is null":                  {s.sign(s.header(map[string]any{"alg": json.RawMessage("null")}), claimSet(nil)), "malformed_token"},
		"critical extensions":                  {s.sign(s.header(map[string]any{"crit": []string{"exp"}, "exp": 1}), claimSet(nil)), "unsupported_header"},
		"no critical extensions, but crit":     {s.sign(s.header(map[string]any{"crit": []string{}}), claimSet(nil)), "unsupported_header"},
		"crit that is null":                    {s.sign(s.header(map[string]any{"crit": json.RawMessage("null")}), claimSet(nil)), "unsupported_header"},
		"b64 false":                            {s.sign(s.header(map[string]any{"b64": false}), claimSet(nil)), "unsupported_header"},
		"b64 true":                             {s.sign(s.header(map[string]any{"b64": true}), claimSet(nil)), "unsupported_header"},
		"no typ":                               {s.sign(s.header(map[string]any{"typ": nil}), claimSet(nil)), ""},
		"typ in lower case":                    {s.sign(s.header(map[string]any{"typ": "jwt"}), claimSet(nil)), ""},
		"typ of RFC 9068":                      {s.sign(s.header(map[string]any{"typ": "AT+JWT"}), claimSet(nil)), ""},
		"typ of RFC 9068 in full":              {s.sign(s.header(map[string]any{"typ": "application/at+jwt"}), claimSet(nil)), ""},
		"typ of a logout token":                {s.sign(s.header(map[string]any{"typ": "logout+jwt"}), claimSet(nil)), "wrong_token_type"},
		"typ of a DPoP proof":                  {s.sign(s.header(map[string]any{"typ": "dpop+jwt"}), claimSet(nil)), "wrong_token_type"},
		"an empty typ":                         {s.sign(s.header(map[string]any{"typ": ""}), claimSet(nil)), "wrong_token_type"},
		"a typ that is no string":              {s.sign(s.header(map[string]any{"typ": 1}), claimSet(nil)), "wrong_token_type"},
		"a typ that folds by Unicode only":     {s.sign(s.header(map[string]any{"typ": "at+jwt\u212A"}), claimSet(nil)), "wrong_token_type"},
		"a kid that is a number":               {s.sign(s.header(map[string]any{"kid": 1}), claimSet(nil)), "malformed_token"},
		"a kid that is null":                   {s.sign(s.header(map[string]any{"kid": json.RawMessage("null")}), claimSet(nil)), "malformed_token"},
		"a kid that is an object":              {s.sign(s.header(map[string]any{"kid": map[string]any{"kid": "ec-1"}}), claimSet(nil)), "malformed_token"},
		"an embedded jwk that is no key":       {s.sign(s.header(map[string]any{"jwk": 1}), claimSet(nil)), "malformed_token"},
		"an embedded certificate that is none": {s.sign(s.header(map[string]any{"x5c": []string{"x"}}), claimSet(nil)), "malformed_token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustTry(t, b, tt.token, tt.want)
		})
	}
}

// flipUnusedBit changes the last character of a segment so that it decodes to
// the same bytes for a reader that does not look closely.
func flipUnusedBit(segment string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(segment) - 1
	flipped := segment[:last] + string(alphabet[strings.IndexByte(alphabet, segment[last])^1])
	before, _ := base64.RawURLEncoding.DecodeString(segment)
	after, err := base64.RawURLEncoding.DecodeString(flipped)
	if err != nil || string(before) != string(after) {
		panic("the segment has no unused bits")
	}
	return flipped
}

func TestNoTokenChoosesItsAlgorithm(t *testing.T) {
	t.Parallel()
	s := rsaSigner()
	b := newTestBearer(newProvider(jwksOf(s.jwk(nil), ecSigner().jwk(nil))))
	for _, alg := range []string{
		"none", "None", "NONE", "nOnE", "", " none", "none\u0000", "rs256", "RS256 ", "RS1", "ES256K", "Ed25519", "Ed448", "RSA-OAEP", "dir",
	} {
		t.Run("alg "+alg, func(t *testing.T) {
			t.Parallel()
			mustTry(t, b, s.sign(s.header(map[string]any{"alg": alg}), claimSet(nil)), "unsupported_algorithm")
		})
	}

	public, err := x509.MarshalPKIXPublicKey(s.private.Public())
	testkit.NoError(t, err)
	secrets := map[string][]byte{
		"nothing":     {},
		"DER":         public,
		"PEM":         pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
		"PKCS #1 PEM": pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(s.private.Public().(*rsa.PublicKey))}),
		"the JWK":     []byte(s.jwk(nil)),
		"the modulus": s.private.Public().(*rsa.PublicKey).N.Bytes(),
	}
	for name, secret := range secrets {
		t.Run("HS256 with the public key as secret, "+name, func(t *testing.T) {
			t.Parallel()
			signed := encode(s.header(map[string]any{"alg": "HS256"})) + "." + encode(claimSet(nil))
			mac := hmac.New(sha256.New, secret)
			mac.Write([]byte(signed))
			mustTry(t, b, signed+"."+encode(string(mac.Sum(nil))), "unsupported_algorithm")
		})
	}
}

func TestOnlyAFittingKeyOfTheSetVerifies(t *testing.T) {
	t.Parallel()
	rsa1, rsa2, ec, ed := rsaSigner(), rsaSigner2(), ecSigner(), edSigner()
	with := func(s signingKey, changes map[string]any) string { return s.sign(s.header(changes), claimSet(nil)) }
	ps := rsa1
	ps.alg = "PS256"
	var attacker json.RawMessage = []byte(rsa2.jwk(map[string]any{"kid": "rsa-1"}))
	for name, tt := range map[string]struct {
		set   string
		token string
		want  string
	}{
		"the key of the kid":                 {jwks(rsa1, rsa2), rsa2.token(nil), ""},
		"the key of another kid":             {jwks(rsa1, rsa2), with(rsa2, map[string]any{"kid": "rsa-1"}), "bad_signature"},
		"no kid, any that fits":              {jwks(ec, rsa1, rsa2), with(rsa2, map[string]any{"kid": nil}), ""},
		"no kid, none that fits":             {jwks(ec, ed), with(rsa1, map[string]any{"kid": nil}), "unknown_key"},
		"no kid, another key":                {jwks(ec, rsa1), with(rsa2, map[string]any{"kid": nil}), "bad_signature"},
		"an empty kid is a kid":              {jwks(rsa1), with(rsa1, map[string]any{"kid": ""}), "unknown_key"},
		"an empty kid in both":               {jwks(rsa1.named("")), rsa1.named("").token(nil), ""},
		"a kid in another case":              {jwks(rsa1), with(rsa1, map[string]any{"kid": "RSA-1"}), "unknown_key"},
		"a kid that is a path":               {jwks(rsa1), with(rsa1, map[string]any{"kid": "../../../dev/null"}), "unknown_key"},
		"a kid that is SQL":                  {jwks(rsa1), with(rsa1, map[string]any{"kid": "x' UNION SELECT 'y"}), "unknown_key"},
		"two keys of one kid":                {jwks(rsa1, rsa2.named("rsa-1")), rsa2.named("rsa-1").token(nil), ""},
		"two keys of one kid and two kinds":  {jwks(ec.named("x"), rsa1.named("x")), rsa1.named("x").token(nil), ""},
		"two keys of one kid, neither":       {jwks(rsa1, rsa1), with(rsa2, map[string]any{"kid": "rsa-1"}), "bad_signature"},
		"a key of another kind":              {jwks(ec.named("rsa-1")), rsa1.token(nil), "unknown_key"},
		"a key of another curve":             {jwksOf(ec384Signer().named("ec-1").jwk(nil)), ec.token(nil), "unknown_key"},
		"a key for PS256 only":               {jwks(ps), rsa1.token(nil), "unknown_key"},
		"a key for RS256 only":               {jwks(rsa1), ps.token(nil), "unknown_key"},
		"a key for any RSA":                  {jwksOf(rsa1.jwk(nil)), ps.token(nil), ""},
		"a key for encryption":               {jwksOf(rsa1.jwk(map[string]any{"use": "enc"}), ec.jwk(nil)), rsa1.token(nil), "unknown_key"},
		"a key for verifying":                {jwksOf(rsa1.jwk(map[string]any{"key_ops": []string{"verify"}})), rsa1.token(nil), ""},
		"a key for wrapping":                 {jwksOf(rsa1.jwk(map[string]any{"key_ops": []string{"wrapKey"}}), ec.jwk(nil)), rsa1.token(nil), "unknown_key"},
		"an embedded key of an attacker":     {jwks(rsa1), with(rsa2, map[string]any{"kid": "rsa-1", "jwk": attacker}), "bad_signature"},
		"an embedded key, no kid":            {jwks(rsa1), with(rsa2, map[string]any{"kid": nil, "jwk": attacker}), "bad_signature"},
		"an embedded key beside a good one":  {jwks(rsa1), with(rsa1, map[string]any{"jwk": attacker}), ""},
		"an address of keys":                 {jwks(rsa1), with(rsa2, map[string]any{"kid": "rsa-1", "jku": "https://evil.example", "x5u": "https://evil.example"}), "bad_signature"},
		"an address of keys beside good":     {jwks(rsa1), with(rsa1, map[string]any{"jku": "https://evil.example"}), ""},
		"the alg says EdDSA, the key is EC":  {jwksOf(ec.jwk(nil)), with(ec, map[string]any{"alg": "EdDSA"}), "unknown_key"},
		"the alg says ES256, the key is RSA": {jwksOf(rsa1.jwk(nil)), with(rsa1, map[string]any{"alg": "ES256"}), "unknown_key"},
		"the alg says RS512, signed RS256":   {jwksOf(rsa1.jwk(nil)), with(rsa1, map[string]any{"alg": "RS512"}), "bad_signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(tt.set)
			mustTry(t, newTestBearer(p), tt.token, tt.want)
			for _, address := range p.requests {
				if !strings.HasPrefix(address, "https://idp.example.com/") {
					t.Errorf("asked %s", address)
				}
			}
		})
	}
}

func TestTheNumberOfKeysTriedIsBounded(t *testing.T) {
	t.Parallel()
	var keys []signingKey
	for range maxCandidates {
		keys = append(keys, rsaSigner2())
	}
	keys = append(keys, rsaSigner())
	s := rsaSigner()
	noKid := s.sign(s.header(map[string]any{"kid": nil}), claimSet(nil))
	mustTry(t, newTestBearer(newProvider(jwks(keys...))), noKid, "bad_signature")
	mustTry(t, newTestBearer(newProvider(jwks(keys[1:]...))), noKid, "")
}

func TestASignatureThatIsNotOneIsRefused(t *testing.T) {
	t.Parallel()
	s := ecSigner()
	b := newTestBearer(newProvider(jwks(s, rsaSigner(), edSigner())))
	unsigned := encode(s.header(nil)) + "." + encode(claimSet(nil))
	good := rawSignature(s.private, "ES256", []byte(unsigned))
	order, _ := new(big.Int).SetString("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)
	pair := func(r, s *big.Int) []byte {
		return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	}
	der := append([]byte{0x30, 68, 2, 32}, append(append(good[:32:32], 2, 32), good[32:]...)...)
	for name, signature := range map[string][]byte{
		"in DER":               der,
		"both halves zero":     make([]byte, 64),
		"the first half zero":  pair(new(big.Int), big.NewInt(1)),
		"the second half zero": pair(big.NewInt(1), new(big.Int)),
		"halves of the order":  pair(order, order),
		"one byte short":       good[:63],
		"one byte long":        append(good[:64:64], 0),
		"a leading zero":       append([]byte{0}, good...),
		"one byte":             {1},
		"halves swapped":       append(good[32:64:64], good[:32]...),
		"half of the length":   good[:32],
		"of another message":   rawSignature(s.private, "ES256", []byte("x")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustTry(t, b, unsigned+"."+encode(string(signature)), "bad_signature")
		})
	}
	for name, other := range map[string]signingKey{"RSA": rsaSigner(), "Ed25519": edSigner()} {
		t.Run("zeros for "+name, func(t *testing.T) {
			t.Parallel()
			unsigned := encode(other.header(nil)) + "." + encode(claimSet(nil))
			mustTry(t, b, unsigned+"."+encode(string(make([]byte, 64))), "bad_signature")
			mustTry(t, b, unsigned+"."+encode(string(make([]byte, 256))), "bad_signature")
		})
	}
}
