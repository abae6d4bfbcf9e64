package devidp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// proofMaker makes proofs at a world's time.
type proofMaker struct {
	w   *world
	key *ecdsa.PrivateKey
}

func (w *world) newProofMaker() proofMaker {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.NoError(w.T, err)
	return proofMaker{w, key}
}

func (m proofMaker) jwk() map[string]string {
	point, err := m.key.PublicKey.Bytes()
	testkit.NoError(m.w.T, err)
	return map[string]string{"kty": "EC", "crv": "P-256", "x": encodeSegment(point[1:33]), "y": encodeSegment(point[33:])}
}

// proof is one for the token endpoint, with changes.
func (m proofMaker) proof(changes map[string]any) string {
	header := map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": m.jwk()}
	claims := map[string]any{"htm": "POST", "htu": DefaultIssuer + pathToken, "iat": m.w.clock.Now().Unix(), "jti": randomText()}
	for name, value := range changes {
		if _, inHeader := header[name]; inHeader {
			header[name] = value
		} else {
			claims[name] = value
		}
	}
	h, _ := json.Marshal(header)
	c, _ := json.Marshal(claims)
	signed := encodeSegment(h) + "." + encodeSegment(c)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, m.key, sum[:])
	testkit.NoError(m.w.T, err)
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + encodeSegment(signature)
}

// postWith asks for tokens with proofs.
func (w *world) postWith(v url.Values, proofs ...string) answer {
	r := formRequest(at(pathToken), v.Encode())
	r.Header["Dpop"] = proofs
	return w.do(r)
}

func TestTokensAreBoundToTheKeyOfAProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.newProofMaker()
	for _, fields := range []url.Values{passwordForm("bwayne", "wayne"), asClient("grant_type", "client_credentials")} {
		a := w.postWith(fields, m.proof(nil))
		testkit.Equal(t, a.str("token_type"), "DPoP")
		thumbprint, _, _ := readProof(m.proof(nil))
		cnf, _ := w.claims(a.str("access_token"))["cnf"].(map[string]any)
		testkit.Equal(t, cnf["jkt"], any(thumbprint))
		b := w.postWith(fields)
		if b.str("token_type") != "bearer" || w.claims(b.str("access_token"))["cnf"] != nil {
			t.Errorf("without a proof: %s", b.text)
		}
	}
}

func TestBadProofsGiveNoToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.newProofMaker()
	used := m.proof(nil)
	testkit.Equal(t, w.postWith(passwordForm("bwayne", "wayne"), used).StatusCode, http.StatusOK)
	private := m.jwk()
	private["d"] = private["x"]
	for rule, proofs := range map[string][]string{
		"used before":        {used},
		"two":                {m.proof(nil), m.proof(nil)},
		"none":               {""},
		"another method":     {m.proof(map[string]any{"htm": "GET"})},
		"another address":    {m.proof(map[string]any{"htu": "http://evil.example/token"})},
		"old":                {m.proof(map[string]any{"iat": w.clock.Now().Add(-2 * time.Minute).Unix()})},
		"of the future":      {m.proof(map[string]any{"iat": w.clock.Now().Add(2 * time.Minute).Unix()})},
		"no jti":             {m.proof(map[string]any{"jti": ""})},
		"another type":       {m.proof(map[string]any{"typ": "JWT"})},
		"no algorithm":       {m.proof(map[string]any{"alg": "none"})},
		"a private key":      {m.proof(map[string]any{"jwk": private})},
		"another's key":      {m.proof(map[string]any{"jwk": w.newProofMaker().jwk()})},
		"a key that is none": {m.proof(map[string]any{"jwk": map[string]string{"kty": "EC", "crv": "P-256", "x": private["x"], "y": private["x"]}})},
	} {
		if a := w.postWith(passwordForm("bwayne", "wayne"), proofs...); a.StatusCode != 400 || a.str("error") != "invalid_dpop_proof" {
			t.Errorf("%s: %d %s", rule, a.StatusCode, a.text)
		}
	}
}

// The refresh token of a program without a secret is worth nothing without the key.
func TestRefreshTokensOfPublicClientsAreBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, thief := w.newProofMaker(), w.newProofMaker()
	query := authQuery("library-web", "http://localhost:4200/")
	code := w.browser().signIn("bwayne", "wayne", query).Get("code")
	first := w.postWith(form("grant_type", "authorization_code", "client_id", "library-web", "code", code, "redirect_uri", "http://localhost:4200/", "code_verifier", verifier), m.proof(nil))
	testkit.Equal(t, first.str("token_type"), "DPoP", first.text)
	refresh := form("grant_type", "refresh_token", "client_id", "library-web", "refresh_token", first.str("refresh_token"))
	w.refused(w.postWith(refresh), 400, "invalid_grant")
	w.refused(w.postWith(refresh, thief.proof(nil)), 400, "invalid_grant")
	if a := w.postWith(refresh, m.proof(nil)); a.str("token_type") != "DPoP" {
		t.Errorf("with the key: %s", a.text)
	}
}

func TestUserinfoTakesBoundTokensWithAProofAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.newProofMaker()
	token := w.postWith(with(passwordForm("bwayne", "wayne"), "scope", "openid"), m.proof(nil)).str("access_token")
	ask := func(scheme string, proofs ...string) int {
		r := httptest.NewRequest(http.MethodGet, at(pathUserinfo), nil)
		r.Header["Authorization"], r.Header["Dpop"] = []string{scheme + " " + token}, proofs
		return w.do(r).StatusCode
	}
	proof := func(m proofMaker, token string) string {
		return m.proof(map[string]any{"htm": "GET", "htu": DefaultIssuer + pathUserinfo, "ath": digestText(token)})
	}
	testkit.Equal(t, ask("DPoP", proof(m, token)), 200)
	testkit.Equal(t, ask("Bearer", proof(m, token)), 401)
	testkit.Equal(t, ask("DPoP"), 401)
	testkit.Equal(t, ask("DPoP", proof(m, "another")), 401)
	testkit.Equal(t, ask("DPoP", proof(w.newProofMaker(), token)), 401)
}
