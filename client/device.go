package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// DeviceOptions configure a sign-in without a browser on this machine.
type DeviceOptions struct {
	// Client is the program. Its registration allows the device authorization
	// grant.
	Client Credentials

	// Scopes to ask for; openid is added.
	Scopes []string

	// For describes the library, as far as known.
	For Resource

	// Show shows the person the address and the code to type there. If it fails, so does the
	// sign-in.
	Show func(DevicePrompt) error
}

// DevicePrompt is the text for the person. All of it comes from the provider.
type DevicePrompt struct {
	Address  string    // where to type the code
	Code     string    // such as BCDF-GHJK
	Complete string    // the address with the code in it, "" if there is none
	Expiry   time.Time // of the code
}

// Bounds of a provider's demands.
const (
	maxDeviceInterval = 60 // seconds
	maxDeviceWait     = 30 * time.Minute
	maxUserCode       = 64
)

// SignInDevice gets a token for a person at the browser of another machine, by the device
// authorization grant (RFC 8628): the person goes to an address, signs in, types a code and
// agrees; meanwhile this program asks every few seconds.
//
// The error is an [ErrDenied] if the person did not agree, and a [context.DeadlineExceeded] if it
// took too long.
func (p *Provider) SignInDevice(ctx context.Context, o DeviceOptions) (Token, error) {
	t, err := p.signInDevice(ctx, o)
	if refused, ok := errors.AsType[*ProviderError](err); ok && refused.Code == "expired_token" {
		err = context.DeadlineExceeded
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = inWords(context.DeadlineExceeded, "%s: the code has expired; try again", signingIn)
	}
	return t, err
}

func (p *Provider) signInDevice(ctx context.Context, o DeviceOptions) (Token, error) {
	config, err := p.deviceConfig(o)
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", signingIn, err)
	}
	// PKCE is not part of RFC 8628, but Keycloak can require it.
	verifier := oauth2.GenerateVerifier()
	extra := append(o.For.parameters(), oauth2.S256ChallengeOption(verifier))
	if o.Client.Secret != "" { // oauth2 would leave it out
		extra = append(extra, oauth2.SetAuthURLParam("client_secret", o.Client.Secret))
	}
	began, err := config.DeviceAuth(p.context(ctx), extra...)
	if err != nil {
		return Token{}, grantError(signingIn, err)
	}
	prompt, err := readDevice(began, time.Now())
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", signingIn, err)
	}
	if err := o.Show(prompt); err != nil {
		return Token{}, fmt.Errorf("%s: the code could not be shown: %w", signingIn, err)
	}
	got, err := config.DeviceAccessToken(p.context(ctx), began, append(o.For.parameters(), oauth2.VerifierOption(verifier))...)
	if err != nil {
		return Token{}, grantError(signingIn, err)
	}
	t, err := newToken(got, Token{Scope: config.Scopes, Key: p.key}, time.Now())
	if err == nil {
		err = p.verifyID(ctx, o.Client.ID, t, "")
	}
	return wholeToken(signingIn, t, err)
}

// deviceConfig checks the options and the abilities of the provider.
func (p *Provider) deviceConfig(o DeviceOptions) (*oauth2.Config, error) {
	switch {
	case o.Show == nil:
		return nil, errors.New("there is no Show to show the code with")
	case p.meta.Device == "":
		return nil, errNoDevice
	}
	config, err := p.config(o.Client, withOpenID(o.Scopes))
	if err != nil {
		return nil, err
	}
	config.Endpoint.DeviceAuthURL = p.meta.Device
	return config, nil
}

var errNoDevice = errors.New("the identity provider does not offer signing in from another device; sign in with a browser on this machine")

// readDevice checks the provider's answer: printable texts and a bounded wait.
func readDevice(began *oauth2.DeviceAuthResponse, now time.Time) (DevicePrompt, error) {
	incomplete := errors.New("the answer of the identity provider has no code and address to show")
	code := began.UserCode
	if began.DeviceCode == "" || code == "" || len(code) > maxUserCode || strings.ContainsFunc(code, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return DevicePrompt{}, incomplete
	}
	if addressProblem(began.VerificationURI) != "" {
		return DevicePrompt{}, incomplete
	}
	if addressProblem(began.VerificationURIComplete) != "" {
		began.VerificationURIComplete = ""
	}
	if latest := now.Add(maxDeviceWait); began.Expiry.IsZero() || began.Expiry.After(latest) {
		began.Expiry = latest
	}
	began.Interval = min(max(began.Interval, 0), maxDeviceInterval)
	return DevicePrompt{
		Address: began.VerificationURI, Code: code, Complete: began.VerificationURIComplete, Expiry: wallClock(began.Expiry),
	}, nil
}
