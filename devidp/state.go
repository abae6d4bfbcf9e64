package devidp

import (
	"container/list"
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
	loginLifetime   = 10 * time.Hour      // after which even a busy browser has to log in again
	offlineLifetime = 30 * 24 * time.Hour // of offline tokens that are not used
	failureLifetime = 15 * time.Minute
)

// Limits of the state. The largest tables take some ten megabytes when they are full.
const (
	maxSessions   = 10_000
	maxFamilies   = 20_000
	maxCodes      = 10_000
	maxRevoked    = 20_000
	maxSpentForms = 20_000
	maxFailures   = 10_000
)

// state is the memory of the provider. One lock guards it all: each use is a few map operations,
// and nothing can happen between looking at a code and using it up.
type state struct {
	now func() time.Time

	mu       sync.Mutex
	sessions *table[*session] // by id
	browsers map[string]*session
	families *table[*family]   // by id
	codes    *table[*code]     // by the code
	redeemed map[string]string // code -> family, while the family lives
	revoked  *table[struct{}]  // access tokens, by jti
	spent    *table[struct{}]  // forms, by their number
	proofs   *table[struct{}]  // of DPoP, by key and jti

	failures *table[*failures] // by account
	ended    *table[struct{}]  // offline tokens, by family
}

func newState(now func() time.Time) *state {
	s := &state{
		now:      now,
		browsers: map[string]*session{},
		redeemed: map[string]string{},
		codes:    newTable[*code](codeLifetime, maxCodes, nil),
		revoked:  newTable[struct{}](tokenLifetime, maxRevoked, nil),
		spent:    newTable[struct{}](formLifetime, maxSpentForms, nil),
		proofs:   newTable[struct{}](2*proofWindow, maxProofs, nil),
		failures: newTable[*failures](failureLifetime, maxFailures, nil),
		ended:    newTable[struct{}](offlineLifetime, maxRevoked, nil),
	}
	s.sessions = newTable(refreshLifetime, maxSessions, s.sessionGone)
	s.families = newTable(refreshLifetime, maxFamilies, s.familyGone)
	return s
}

// revoke makes an access token worthless until it would have expired anyway.
func (s *state) revoke(jti string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked.put(jti, struct{}{}, s.now())
}

// spend uses up a form. It returns false at the second use.
func (s *state) spend(number string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.spent.get(number, s.now()); used {
		return false
	}
	s.spent.put(number, struct{}{}, s.now())
	return true
}

// randomText returns a secret of 256 random bits.
func randomText() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// table is a map with expiring entries and a bounded size. When it is full, the oldest entry is
// removed. All entries live equally long, so their order of age is also their order of expiry. It
// has no lock: state has one for all.
type table[V any] struct {
	lifetime time.Duration
	limit    int
	gone     func(V) // called with each entry that is removed or expires; may be nil
	entries  map[string]*list.Element
	order    *list.List // of *row[V], oldest first
}

type row[V any] struct {
	key     string
	value   V
	expires time.Time
}

func newTable[V any](lifetime time.Duration, limit int, gone func(V)) *table[V] {
	return &table[V]{
		lifetime: lifetime, limit: limit, gone: gone,
		entries: map[string]*list.Element{}, order: list.New(),
	}
}

func (t *table[V]) put(key string, value V, now time.Time) {
	t.drop(key)
	t.sweep(now)
	for len(t.entries) >= t.limit {
		t.drop(t.oldest().key)
	}
	t.entries[key] = t.order.PushBack(&row[V]{key, value, now.Add(t.lifetime)})
}

func (t *table[V]) get(key string, now time.Time) (V, bool) {
	if element, ok := t.entries[key]; ok {
		if r := element.Value.(*row[V]); now.Before(r.expires) {
			return r.value, true
		}
		t.drop(key)
	}
	var none V
	return none, false
}

// touch begins the lifetime of an entry anew.
func (t *table[V]) touch(key string, now time.Time) {
	if element, ok := t.entries[key]; ok {
		element.Value.(*row[V]).expires = now.Add(t.lifetime)
		t.order.MoveToBack(element)
	}
}

func (t *table[V]) drop(key string) {
	element, ok := t.entries[key]
	if !ok {
		return
	}
	r := t.order.Remove(element).(*row[V])
	delete(t.entries, key)
	if t.gone != nil {
		t.gone(r.value)
	}
}

func (t *table[V]) sweep(now time.Time) {
	for t.order.Len() > 0 && !now.Before(t.oldest().expires) {
		t.drop(t.oldest().key)
	}
}

func (t *table[V]) oldest() *row[V] { return t.order.Front().Value.(*row[V]) }
