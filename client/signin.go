package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// SignInOptions configure a sign-in.
type SignInOptions struct {
	// Client is the program. It is registered with the redirect address
	// http://127.0.0.1/callback, on any port.
	Client Credentials

	// Scopes to ask for; openid is added.
	Scopes []string

	// For describes the library, as far as known.
	For Resource

	// Open gets the address for signing in, to show it or to open a browser with it. Nothing is
	// opened otherwise. It is called on a goroutine of its own and may wait for the browser to
	// end; SignIn does not wait for it. If it fails, so does the sign-in.
	Open func(url string) error

	// Launch, possibly nil, is for programs that start a browser. It gets an address on this
	// machine that redirects to Open's, once. Open's address has a secret in it, and every user of
	// the machine can read the arguments of programs, and with the secret could sign the person in
	// as somebody else. If Launch fails, Open is called.
	Launch func(url string) error

	// Short, possibly nil, gets a short, typable address on this machine that redirects to Open's,
	// before Open and Launch are called. It can be visited more than once; it is for the person
	// alone.
	Short func(url string)

	// Timeout is how long the person may take, 0 is 5 minutes.
	Timeout time.Duration
}

const signInTimeout = 5 * time.Minute

const signingIn = "signing in"

// SignIn gets a token for the person at the browser, by the authorization code flow with PKCE (RFC
// 8252, RFC 7636): the person signs in at the provider, and the provider sends the browser back to
// this machine with a code. The answer must belong to this very request, and the ID token is
// verified.
//
// The error is an [ErrDenied] if the person did not consent, and a [context.DeadlineExceeded] if
// it took too long.
func (p *Provider) SignIn(ctx context.Context, o SignInOptions) (Token, error) {
	config, err := p.signInConfig(o)
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", signingIn, err)
	}
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = signInTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	back, err := listen(ctx, p.meta)
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", signingIn, err)
	}
	config.RedirectURL = back.address

	t, err := p.signIn(ctx, o, config, back)
	back.finish(err)
	return t, err
}

// signInConfig checks the options and the abilities of the provider.
func (p *Provider) signInConfig(o SignInOptions) (*oauth2.Config, error) {
	switch {
	case o.Open == nil:
		return nil, errors.New("there is no Open to show the address with")
	case p.meta.Authorization == "":
		return nil, errors.New("the identity provider has no page to sign in at")
	case len(p.meta.Challenges) > 0 && !slices.Contains(p.meta.Challenges, "S256"):
		return nil, errors.New("the identity provider does not support PKCE with S256")
	}
	return p.config(o.Client, withOpenID(o.Scopes))
}

func withOpenID(scopes []string) []string {
	if slices.Contains(scopes, oidc.ScopeOpenID) {
		return scopes
	}
	return append(slices.Clone(scopes), oidc.ScopeOpenID)
}

// open shows the person the address, or starts a browser with it.
func (o SignInOptions) open(back *callback, address string) error {
	if o.Short != nil {
		o.Short(back.shorten(address))
	}
	if o.Launch != nil && o.Launch(back.leadTo(address)) == nil {
		return nil
	}
	return o.Open(address)
}

// signIn sends the person to the provider, waits for the code and redeems it.
func (p *Provider) signIn(ctx context.Context, o SignInOptions, config *oauth2.Config, back *callback) (Token, error) {
	nonce, verifier := rand.Text(), oauth2.GenerateVerifier()
	address := config.AuthCodeURL(back.state, append(o.For.parameters(), oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))...)
	opened := make(chan error, 1)
	go func() { opened <- o.open(back, address) }()
	code, err := back.wait(ctx, opened)
	if err != nil {
		return Token{}, err
	}
	got, err := config.Exchange(p.context(ctx), code, append(o.For.parameters(), oauth2.VerifierOption(verifier))...)
	if err != nil {
		return Token{}, grantError(signingIn, err)
	}
	t, err := newToken(got, Token{Scope: config.Scopes, Key: p.key}, time.Now())
	if err == nil {
		err = p.verifyID(ctx, o.Client.ID, t, nonce)
	}
	return wholeToken(signingIn, t, err)
}
