package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Source hands out a token and renews it before it expires. It is safe for concurrent use: callers
// wait for a renewal under way, and it goes on if they give up.
//
// A token with a refresh token belongs to one Source at a time: two renewing the same one look
// like a thief to the provider, and it ends the session. Programs sharing a stored token have to
// hold a lock from reading it until Token has returned.
type Source struct {
	renew func(context.Context, Token) (Token, error)
	now   func() time.Time
	fixed bool // there is no renewal

	mu       sync.Mutex
	token    Token
	renewAt  time.Time // zero if the token is not known to expire
	refused  string    // an access token to be replaced although it looks good
	useless  string    // one that was refused right after it came: another would be, too
	ended    error     // why there will be no other token
	renewing *renewal  // nil if there is none
}

// renewal is a renewal under way, owned by none of its waiters.
type renewal struct {
	done  chan struct{} // closed when the rest is known
	token Token
	err   error
}

// margin is how long a token must still be good, so that it arrives before it expires.
const margin = 20 * time.Second

// NewSource keeps a token fresh by a renewal of the caller's own. The renewal gets the expiring
// token and has to store the new one itself. Programs sharing a stored token hold a lock in it.
func NewSource(t Token, renew func(context.Context, Token) (Token, error)) *Source {
	s := &Source{renew: renew, now: time.Now, token: t}
	if !t.Expiry.IsZero() {
		s.renewAt = t.Expiry.Add(-margin)
	}
	return s
}

// StaticSource hands out a token without renewals.
func StaticSource(t Token) *Source {
	t.Refresh = ""
	s := NewSource(t, func(context.Context, Token) (Token, error) { return Token{}, ErrSessionEnded })
	s.fixed = true
	return s
}

// Token returns a token good for a while yet. The error is an [ErrSessionEnded] if there will be
// none without a new sign-in.
func (s *Source) Token(ctx context.Context) (Token, error) {
	s.mu.Lock()
	if s.ended != nil || s.fresh() {
		defer s.mu.Unlock()
		return s.token, s.ended
	}
	if s.renewing == nil {
		s.renewing = &renewal{done: make(chan struct{})}
		go s.run(s.renewing)
	}
	r := s.renewing
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.token, r.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Token{}, inWords(ctx.Err(), "the token was not renewed in time")
		}
		return Token{}, fmt.Errorf("waiting for a token: %w", ctx.Err())
	}
}

// fresh reports whether the token can be handed out as it is. The lock is held.
func (s *Source) fresh() bool { return s.looksGood() && s.token.Access != s.refused }

func (s *Source) looksGood() bool {
	return s.token.Access != "" && (s.renewAt.IsZero() || s.now().Before(s.renewAt))
}

// another returns a token in place of one refused by the service although it looks good here: its
// expiry is unknown, or it was revoked. It reports whether there is one.
func (s *Source) another(ctx context.Context, refused Token) (Token, bool) {
	s.mu.Lock()
	if s.fixed || s.useless == refused.Access {
		s.mu.Unlock()
		return Token{}, false
	}
	if s.token.Access == refused.Access { // else somebody else was faster
		s.refused = refused.Access
	}
	s.mu.Unlock()
	next, err := s.Token(ctx)
	return next, err == nil && next.Access != refused.Access
}

// refusedAgain notes the refusal of a token that has just replaced another.
func (s *Source) refusedAgain(t Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.useless = t.Access
}

// run carries out a renewal, with a deadline independent of any caller's. There is one at a time,
// so nobody else changes the token.
func (s *Source) run(r *renewal) {
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	s.mu.Lock()
	old := s.token
	s.mu.Unlock()
	r.token, r.err = s.renew(ctx, old)
	s.mu.Lock()
	if r.err == nil {
		s.put(r.token)
	} else {
		r.token = Token{}
	}
	s.renewing, s.refused = nil, ""
	if errors.Is(r.err, ErrSessionEnded) && !s.looksGood() {
		s.ended, s.token = r.err, Token{}
	}
	s.mu.Unlock()
	close(r.done)
}

// put replaces the token. The lock is held.
func (s *Source) put(t Token) {
	s.token, s.renewAt = t, time.Time{}
	if !t.Expiry.IsZero() {
		// Half of a very short life, or each call would renew it.
		early := min(margin, max(0, t.Expiry.Sub(s.now())/2))
		s.renewAt = t.Expiry.Add(-early)
	}
}
