package devidp

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// session is a login known to the provider. Code outside of state gets copies and must not use
// their families and consents.
type session struct {
	id       string // a UUID: sid and session_state; no secret
	user     string // user name
	authTime time.Time

	browser   string          // the secret in the cookie, "" if no browser was involved
	families  []*family       // oldest first
	consented map[string]bool // by client
	clients   map[string]bool // that have tokens of it
}

// startSession stores a login in a browser and returns the secret for its cookie, always a new
// one: a secret planted in a browser beforehand is worth nothing (session fixation). If the same
// person was logged in there, the session goes on; if another was, it ends.
func (s *state) startSession(user, oldBrowser string) session {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.sessions.sweep(now)
	sess := s.browsers[oldBrowser]
	if sess != nil && sess.user != user {
		s.sessions.drop(sess.id)
		sess = nil
	}
	if sess == nil {
		sess = s.newSession(user, now)
	}
	delete(s.browsers, sess.browser)
	sess.authTime, sess.browser = now, randomText()
	s.browsers[sess.browser] = sess
	s.sessions.touch(sess.id, now)
	return *sess
}

// startFamily stores a login without a browser, and its family.
func (s *state) startFamily(user, client string, asked, granted []string) family {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.newFamily(s.newSession(user, s.now()), client, asked, granted)
}

func (s *state) newSession(user string, now time.Time) *session {
	sess := &session{id: uuid.NewString(), user: user, authTime: now, consented: map[string]bool{}, clients: map[string]bool{}}
	s.sessions.put(sess.id, sess, now)
	return sess
}

// browserSession returns the session of a cookie's secret and marks it as used.
func (s *state) browserSession(secret string) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	sess := s.browsers[secret]
	if sess == nil {
		return session{}, false
	}
	if _, alive := s.sessions.get(sess.id, now); !alive || now.Sub(sess.authTime) >= loginLifetime {
		return session{}, false
	}
	s.sessions.touch(sess.id, now)
	return *sess, true
}

// endSession ends a session and all of its tokens. It returns the session, if there was one.
func (s *state) endSession(id string) (session, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.sessions.get(id, s.now())
	if !ok {
		return session{}, false
	}
	s.sessions.drop(id)
	return *sess, true
}

// sessionGone cleans up after a session has left the table.
func (s *state) sessionGone(sess *session) {
	delete(s.browsers, sess.browser)
	s.endFamilies(sess)
}

func (s *state) endFamilies(sess *session) {
	for _, f := range slices.Clone(sess.families) {
		s.families.drop(f.id)
	}
}

func (s *state) hasConsent(id, client string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess, ok := s.sessions.get(id, s.now())
	return ok && sess.consented[client]
}

func (s *state) giveConsent(id, client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sess, ok := s.sessions.get(id, s.now()); ok {
		sess.consented[client] = true
	}
}

// code is an authorization code with everything it is bound to.
type code struct {
	client      string
	redirectURI string
	challenge   string // PKCE, S256; "" if the client did without
	nonce       string
	asked       []string
	user        string
	sessionID   string
	authTime    time.Time
}

// newCode stores a code and returns its text.
func (s *state) newCode(c code) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := randomText()
	s.codes.put(text, &c, s.now())
	return text
}

// redeem turns a code into a family. A failed check uses up the code, too, so a thief without the
// matching secrets gets one guess. Using a code again ends its family.
func (s *state) redeem(text string, check func(code) ([]string, *oauthError)) (family, code, outcome, *oauthError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	c, ok := s.codes.get(text, now)
	if !ok {
		if id, used := s.redeemed[text]; used {
			s.families.drop(id)
			s.ended.put(id, struct{}{}, now)
			return family{}, code{}, reused, nil
		}
		return family{}, code{}, refused, nil
	}
	s.codes.drop(text)
	granted, refusal := check(*c)
	if refusal != nil {
		return family{}, code{}, refused, refusal
	}
	sess, ok := s.sessions.get(c.sessionID, now)
	if !ok {
		return family{}, code{}, refused, nil
	}
	f := s.newFamily(sess, c.client, c.asked, granted)
	f.authTime, f.code = c.authTime, text
	s.redeemed[text] = f.id
	return *f, *c, accepted, nil
}
