package auth

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

// BasicConfig says where the passwords are.
type BasicConfig struct {
	Path   string           // lines of e-mail:bcrypt-hash, as htpasswd -B makes them
	Logger *slog.Logger     // nil is slog.Default()
	Now    func() time.Time // nil is time.Now
}

// Basic authenticates requests by e-mail address and password. A check of a
// password is slow on purpose, so the number of checks at once is bounded, and
// a good one is remembered for a short while.
type Basic struct {
	file   *passwordFile
	recent *proofs
	secret [sha256.Size]byte // of this process; makes proofs worthless elsewhere
	slots  chan struct{}
}

// Limits of password checks.
const (
	maxBasicSize    = 4 << 10 // of the encoded credentials
	maxPasswordSize = 72      // bcrypt ignores what is beyond
	slotWait        = time.Second
)

var errUnauthorized = &Error{
	Status: http.StatusUnauthorized, Code: CodeUnauthorized, Message: "Unauthorized",
	Challenge: `Basic realm="library"`,
}

var errBusy = &Error{
	Status: http.StatusServiceUnavailable, Code: CodeBusy,
	Message: "Too many password checks at once", RetryAfter: slotWait,
}

// NewBasic reads the password file. An error names the invalid line, never its content.
func NewBasic(cfg BasicConfig) (*Basic, error) {
	cfg.Logger = cmp.Or(cfg.Logger, slog.Default())
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	file, err := openPasswordFile(cfg)
	if err != nil {
		return nil, err
	}
	b := &Basic{
		file:   file,
		recent: newProofs(cfg.Now),
		// One processor stays free for requests without a check.
		slots: make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1)),
	}
	rand.Read(b.secret[:]) // never fails
	return b, nil
}

// Authenticate returns the sender of r, by e-mail address and password.
func (b *Basic) Authenticate(r *http.Request) (*Identity, error) {
	login, password, ok := basicCredentials(r)
	if !ok {
		return nil, errUnauthorized
	}
	account, known := b.account(login)
	proof := b.mac(account.identity.Email, password, string(account.hash))
	if known && b.recent.has(proof) {
		return account.identity, nil
	}
	if !b.acquire(r.Context()) {
		return nil, errBusy
	}
	defer func() { <-b.slots }()
	// Another request may have brought the proof while this one waited.
	if known && b.recent.has(proof) {
		return account.identity, nil
	}
	err := bcrypt.CompareHashAndPassword(account.hash, []byte(password))
	if err != nil || !known {
		return nil, errUnauthorized
	}
	b.recent.add(proof)
	return account.identity, nil
}

// Recognize returns the sender of r if the password was checked a moment ago.
func (b *Basic) Recognize(r *http.Request) *Identity {
	login, password, ok := basicCredentials(r)
	if !ok {
		return nil
	}
	account, known := b.account(login)
	if !known || !b.recent.has(b.mac(account.identity.Email, password, string(account.hash))) {
		return nil
	}
	return account.identity
}

// StillValid reports whether the password file still has the caller's line.
func (b *Basic) StillValid(id *Identity) error {
	account, known := b.account(id.Email)
	if !known || !bytes.Equal(account.hash, id.hash) {
		return errUnauthorized
	}
	return nil
}

// account returns the account of a login. For an unknown one it is a decoy, as slow to check as
// one in the file, and always the same for the same login, so that the time of an answer does not
// show whether there is an account.
func (b *Basic) account(login string) (*account, bool) {
	passwords := b.file.current()
	if a, ok := passwords.accounts[foldASCII(login)]; ok {
		return a, true
	}
	pick := b.mac("decoy", foldASCII(login))
	i := binary.LittleEndian.Uint64(pick[:]) % uint64(len(passwords.decoys))
	return passwords.decoys[i], false
}

// mac is keyed with the secret of this process: equal results mean equal
// parts, and comparing results in any way gives nothing away about the parts.
// A zero byte ends each part; none contains one.
func (b *Basic) mac(parts ...string) digest {
	h := hmac.New(sha256.New, b.secret[:])
	for _, part := range parts {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return digest(h.Sum(nil))
}

// acquire waits a short while for the right to check a password.
func (b *Basic) acquire(ctx context.Context) bool {
	select {
	case b.slots <- struct{}{}:
		return true
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, slotWait)
	defer cancel()
	select {
	case b.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// basicCredentials returns the login and the password of the request, if it
// has them in exactly one well-formed Authorization field.
func basicCredentials(r *http.Request) (string, string, bool) {
	fields := r.Header["Authorization"]
	if len(fields) != 1 {
		return "", "", false
	}
	encoded, ok := credentials(fields[0], "basic")
	if !ok || len(encoded) > maxBasicSize || strings.ContainsAny(encoded, "\r\n") {
		return "", "", false
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || !utf8.Valid(decoded) {
		return "", "", false
	}
	login, password, ok := strings.Cut(string(decoded), ":")
	if !ok || login == "" || len(password) > maxPasswordSize {
		return "", "", false
	}
	if strings.ContainsFunc(string(decoded), unicode.IsControl) {
		return "", "", false
	}
	return login, password, true
}

// UnknownUser returns the refusal of a login with a password and no user record. It looks like a
// wrong password.
func (b *Basic) UnknownUser() *Error { return errUnauthorized }

// InsufficientScope returns "": Basic authentication knows no scopes.
func (b *Basic) InsufficientScope(string) string { return "" }

// proofs are the passed password checks of the last moments, as MACs of all their input. A changed
// password file changes the MAC.
type proofs struct {
	now func() time.Time

	mu    sync.Mutex
	until map[digest]time.Time
}

const (
	proofLifetime = time.Minute
	maxProofs     = 1000
)

func newProofs(now func() time.Time) *proofs {
	return &proofs{now: now, until: map[digest]time.Time{}}
}

func (p *proofs) has(d digest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Before(p.until[d])
}

func (p *proofs) add(d digest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if len(p.until) >= maxProofs {
		p.makeRoom(now)
	}
	p.until[d] = now.Add(proofLifetime)
}

// makeRoom drops expired proofs, or else any one.
func (p *proofs) makeRoom(now time.Time) {
	for d, until := range p.until {
		if !now.Before(until) {
			delete(p.until, d)
		}
	}
	for d := range p.until {
		if len(p.until) < maxProofs {
			return
		}
		delete(p.until, d)
	}
}
