package profile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/library/client"
)

// margin is how long a stored token must still be good to be used, as in [client.Source].
const margin = 20 * time.Second

// ErrNoToken means a sign-in without its token.
var ErrNoToken = errors.New("the token of this sign-in is not where it was kept; sign in again")

// Source hands out the token of a server and keeps it fresh.
func (s *Store) Source(ctx context.Context, address string) (*client.Source, error) {
	_, secrets, err := s.load(ctx, address)
	if err != nil {
		return nil, err
	}
	return client.NewSource(secrets.Token, func(ctx context.Context, old client.Token) (client.Token, error) {
		return s.renew(ctx, address, old.Access)
	}), nil
}

// load reads the record of a server and its secrets, and makes sure that they belong together.
func (s *Store) load(ctx context.Context, address string) (Server, Secrets, error) {
	all, err := s.Servers()
	if err != nil {
		return Server{}, Secrets{}, err
	}
	server, found := all.Get(address)
	if !found {
		return Server{}, Secrets{}, ErrUnknown
	}
	secrets, err := s.keeperAt(server.Kept).get(ctx, address)
	if err == nil {
		err = secrets.belongTo(server)
	}
	switch {
	case errors.Is(err, errNoSecret), errors.Is(err, errForeign):
		return server, Secrets{}, ErrNoToken
	case errors.Is(err, errKeyring):
		return server, Secrets{}, fmt.Errorf("%w; unlock it, or sign in again with %s=%s in the environment", err, keyringVariable, keyringFile)
	}
	return server, secrets, err
}

var errClosed = errors.New("the program is ending")

// renew returns a good access token in place of old, expired or refused. If another process has
// renewed the token while this one waited for the lock, renew takes that token: the refresh token
// known here is used up.
func (s *Store) renew(ctx context.Context, address, old string) (client.Token, error) {
	// Nothing is lost by giving up before the refresh token has been shown.
	before, cancel := s.untilClosed(ctx)
	defer cancel()
	if s.isClosed() {
		return client.Token{}, errClosed
	}
	unlock, err := s.folder.lock(before, renewalLock(address))
	if err != nil {
		return client.Token{}, err
	}
	defer unlock()
	server, secrets, err := s.load(before, address)
	if errors.Is(err, ErrUnknown) || errors.Is(err, ErrNoToken) { // signed out meanwhile
		return client.Token{}, client.ErrSessionEnded
	}
	if err != nil {
		return client.Token{}, err
	}
	if t := secrets.Token; t.Access != old && (t.Expiry.IsZero() || s.now().Before(t.Expiry.Add(-margin))) {
		return t, nil
	}
	provider, err := client.Discover(before, server.Issuer, nil)
	if err != nil {
		return client.Token{}, err
	}
	if !s.closing.TryRLock() {
		return client.Token{}, errClosed
	}
	defer s.closing.RUnlock()
	next, err := ask(ctx, provider, server, secrets)
	if err != nil {
		return client.Token{}, err
	}
	// From here on the old refresh token is used up, so the new one is stored even if
	// the caller gives up.
	if err := s.store(context.WithoutCancel(ctx), server, secrets, next); err != nil {
		return client.Token{}, fmt.Errorf("the token was renewed but could not be stored, so you have to sign in again: %w", err)
	}
	return next, nil
}

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// untilClosed returns a context that ends with the store, too.
func (s *Store) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.closed:
			cancel(errClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// ask gets a new token from the provider.
func ask(ctx context.Context, provider *client.Provider, server Server, secrets Secrets) (client.Token, error) {
	if server.Kind == Service {
		if secrets.Token.Key != nil {
			provider = provider.WithKey(secrets.Token.Key)
		}
		return provider.ClientCredentials(ctx, secrets.Credentials(), server.Scopes...)
	}
	return provider.Refresh(ctx, secrets.Credentials(), secrets.Token)
}

// store puts a renewed token where the old one was, or into the file if the
// keyring has stopped working since.
func (s *Store) store(ctx context.Context, server Server, secrets Secrets, next client.Token) error {
	place, err := s.keep(ctx, server.Address, secretsOf(server, secrets.ClientSecret, next), server.Kept)
	if err != nil || place == server.Kept {
		return err
	}
	err = s.edit(ctx, func(all *Servers) error {
		i := all.at(server.Address)
		if i < 0 {
			return ErrUnknown
		}
		all.All[i].Kept = place
		return nil
	})
	s.leave(ctx, server, place)
	return err
}
