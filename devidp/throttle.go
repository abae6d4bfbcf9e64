package devidp

import (
	"crypto/sha256"
	"net/http"
	"net/netip"
	"time"
)

// failures are the recent failed logins, for one account or from one address. They are
// what the rate limit of logins counts.
type failures struct {
	count int
	until time.Time // before that no attempt is looked at
}

// Logins that may fail before the next attempt has to wait. Behind one address
// there can be many people.
const (
	freePerAccount = 5
	freePerAddress = 50
	maxWait        = time.Minute
)

// attempt checks a password, unless there were too many failures recently; then it
// returns how long to wait. The check is made under the lock, so a thousand guesses
// at the same time are counted like a thousand guesses one after the other.
func (s *state) attempt(account, address string, check func() bool) (bool, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if wait := max(waitOf(s.byAccount, account, now), waitOf(s.byAddress, address, now)); wait > 0 {
		return false, wait
	}
	if check() {
		// The address keeps its failures, or else one good account would be
		// enough to guess at all others.
		s.byAccount.drop(account)
		return true, 0
	}
	failed(s.byAccount, account, freePerAccount, now)
	failed(s.byAddress, address, freePerAddress, now)
	return false, 0
}

func waitOf(t *table[*failures], key string, now time.Time) time.Duration {
	f, ok := t.get(key, now)
	if !ok {
		return 0
	}
	return f.until.Sub(now)
}

// failed counts a failure. Beyond the free ones the wait doubles each time.
func failed(t *table[*failures], key string, free int, now time.Time) {
	f, ok := t.get(key, now)
	if !ok {
		f = &failures{}
		t.put(key, f, now)
	}
	t.touch(key, now)
	f.count++
	if over := f.count - free; over >= 0 {
		f.until = now.Add(min(time.Second<<min(over, 10), maxWait))
	}
}

// checkPassword returns whose name and password these are, or nil and perhaps
// how long to wait. It does the same work for a name that nobody has.
func (p *Provider) checkPassword(r *http.Request, d *directory, username, password string) (*account, time.Duration) {
	who := d.person(username)
	// A digest, so that a long name takes no more memory than a short one.
	key := sha256.Sum256([]byte(foldASCII(username)))
	ok, wait := p.state.attempt(string(key[:]), addressOf(r), func() bool { return who.verify(password) })
	switch {
	case ok:
		return who, 0
	case wait > 0:
		p.log.Warn("login refused: too many failures", "address", addressOf(r))
	case who != nil:
		p.log.Warn("login failed: wrong password", "user", who.username, "address", addressOf(r))
	default: // what was typed is not logged; it may be a password in the wrong field
		p.log.Warn("login failed: unknown user", "address", addressOf(r))
	}
	return nil, wait
}

// addressOf returns where a request comes from: an address, or the network of
// an IPv6 one, of which a single machine has billions.
func addressOf(r *http.Request) string {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return "unknown"
	}
	ip := from.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
