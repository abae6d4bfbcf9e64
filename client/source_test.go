package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// mint is a provider without HTTP: it numbers the tokens that it gives.
type mint struct {
	count atomic.Int64
	life  time.Duration
	hold  chan struct{} // renewals wait for it, if there is one
	err   error
}

func (m *mint) renew(ctx context.Context, old Token) (Token, error) {
	n := m.count.Add(1)
	if m.hold != nil {
		<-m.hold
	}
	if m.err != nil || ctx.Err() != nil {
		return Token{}, errors.Join(m.err, ctx.Err())
	}
	return Token{Access: fmt.Sprint("access", n), Refresh: fmt.Sprint("refresh", n), Expiry: noon.Add(m.life)}, nil
}

// sourceAt is a source at noon whose token expires so much later.
func sourceAt(m *mint, left time.Duration) *Source {
	s := NewSource(Token{Access: "access0", Refresh: "refresh0", Expiry: noon.Add(left)}, m.renew)
	s.now = func() time.Time { return noon }
	return s
}

func TestATokenIsRenewedWhenFewerThanTwentySecondsAreLeft(t *testing.T) {
	t.Parallel()
	for left, want := range map[time.Duration]string{
		time.Hour:                        "access0",
		20*time.Second + time.Nanosecond: "access0",
		20 * time.Second:                 "access1",
		19 * time.Second:                 "access1",
		-time.Hour:                       "access1",
	} {
		s := sourceAt(&mint{life: time.Hour}, left)
		for range 3 {
			if got, err := s.Token(t.Context()); err != nil || got.Access != want {
				t.Errorf("%v left: %q, %v", left, got.Access, err)
			}
		}
	}
}

func TestATokenWithoutAnEndIsKept(t *testing.T) {
	t.Parallel()
	m := &mint{}
	s := NewSource(Token{Access: "forever"}, m.renew)
	if got, err := s.Token(t.Context()); err != nil || got.Access != "forever" || m.count.Load() != 0 {
		t.Errorf("%q, %v, renewed %d times", got.Access, err, m.count.Load())
	}
}

func TestATokenWithAShortLifeIsNotRenewedAtEachCall(t *testing.T) {
	t.Parallel()
	m := &mint{life: 10 * time.Second}
	s := sourceAt(m, 0)
	for range 5 {
		if _, err := s.Token(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Equal(t, m.count.Load(), 1, "renewals")
}

func TestFiftyCallersShareOneRefresh(t *testing.T) {
	t.Parallel()
	i := startIDP(t)
	p := discover(t, i.Issuer)
	old := personToken(t, p)
	old.Expiry = time.Now()
	s := NewSource(old, func(ctx context.Context, old Token) (Token, error) { return p.Refresh(ctx, service, old) })
	tokens := make([]string, 50)
	var wg sync.WaitGroup
	for n := range tokens {
		wg.Go(func() {
			token, err := s.Token(t.Context())
			if err != nil {
				t.Error(err)
			}
			tokens[n] = token.Access
		})
	}
	wg.Wait()
	if len(slices.Compact(tokens)) != 1 || tokens[0] == "" || tokens[0] == old.Access {
		t.Error("not all got the same new token")
	}
	testkit.Equal(t, i.Refreshes.Load(), 1, "requests")
}

func TestARenewalOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	m := &mint{life: time.Hour, hold: make(chan struct{})}
	s := sourceAt(m, 0)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := s.Token(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who left got %v", err)
	}
	close(m.hold)
	if got, err := s.Token(t.Context()); err != nil || got.Access != "access1" {
		t.Errorf("the caller who came then got %q, %v", got.Access, err)
	}
	testkit.Equal(t, m.count.Load(), 1, "renewals")
}

func TestAFailedRenewalIsTriedAgain(t *testing.T) {
	t.Parallel()
	m := &mint{life: time.Hour, err: errors.New("no network")}
	s := sourceAt(m, 0)
	if _, err := s.Token(t.Context()); !errors.Is(err, m.err) {
		t.Errorf("got %v", err)
	}
	m.err = nil
	if got, err := s.Token(t.Context()); err != nil || got.Access != "access2" {
		t.Errorf("got %q, %v", got.Access, err)
	}
}

func TestAnEndedSessionIsSaidToHaveEndedAndNotAskedAboutAgain(t *testing.T) {
	t.Parallel()
	i := startIDP(t)
	p := discover(t, i.Issuer)
	old := personToken(t, p)
	if _, err := p.Refresh(t.Context(), service, old); err != nil {
		t.Fatal(err)
	}
	old.Expiry = time.Now()
	s := NewSource(old, func(ctx context.Context, old Token) (Token, error) { return p.Refresh(ctx, service, old) })
	for range 3 {
		if _, err := s.Token(t.Context()); !errors.Is(err, ErrSessionEnded) {
			t.Errorf("got %v", err)
		}
	}
	testkit.Equal(t, i.Refreshes.Load(), 2, "requests")
}

func TestASourceWithoutATokenAsksForOneAtFirstUse(t *testing.T) {
	t.Parallel()
	p := discover(t, startIDP(t).Issuer)
	s := NewSource(Token{}, func(ctx context.Context, _ Token) (Token, error) { return p.ClientCredentials(ctx, service) })
	first, err := s.Token(t.Context())
	testkit.NoError(t, err)
	if again, err := s.Token(t.Context()); err != nil || again.Access != first.Access || first.Access == "" {
		t.Errorf("%v", err)
	}
	s.now = func() time.Time { return time.Now().Add(290 * time.Second) }
	if next, err := s.Token(t.Context()); err != nil || next.Access == first.Access {
		t.Errorf("%v", err)
	}
}

func TestAStaticTokenEnds(t *testing.T) {
	t.Parallel()
	s := StaticSource(Token{Access: "a", Refresh: "r", Expiry: noon.Add(time.Hour)})
	s.now = func() time.Time { return noon }
	if got, err := s.Token(t.Context()); err != nil || got.Access != "a" {
		t.Errorf("got %v", err)
	}
	s.now = func() time.Time { return noon.Add(time.Hour) }
	if _, err := s.Token(t.Context()); !errors.Is(err, ErrSessionEnded) {
		t.Errorf("got %v", err)
	}
}
