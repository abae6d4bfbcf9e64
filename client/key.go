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
	"strings"
	"sync"
	"time"
)

// Key is a key that tokens are bound to (RFC 9449): a token with one is of no use to
// somebody who has not got the key. As JSON it is stored with its token; printed and logged
// it shows nothing. It is safe for concurrent use.
type Key struct {
	private *ecdsa.PrivateKey
	now     func() time.Time

	mu    sync.Mutex
	peers map[string]peer // by origin
}

// peer is what a server has said about proofs that are made for it.
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

// proof makes a proof for one request. access is the token that goes with it, "" at
// the provider, which has not given one yet.
func (k *Key) proof(method string, at *url.URL, access string) (string, error) {
	known := k.peer(at)
	claims := map[string]any{
		"jti": rand.Text(), "htm": method, "htu": (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: at.Path, RawPath: at.RawPath}).String(),
		"iat": k.now().Add(known.ahead).Unix(),
	}
	if known.nonce != "" {
		claims["nonce"] = known.nonce
	}
	encode := base64.RawURLEncoding.EncodeToString
	if access != "" {
		sum := sha256.Sum256([]byte(access))
		claims["ath"] = encode(sum[:])
	}
	point, err := k.private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return "", err
	}
	header, err1 := json.Marshal(map[string]any{"typ": "dpop+jwt", "alg": proofAlgorithm, "jwk": map[string]string{
		"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:]),
	}})
	payload, err2 := json.Marshal(claims)
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	signed := encode(header) + "." + encode(payload)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, sum[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signed + "." + encode(signature), nil
}

func (k *Key) peer(at *url.URL) peer {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.peers[originOf(at)]
}

// learn takes what an answer says about the next proof, and reports whether the request
// should be sent once more because of it: a nonce that the proof had not, or the time where
// this machine's clock is wrong.
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

// send sends a request with a proof and, if that may help, once more with another.
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

// proofProblem is what a server says is wrong with a proof: the library in a challenge,
// a provider in the body.
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
