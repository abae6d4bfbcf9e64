package client

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Key is a signing key for bound tokens (RFC 9449): such a token is of no use without the key. As
// JSON it is stored with its token; printed and logged it shows nothing. It is safe for concurrent
// use.
type Key struct {
	private *ecdsa.PrivateKey
	now     func() time.Time

	mu    sync.Mutex
	peers map[string]peer // by origin
}

// peer holds a server's demands on proofs.
type peer struct {
	nonce string
	ahead time.Duration // how far its clock is ahead of ours
}

const (
	proofAlgorithm = "ES256"
	maxNonce       = 1 << 10
	maxClockError  = 30 * time.Second // from which on a clock is believed to be wrong
)

// NewKey makes a key.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Key{private: private, now: time.Now}, nil
}

// MarshalJSON is for the place where the token is kept, too.
func (k *Key) MarshalJSON() ([]byte, error) {
	secret, err := k.private.Bytes()
	if err != nil {
		return nil, err
	}
	return json.Marshal(base64.RawURLEncoding.EncodeToString(secret))
}

func (k *Key) UnmarshalJSON(data []byte) error {
	var text string
	err := json.Unmarshal(data, &text)
	secret, err2 := base64.RawURLEncoding.DecodeString(text)
	if errors.Join(err, err2) != nil {
		return errors.New("the key of the token cannot be read")
	}
	if k.private, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), secret); err != nil {
		return errors.New("the key of the token cannot be read")
	}
	k.now = time.Now
	return nil
}

// String shows nothing of the key.
func (k *Key) String() string { return "a key" }

// GoString is String.
func (k *Key) GoString() string { return k.String() }

// LogValue is String.
func (k *Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// proof makes a proof for one request. access is the token beside it, "" at the provider before
// the first token.
func (k *Key) proof(method string, at *url.URL, access string) (string, error) {
	known := k.peer(at)
	claims := map[string]any{
		"jti": rand.Text(), "htm": method, "htu": (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path, RawPath: at.RawPath}).String(),
		"iat": k.now().Add(known.ahead).Unix(),
	}
	if known.nonce != "" {
		claims["nonce"] = known.nonce
	}
	if access != "" {
		sum := sha256.Sum256([]byte(access))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: proofAlgorithm, Key: k.private}, (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt"))
	if err != nil {
		return "", err
	}
	return jwt.Signed(signer).Claims(claims).Serialize()
}

func (k *Key) peer(at *url.URL) peer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.peers[originOf(at)]
}

// learn reads the demands on the next proof from an answer, and reports whether they justify
// another try: a missing nonce, or the right time for a wrong clock of this machine.
func (k *Key) learn(resp *http.Response) (again bool) {
	at := resp.Request.URL
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.peers[originOf(at)]
	problem := proofProblem(resp)
	if nonce := resp.Header.Get("DPoP-Nonce"); nonce != "" && len(nonce) <= maxNonce && nonce != known.nonce {
		known.nonce = nonce
		again = problem == "use_dpop_nonce"
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && problem == "invalid_dpop_proof" {
		if ahead := date.Sub(k.now()); (ahead - known.ahead).Abs() > maxClockError {
			known.ahead, again = ahead, true
		}
	}
	if k.peers == nil {
		k.peers = map[string]peer{}
	}
	k.peers[originOf(at)] = known
	return again
}

// send sends a request with a proof and, if another try may help, once more with a new proof.
func (k *Key) send(base http.RoundTripper, r *http.Request, access string) (*http.Response, error) {
	for tries := 1; ; tries++ {
		proof, err := k.proof(r.Method, r.URL, access)
		if err != nil {
			closeBody(r)
			return nil, err
		}
		r.Header.Set("DPoP", proof)
		resp, err := base.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		resp.Request = r
		if again := k.learn(resp); !again || tries == 3 || hasBody(r) && r.GetBody == nil {
			return resp, nil
		}
		next := r.Clone(r.Context())
		if hasBody(r) {
			if next.Body, err = r.GetBody(); err != nil {
				return resp, nil
			}
		}
		resp.Body.Close()
		r = next
	}
}

// proofProblem returns a server's fault with a proof: from the library in a challenge, from a
// provider in the body.
func proofProblem(resp *http.Response) string {
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnauthorized {
		return ""
	}
	for _, problem := range []string{"use_dpop_nonce", "invalid_dpop_proof"} {
		if strings.Contains(resp.Header.Get("WWW-Authenticate"), `error="`+problem+`"`) {
			return problem
		}
	}
	kept, isKept := resp.Body.(*wholeBody) // of a provider; that of a library is not read here
	var body struct {
		Error string `json:"error"`
	}
	if !isKept || json.Unmarshal(kept.whole, &body) != nil {
		return ""
	}
	return body.Error
}

// OffersBoundTokens reports whether the provider binds tokens to a key (RFC 9449).
func (p *Provider) OffersBoundTokens() bool { return slices.Contains(p.meta.Proofs, proofAlgorithm) }

// WithKey returns the same provider, asked for tokens bound to a key. A bearer token in the answer
// is not bound: then the token has no key.
func (p *Provider) WithKey(k *Key) *Provider {
	bound := *p
	bound.key = k
	bound.http = &http.Client{
		Transport: proving{base: p.http.Transport, key: k, endpoint: p.meta.Token}, Timeout: p.http.Timeout, CheckRedirect: p.http.CheckRedirect,
	}
	return &bound
}

// proving adds proofs to the requests for tokens.
type proving struct {
	base     http.RoundTripper
	key      *Key
	endpoint string
}

func (t proving) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.URL.String() != t.endpoint {
		return t.base.RoundTrip(r)
	}
	return t.key.send(t.base, r.Clone(r.Context()), "")
}
