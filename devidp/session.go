package devidp

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// session is a login that the provider remembers. Code outside of state gets copies,
// whose families and consents must not be used.
type session struct {
	id       string // a UUID: sid and session_state; no secret
	user     string // user name
	authTime time.Time

	browser   string          // the secret in the cookie, "" if no browser was involved
	families  []*family       // oldest first
	consented map[string]bool // by client
}

// startSession remembers a login in a browser and returns the secret for its
// cookie, which is always a new one: a secret that was planted in a browser
// beforehand is worth nothing (session fixation). If the same person was
// logged in there, the session goes on; if another was, it ends.
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

// startFamily remembers a login without a browser, and what it gave.
func (s *state) startFamily(user, client string, asked, granted []string) family {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.newFamily(s.newSession(user, s.now()), client, asked, granted)
}

func (s *state) newSession(user string, now time.Time) *session {
	if mine := s.byUser[user]; len(mine) >= maxSessionsPerUser {
		s.sessions.drop(mine[0].id)
	}
	sess := &session{id: uuid.NewString(), user: user, authTime: now, consented: map[string]bool{}}
	s.byUser[user] = append(s.byUser[user], sess)
	s.sessions.put(sess.id, sess, now)
	return sess
}

// browserSession returns the session that a cookie's secret belongs to and
// marks it as used.
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

// endSession ends a session and every token that was given in it.
func (s *state) endSession(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions.drop(id)
}

// sessionGone cleans up after a session that has left the table.
func (s *state) sessionGone(sess *session) {
	delete(s.browsers, sess.browser)
	mine := slices.DeleteFunc(s.byUser[sess.user], func(other *session) bool { return other == sess })
	if s.byUser[sess.user] = mine; len(mine) == 0 {
		delete(s.byUser, sess.user)
	}
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
