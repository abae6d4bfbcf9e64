package main

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/client"
)

// reply is an answer that the doctor got.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// maxReply is enough for a discovery document and a key set.
const maxReply = 256 << 10

// get fetches an address, without any token, and reads the clock of whoever
// answers.
func (x *examination) get(ctx context.Context, whose, address string) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return reply{}, errors.New("it is not an address")
	}
	r.Header.Set("Accept", "application/json")
	began := time.Now()
	resp, err := x.http.Do(r)
	if err != nil {
		var sent *url.Error
		if errors.As(err, &sent) {
			err = sent.Err
		}
		return reply{}, err
	}
	defer resp.Body.Close()
	middle := began.Add(time.Since(began) / 2)
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return reply{}, err
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && whose != "" {
		// A date has no fractions of a second: on the average half of one is missing.
		x.clocks = append(x.clocks, clockReading{whose, date.Add(time.Second / 2).Sub(middle)})
	}
	return reply{resp.StatusCode, resp.Header, body}, nil
}

// checkServer looks whether the library answers. It asks for a token in its own
// way, and nothing else does.
func (x *examination) checkServer(ctx context.Context) bool {
	const check = "server"
	got, err := x.get(ctx, "the server", x.address+"/me")
	challenge := got.header.Get("WWW-Authenticate")
	switch {
	case err != nil:
		x.bad(check, fmt.Sprintf("%s does not answer (%v)", x.address, err), "Check the address and that the library runs there.")
	case got.status == http.StatusUnauthorized && challenge == "Bearer":
		x.ok(check, x.address+" answers, and wants a token")
		return true
	case got.status == http.StatusUnauthorized && strings.HasPrefix(challenge, "Basic"):
		x.bad(check, x.address+" wants a password instead of a token", "Whoever runs it has to start it without --auth basic.")
	case got.status >= 300 && got.status < 400:
		x.bad(check, x.address+" redirects somewhere else", "Check the address; perhaps a proxy is in front of the library, or it is https.")
	default:
		x.bad(check, fmt.Sprintf("what answers at %s is not the library (status %d)", x.address, got.status),
			"Check the address, with its path, such as /library-server.")
	}
	return false
}

// checkProvider looks at the provider, its name and its keys.
func (x *examination) checkProvider(ctx context.Context) {
	const check = "provider"
	if x.issuer == "" {
		x.bad(check, "it is not known which identity provider the library trusts", "Name it with --issuer.")
		return
	}
	address := strings.TrimSuffix(x.issuer, "/") + "/.well-known/openid-configuration"
	got, err := x.get(ctx, "the identity provider", address)
	switch {
	case err != nil:
		x.bad(check, fmt.Sprintf("%s does not answer (%v)", x.issuer, err), "Check the issuer and that the identity provider runs.")
		return
	case got.status != http.StatusOK:
		x.bad(check, fmt.Sprintf("%s is not there (status %d)", address, got.status), "Check the issuer, with its path.")
		return
	}
	x.ok(check, x.issuer+" answers")
	if _, err := client.Discover(ctx, x.issuer, nil); err != nil {
		x.bad("issuer", strings.TrimPrefix(err.Error(), "discovery at "+address+": "),
			"Use the same spelling for 'library login --issuer' and for the --issuer of the server.")
		return
	}
	x.ok("issuer", "the provider calls itself exactly that")
	var document struct {
		Keys string `json:"jwks_uri"`
	}
	if json.Unmarshal(got.body, &document) == nil {
		x.checkKeys(ctx, document.Keys)
	}
}

// checkKeys looks whether tokens can be verified.
func (x *examination) checkKeys(ctx context.Context, address string) {
	const check = "keys"
	got, err := x.get(ctx, "", address)
	if err != nil || got.status != http.StatusOK {
		x.bad(check, fmt.Sprintf("the key set at %s cannot be had (%s)", address, whyNot(got.status, err)),
			"The identity provider has to be repaired, or a proxy in front of it opened.")
		return
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(got.body, &set) != nil {
		x.bad(check, "what is at "+address+" is not a key set", "The identity provider has to be repaired.")
		return
	}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && usable(key) {
			x.keys = append(x.keys, key.KeyID)
		}
	}
	if len(x.keys) == 0 {
		x.bad(check, "the key set has no key that verifies signatures", "The identity provider has to publish one.")
		return
	}
	x.ok(check, fmt.Sprintf("%s of the provider can be used", plural(len(x.keys), "key")))
}

// usable reports whether the library would use a key, as far as that is easily
// said.
func usable(key jose.JSONWebKey) bool {
	const leastBits = 2048
	if public, ok := key.Key.(*rsa.PublicKey); ok && public.N.BitLen() < leastBits {
		return false
	}
	return key.Valid() && key.IsPublic() && key.Use != "enc"
}

func whyNot(status int, err error) string {
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("status %d", status)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// mostDrift is the difference between two clocks that does no harm.
const mostDrift = 5 * time.Second

// checkClock compares the clocks: a token is good at certain times only.
func (x *examination) checkClock() {
	if len(x.clocks) == 0 {
		return // nobody answered
	}
	worst := slices.MaxFunc(x.clocks, func(a, b clockReading) int { return int(a.ahead.Abs() - b.ahead.Abs()) })
	if worst.ahead.Abs() <= mostDrift {
		x.ok("clock", "right to within 5 seconds")
		return
	}
	direction := "ahead of"
	if worst.ahead < 0 {
		direction = "behind"
	}
	x.bad("clock", fmt.Sprintf("the clock of %s is %s %s that of this machine", worst.whose, duration(worst.ahead.Abs()), direction),
		"Set the clocks, or good tokens look as if they had expired or were not valid yet.")
}
