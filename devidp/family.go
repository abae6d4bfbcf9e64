package devidp

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// family is the result of one grant: a refresh token, replaced at each use, and the access tokens
// beside it. Only one refresh token of a family is good at a time, the one with its current
// number.
type family struct {
	id        string // stands in jti and refresh tokens; no secret
	sessionID string
	user      string
	authTime  time.Time
	client    string
	asked     []string // scopes that were asked for and that the provider knows
	granted   []string // scopes at the beginning
	number    int

	thumbprint string // of the key that a public client's refresh token is bound to; "" for none

	offline bool // it has no session, and is in an offline token alone

	session *session // not to be looked at outside of state
	code    string   // that it was given for, "" if there was none
}

// newFamily begins a family in a live session. The lock is held.
func (s *state) newFamily(sess *session, client string, asked, granted []string) *family {
	now := s.now()
	f := &family{
		id: randomText(), sessionID: sess.id, user: sess.user, authTime: sess.authTime,
		client: client, asked: asked, granted: granted, number: 1, session: sess,
	}
	sess.families = append(sess.families, f)
	sess.clients[client] = true
	s.families.put(f.id, f, now)
	s.sessions.touch(sess.id, now)
	return f
}

// familyGone cleans up after a family has left the table.
func (s *state) familyGone(f *family) {
	f.session.families = slices.DeleteFunc(f.session.families, func(other *family) bool { return other == f })
	delete(s.redeemed, f.code)
}

// refreshToken is a parsed refresh token: the name of its family and its number in it. Its seal,
// made only by this process, keeps others from inventing one and so ending a family by its name.
type refreshToken struct {
	family string
	number int
}

func (k seal) refreshToken(family string, number int) string {
	body := family + "." + strconv.Itoa(number)
	return body + "." + k.of("refresh token", body)
}

func (k seal) parseRefreshToken(token string) (refreshToken, bool) {
	body, mac, ok := cutLast(token, ".")
	if !ok || !k.is(mac, "refresh token", body) {
		return refreshToken{}, false
	}
	id, digits, _ := cutLast(body, ".")
	number, err := strconv.Atoi(digits)
	return refreshToken{family: id, number: number}, err == nil
}

func cutLast(s, separator string) (string, string, bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// outcome is the result of using a code or a refresh token.
type outcome int

const (
	refused outcome = iota // unknown, expired, somebody else's
	reused                 // used before: what it gave has been ended
	accepted
)

// refresh uses up a refresh token and gives its family the next number. The check is made before
// anything changes, so a request that is merely wrong does not cost the family. Using a token
// again ends all tokens of the session: one of its two holders is a thief, and nobody knows which.
func (s *state) refresh(token refreshToken, client string, check func(family) *oauthError) (family, outcome, *oauthError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	f, ok := s.families.get(token.family, now)
	if !ok || f.client != client {
		return family{}, refused, nil
	}
	if token.number != f.number {
		s.endFamilies(f.session)
		return family{}, reused, nil
	}
	if refusal := check(*f); refusal != nil {
		return family{}, refused, refusal
	}
	f.number++
	s.families.touch(f.id, now)
	s.sessions.touch(f.session.id, now)
	return *f, accepted, nil
}

// familyOf returns the family with the id while it is alive.
func (s *state) familyOf(id string) (family, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.families.get(id, s.now()); ok {
		return *f, true
	}
	return family{}, false
}

// endFamily ends a family if it belongs to the client.
func (s *state) endFamily(id, client string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.families.get(id, s.now())
	if !ok || f.client != client {
		return false
	}
	s.families.drop(id)
	return true
}

// alive reports whether an access token has been neither revoked itself nor
// ended with its family. One of a client's own account has no family.
func (s *state) alive(jti string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if _, gone := s.revoked.get(jti, now); gone {
		return false
	}
	id, _, inFamily := strings.Cut(jti, ".")
	if !inFamily {
		return true
	}
	_, ok := s.families.get(id, now)
	return ok
}
