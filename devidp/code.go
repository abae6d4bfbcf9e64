package devidp

import "time"

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

// newCode remembers what a code stands for.
func (s *state) newCode(c code) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := randomText()
	s.codes.put(text, &c, s.now())
	return text
}

// redeem turns a code into a family. The code is used up also if the check fails, so a
// thief who has the code without the secrets that go with it gets one guess.
// Using a code again ends the family that it gave.
func (s *state) redeem(text string, check func(code) ([]string, *oauthError)) (family, code, outcome, *oauthError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	c, ok := s.codes.get(text, now)
	if !ok {
		if id, used := s.redeemed[text]; used {
			s.families.drop(id)
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
