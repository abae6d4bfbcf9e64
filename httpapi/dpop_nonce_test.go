package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/auth/dpop"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

const useNonce = `DPoP error="use_dpop_nonce", error_description="The DPoP proof needs the nonce in DPoP-Nonce", ` + proofAlgorithms

// nonceWorld returns a process of a library whose proofs need nonces, with a clock that stands still.
func nonceWorld(t *testing.T, key string, now time.Time) *dpopWorld {
	t.Helper()
	w := newDPoPWorld(t, dpop.Required, func(c *dpop.Config) {
		c.Nonce, c.Now = true, func() time.Time { return now }
	})
	if key != "" {
		w.scheme.UseNonceKey([]byte(key))
	}
	w.now = now
	return w
}

func TestAProofWithoutANonceIsToldOne(t *testing.T) {
	t.Parallel()
	w := nonceWorld(t, "key", time.Now())
	for situation, nonce := range map[string]any{"none": nil, "an invented one": "x", "no text": 7, "long": strings.Repeat("A", 4000), "one of another key": nonceWorld(t, "another key", time.Now()).nonce(t)} {
		a := w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, testidp.Claims{"nonce": nonce}, nil))}).want(t, 401, "use_dpop_nonce")
		testkit.Equal(t, a.header.Get("WWW-Authenticate"), useNonce, situation)
		told := a.header.Get("DPoP-Nonce")
		a = w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, testidp.Claims{"nonce": told}, nil))}).want(t, 200, "")
		testkit.Equal(t, a.header.Get("DPoP-Nonce"), told, "of a good answer")
	}
	for _, header := range []http.Header{nil, bearerHeader(w.dpopToken)} {
		if got := w.send(t, request{path: "/books", header: header}).header["Dpop-Nonce"]; got != nil {
			t.Errorf("a nonce %q for a caller who uses no DPoP", got)
		}
	}
}

// nonce is the one that the process tells.
func (w *dpopWorld) nonce(t *testing.T) string {
	t.Helper()
	return w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, nil, nil))}).header.Get("DPoP-Nonce")
}

// Every process takes the nonces of the others, also if its clock is not quite the
// same; they end after five minutes.
func TestANonceIsGoodForAllProcessesForFiveMinutes(t *testing.T) {
	t.Parallel()
	minute := time.Now().Truncate(time.Minute) // a nonce says its minute
	nonce := nonceWorld(t, "key", minute.Add(59*time.Second)).nonce(t)
	for later, status := range map[time.Duration]int{
		-time.Minute: 200, 0: 200, 6 * time.Minute: 200, 6*time.Minute + time.Second: 401, -time.Minute - time.Second: 401,
	} {
		other := nonceWorld(t, "key", minute.Add(later))
		header := dpopHeader(other.dpopToken, other.proof(t, testidp.Claims{"nonce": nonce}, nil))
		if a := other.send(t, request{path: "/books", header: header}); a.status != status {
			t.Errorf("%v later: %d, want %d", later, a.status, status)
		}
	}
}

func TestWithoutTheKeyOfNoncesProofsCannotBeChecked(t *testing.T) {
	t.Parallel()
	w := nonceWorld(t, "", time.Now())
	a := w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, nil, nil))}).want(t, 503, "keys_unavailable")
	testkit.Equal(t, a.header.Get("Retry-After"), "5")
}

func TestBrowsersMayReadTheNonce(t *testing.T) {
	t.Parallel()
	w := nonceWorld(t, "key", time.Now())
	a := w.send(t, request{path: "/books", header: field("Origin", clientOrigin)}).want(t, 401, "missing_token")
	testkit.Contains(t, a.header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate", "DPoP-Nonce")
}

// A proof is not used up by the question for a nonce.
func TestARefusalForItsNonceUsesUpNoProof(t *testing.T) {
	t.Parallel()
	w := nonceWorld(t, "key", time.Now())
	for range 2 {
		w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, testidp.Claims{"jti": "same"}, nil))}).want(t, 401, "use_dpop_nonce")
	}
	good := testidp.Claims{"jti": "same", "nonce": w.nonce(t)}
	w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, good, nil))}).want(t, 200, "")
	w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, w.proof(t, good, nil))}).want(t, 401, "invalid_dpop_proof")
}
