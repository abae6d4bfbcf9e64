package devidp

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"
)

// device is a sign-in of a program whose person is at another machine's browser
// (RFC 8628).
type device struct {
	client   string
	address  string // it was asked for from there
	userCode string
	asked    []string
	interval time.Duration // the program asks no more often than that
	polled   time.Time     // when it last asked

	decision decision
	user     string // who decided
	authTime time.Time
}

type decision int

const (
	pending decision = iota
	allowed
	denied
)

const (
	deviceLifetime = 10 * time.Minute
	deviceInterval = 2 * time.Second
	slowDownBy     = 5 * time.Second // RFC 8628, section 3.5
	maxInterval    = time.Minute
	pollSlack      = time.Second // for what the network does to a rhythm

	// One address cannot use up the places of all others. Behind one there can be
	// many people.
	maxDevices           = 10_000
	maxDevicesPerAddress = 100
)

// userCodeLetters have no vowels, so that they spell no words, and none that
// look like a digit (RFC 8628, section 6.1).
const (
	userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ"
	userCodeLength  = 8
)

func newUserCode() string {
	var code []byte
	for len(code) < userCodeLength {
		var b [1]byte
		rand.Read(b[:]) // never fails
		// 240 is twelve times the letters: each is as likely as the others.
		if b[0] < 240 {
			code = append(code, userCodeLetters[int(b[0])%len(userCodeLetters)])
		}
	}
	return string(code)
}

// showUserCode spells a code as people read it.
func showUserCode(code string) string {
	return code[:userCodeLength/2] + "-" + code[userCodeLength/2:]
}

// parseUserCode reads a code as people type it: in any case, with spaces and
// dashes anywhere.
func parseUserCode(typed string) (string, bool) {
	const longest = 64
	if len(typed) > longest {
		return "", false
	}
	var code []byte
	for _, r := range typed {
		switch {
		case strings.ContainsRune(" -_.\t\u2010\u2011\u2013\u2014\u00a0", r):
			continue
		case 'a' <= r && r <= 'z':
			r -= 'a' - 'A'
		}
		if !strings.ContainsRune(userCodeLetters, r) {
			return "", false
		}
		code = append(code, byte(r))
	}
	return string(code), len(code) == userCodeLength
}

// beginDevice remembers that a program at an address has begun a sign-in. When too many
// wait, a new one is refused, so that it does not push out those that wait.
func (s *state) beginDevice(client, address string, asked []string) (id, userCode string, err *oauthError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.devices.sweep(now)
	switch {
	case s.devicesFrom[address] >= maxDevicesPerAddress:
		return "", "", tooManyDevices(http.StatusTooManyRequests, "slow_down", "Too many sign-ins from your address are waiting for a decision; try again later")
	case len(s.devices.entries) >= maxDevices:
		return "", "", tooManyDevices(http.StatusServiceUnavailable, "temporarily_unavailable", "Too many sign-ins are waiting for a decision; try again later")
	}
	for userCode == "" || s.userCodes[userCode] != "" {
		userCode = newUserCode()
	}
	id = randomText()
	s.userCodes[userCode] = id
	s.devicesFrom[address]++
	s.devices.put(id, &device{client: client, address: address, userCode: userCode, asked: asked, interval: deviceInterval}, now)
	return id, userCode, nil
}

func tooManyDevices(status int, code, description string) *oauthError {
	e := refuse(code, description)
	e.status, e.retryAfter = status, maxInterval
	return e
}

func (s *state) deviceGone(d *device) {
	delete(s.userCodes, d.userCode)
	if s.devicesFrom[d.address]--; s.devicesFrom[d.address] == 0 {
		delete(s.devicesFrom, d.address)
	}
}

// waitingDevice returns the sign-in that waits for a decision under a code. The
// lock is held.
func (s *state) waitingDevice(userCode string) *device {
	d, ok := s.devices.get(s.userCodes[userCode], s.now())
	if !ok || d.decision != pending {
		return nil
	}
	return d
}

// findDevice looks for a code that somebody typed. Wrong ones are slowed down
// like wrong passwords.
func (s *state) findDevice(user, address, userCode string) (device, bool, time.Duration) {
	var found device
	ok, wait := s.attempt("device code of "+user, address, func() bool {
		d := s.waitingDevice(userCode)
		if d != nil {
			found = *d
		}
		return d != nil
	})
	return found, ok, wait
}

// decideDevice takes the decision of the person. It is false if there is
// nothing to decide any more.
func (s *state) decideDevice(userCode string, d decision, sess session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.waitingDevice(userCode)
	if waiting == nil {
		return false
	}
	waiting.decision, waiting.user, waiting.authTime = d, sess.user, sess.authTime
	return true
}

// pollDevice turns a sign-in that was allowed into a family, in a session of its
// own: it is another machine than the one with the browser. A decision can be
// fetched once.
func (s *state) pollDevice(id string, check func(device) ([]string, *oauthError)) (family, *oauthError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	d, ok := s.devices.get(id, now)
	if !ok {
		return family{}, errBadDeviceCode()
	}
	if d.decision == pending {
		return family{}, d.tooEarly(now)
	}
	s.devices.drop(id)
	if d.decision == denied {
		return family{}, refuse("access_denied", "The user has denied access")
	}
	granted, refusal := check(*d)
	if refusal != nil {
		return family{}, refusal
	}
	f := s.newFamily(s.newSession(d.user, now), d.client, d.asked, granted)
	f.authTime = d.authTime
	return *f, nil
}

// tooEarly answers a program that asks before there is a decision.
func (d *device) tooEarly(now time.Time) *oauthError {
	last := d.polled
	d.polled = now
	if !last.IsZero() && now.Sub(last) < d.interval-pollSlack {
		d.interval = min(d.interval+slowDownBy, maxInterval)
		return refuse("slow_down", "Ask less often")
	}
	return refuse("authorization_pending", "The user has not decided yet")
}
