package devidp

import (
	"crypto/rand"
	"encoding/base64"
	"sync"
	"time"
)

// Lifetimes.
const (
	tokenLifetime   = 300 * time.Second  // of access and ID tokens
	refreshLifetime = 1800 * time.Second // of refresh tokens, and of idle sessions
	codeLifetime    = 2 * time.Minute
	formLifetime    = 30 * time.Minute
	loginLifetime   = 10 * time.Hour // after which even a busy browser has to log in again
	failureLifetime = 15 * time.Minute
)

// Limits of what is remembered. The largest tables take some ten megabytes
// when they are full. The limits per user and per session keep a user who floods
// the provider with logins from pushing out those of others.
const (
	maxSessions           = 10_000
	maxSessionsPerUser    = 1_000
	maxFamilies           = 20_000
	maxFamiliesPerSession = 50
	maxCodes              = 10_000
	maxRevoked            = 20_000
	maxSpentForms         = 20_000
	maxFailures           = 10_000
)

// state is everything the provider remembers. One lock guards it all: each use is a
// few map operations, and it is easy to see that a code is used up by the first
// attempt when nothing can happen in between.
type state struct {
	now func() time.Time

	mu       sync.Mutex
	sessions *table[*session] // by id
	browsers map[string]*session
	byUser   map[string][]*session // oldest first
	families *table[*family]       // by id
	codes    *table[*code]         // by the code
	redeemed map[string]string     // code -> family, while the family lives
	revoked  *table[struct{}]      // access tokens, by jti
	spent    *table[struct{}]      // forms, by their number
	proofs   *table[struct{}]      // of DPoP, by key and jti

	devices     *table[*device]   // by id
	userCodes   map[string]string // code -> id
	devicesFrom map[string]int    // how many, by address

	byAccount *table[*failures]
	byAddress *table[*failures]
}

func newState(now func() time.Time) *state {
	s := &state{
		now:       now,
		browsers:  map[string]*session{},
		byUser:    map[string][]*session{},
		redeemed:  map[string]string{},
		userCodes: map[string]string{}, devicesFrom: map[string]int{},
		codes:     newTable[*code](codeLifetime, maxCodes, nil),
		revoked:   newTable[struct{}](tokenLifetime, maxRevoked, nil),
		spent:     newTable[struct{}](formLifetime, maxSpentForms, nil),
		proofs:    newTable[struct{}](2*proofWindow, maxProofs, nil),
		byAccount: newTable[*failures](failureLifetime, maxFailures, nil),
		byAddress: newTable[*failures](failureLifetime, maxFailures, nil),
	}
	s.sessions = newTable(refreshLifetime, maxSessions, s.sessionGone)
	s.devices = newTable(deviceLifetime, maxDevices, s.deviceGone)
	s.families = newTable(refreshLifetime, maxFamilies, s.familyGone)
	return s
}

// revoke makes an access token worthless until it would have expired anyway.
func (s *state) revoke(jti string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked.put(jti, struct{}{}, s.now())
}

// spend uses up a form. It is false if that has happened before.
func (s *state) spend(number string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.spent.get(number, s.now()); used {
		return false
	}
	s.spent.put(number, struct{}{}, s.now())
	return true
}

// randomText returns a secret that cannot be guessed.
func randomText() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}
