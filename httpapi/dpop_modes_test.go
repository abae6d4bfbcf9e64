package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library/auth/dpop"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

func TestTokensInMoreThanOneWayAreRefusedWithDPoPToo(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	const twoFields, twoWays = "The request has more than one Authorization field", "The request carries a token in more than one way"
	for _, c := range []struct{ first, second, path, description string }{
		{"DPoP ", "DPoP ", "/books", twoFields}, {"DPoP ", "Bearer ", "/books", twoFields}, {"Bearer ", "DPoP ", "/books", twoFields},
		{"DPoP ", "", "/books?access_token=x", twoWays},
	} {
		header := http.Header{"Authorization": {c.first + w.dpopToken}, "Dpop": {w.proof(t, nil, nil)}}
		if c.second != "" {
			header.Add("Authorization", c.second+w.dpopToken)
		}
		a := w.send(t, request{path: c.path, header: header}).want(t, 400, "invalid_request")
		if got := a.header.Get("WWW-Authenticate"); !strings.Contains(got, strings.TrimSpace(c.first)+` error="invalid_request", error_description="`+c.description) {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestOnlyBoundTokensAreTakenWhereTheyAreRequired(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Required)
	refused := `DPoP error="invalid_token", error_description="Only tokens bound to a key are taken, with a DPoP proof", ` + proofAlgorithms
	for _, c := range []struct {
		situation string
		header    http.Header
		challenge string
		code      string
	}{
		{"nothing", nil, dpopOffer, "missing_token"},
		{"an unbound token as Bearer", bearerHeader(w.idp.Mint(t, nil)), refused, "dpop_required"},
		{"a bound token as Bearer", bearerHeader(w.dpopToken), refused, "dpop_required"},
		{"a bound token without a proof", dpopHeader(w.dpopToken), strings.TrimSuffix(invalidProof("is missing"), ", Bearer"), "invalid_dpop_proof"},
	} {
		a := w.send(t, request{path: "/books", header: c.header}).want(t, 401, c.code)
		if got := a.header.Get("WWW-Authenticate"); got != c.challenge {
			t.Errorf("%s\n got %s\nwant %s", c.situation, got, c.challenge)
		}
	}
}

func TestWithoutDPoPABoundTokenIsRefusedAndTheSchemeUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := testidp.NewProofKey(t)
	token := w.idp.Mint(t, key.Bound())
	a := w.send(t, request{path: "/books", header: bearerHeader(token)}).want(t, 401, "bound_token")
	testkit.Equal(t, a.header.Get("WWW-Authenticate"), invalid("The token is bound to a key without a proof of it"))
	proof := key.Proof(t, "GET", w.server.URL+w.base+"/books", token, nil, nil)
	a = w.send(t, request{path: "/books", header: dpopHeader(token, proof)}).want(t, 401, "missing_token")
	testkit.Equal(t, a.header.Get("WWW-Authenticate"), "Bearer")
}

// What else is wrong is said in the scheme that the caller has used.
func TestRefusalsOfAGoodProofNameItsScheme(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	send := func(token, path string) reply {
		return w.send(t, request{path: path, header: dpopHeader(token, w.proofFor(t, "GET", path, token, nil, nil))})
	}
	a := send(w.dpopToken, "/users").want(t, 403, "role_missing")
	want := "DPoP " + strings.TrimPrefix(insufficient("library_admin"), "Bearer ") + ", " + proofAlgorithms + ", Bearer"
	testkit.Equal(t, a.header.Get("WWW-Authenticate"), want)
	stranger := w.key.Bound()
	stranger["email"] = "the.joker@example.org"
	a = send(w.idp.Mint(t, stranger), "/books").want(t, 401, "unknown_user")
	if got := a.header.Get("WWW-Authenticate"); !strings.HasPrefix(got, `DPoP error="invalid_token", error_description="No user found for the email claim"`) {
		t.Error(got)
	}
}

// Keycloak adds kc-jkt-type.
func TestAConfirmationMayHaveMembersThatBindToNothing(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	token := w.idp.Mint(t, testidp.Claims{"cnf": map[string]string{"jkt": w.key.Thumbprint(), "kc-jkt-type": "DPoP"}, "typ": "DPoP"})
	send := func(headers http.Header) reply { return w.send(t, request{path: "/books", header: headers}) }
	send(dpopHeader(token, w.proofFor(t, "GET", "/books", token, nil, nil))).want(t, 200, "")
	send(dpopHeader(token, testidp.NewProofKey(t).Proof(t, "GET", w.url("/books"), token, testidp.Claims{"iat": w.now.Unix()}, nil))).want(t, 401, "bound_token")
}

func TestAKeyMayHaveANameBesideItsThumbprint(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	token := w.idp.Mint(t, testidp.Claims{"cnf": map[string]any{"jkt": w.key.Thumbprint(), "kid": "x"}, "sub": "x"})
	w.send(t, request{path: "/books", header: dpopHeader(token, w.proofFor(t, "GET", "/books", token, nil, nil))}).want(t, 200, "")
	w.send(t, request{path: "/books", token: token}).want(t, 401, "bound_token")
}

func TestOtherConfirmationsThanAThumbprintAreRefused(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	for _, cnf := range []any{
		nil, map[string]string{}, "x", []string{}, map[string]string{"jkt": ""}, map[string]string{"jkt": "x"}, map[string]any{"jkt": []string{w.key.Thumbprint()}},
		map[string]string{"x5t#S256": w.key.Thumbprint()}, map[string]string{"jkt": w.key.Thumbprint(), "x5t#S256": w.key.Thumbprint()},
		map[string]any{"jkt": w.key.Thumbprint(), "jwk": w.key.JWK()}, map[string]string{"kid": w.key.Thumbprint()},
		map[string]string{"jkt": w.key.Thumbprint() + "="},
	} {
		token := w.idp.Mint(t, testidp.Claims{"cnf": cnf, "sub": "x"})
		code := "bound_token"
		if cnf == nil { // then there is no such claim
			code = "unbound_token"
		}
		w.send(t, request{path: "/books", header: dpopHeader(token, w.proofFor(t, "GET", "/books", token, nil, nil))}).want(t, 401, code)
	}
}

// Behind a proxy the address of a request is the one that the setting names, whatever
// name the proxy uses for the service.
func TestProofsAreForThePublicAddressOfTheAPI(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Required, func(c *dpop.Config) { c.PublicURL = "https://Library.example.org:443/api/" })
	for htu, status := range map[string]int{
		"https://library.example.org/api/books":              200,
		"https://library.example.org:443/api/books":          200,
		"https://LIBRARY.example.org/api/books":              200,
		"https://library.example.org/library-server/books":   401,
		"https://library.example.org/api/books/":             401,
		"https://library.example.org:8443/api/books":         401,
		"http://library.example.org/api/books":               401,
		"https://library.example.org.evil.example/api/books": 401,
		w.url("/books"): 401,
	} {
		header := dpopHeader(w.dpopToken, w.proof(t, testidp.Claims{"htu": htu}, nil))
		if a := w.send(t, request{path: "/books", header: header}); a.status != status {
			t.Errorf("%s: %d, want %d: %s", htu, a.status, status, a.body)
		}
	}
}

// A new token takes the slower way, on which the
// same proof must not count as used.
func TestAProofWithANewTokenIsNotTakenForAReplay(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Required)
	for range 3 {
		token := w.idp.Mint(t, w.key.Bound())
		header := dpopHeader(token, w.proofFor(t, "GET", "/me", token, nil, nil))
		w.send(t, request{path: "/me", header: header}).want(t, 200, "")
		w.send(t, request{path: "/me", header: header}).want(t, 401, "invalid_dpop_proof")
	}
}

// Load shedding comes first with DPoP, too: what cannot be done costs no proof, and
// the proof is good afterwards.
func TestARequestThatIsShedDoesNotUseUpItsProof(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	header := dpopHeader(w.dpopToken, w.proof(t, nil, nil))
	giveBack := w.api().FillPlaces()
	w.send(t, request{path: "/books", header: header}).want(t, 503, "overloaded")
	giveBack()
	w.send(t, request{path: "/books", header: header}).want(t, 200, "")
}
