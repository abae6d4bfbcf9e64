package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"example.org/library/api"
)

// Resource is the library's description of itself before a sign-in.
type Resource struct {
	Address  string   // what it calls itself, for the parameter resource; "" if it says nothing
	Issuer   string   // of the identity provider; "" if it does not say
	Scopes   []string // to ask the provider for
	Audience string   // for the parameter audience; "" for none
	DPoP     bool     // it takes tokens that are bound to a key
}

// resourceTimeout is how long a sign-in may wait for it.
const resourceTimeout = 5 * time.Second

// ErrOtherResource means metadata of a library with another address; they must not be used (RFC
// 9728, section 3.3).
var ErrOtherResource = errors.New("the metadata of the library name another address than the one that was asked for")

// ErrNoAnswer means that the library did not answer, or something in between in its place: earlier
// metadata may still be right.
var ErrNoAnswer = errors.New("the library does not answer")

// AskResource is FindResource for callers with something to fall back on: a library without an
// answer is no error.
func AskResource(ctx context.Context, address string) (Resource, error) {
	r, err := FindResource(ctx, address)
	if errors.Is(err, ErrNoAnswer) {
		return Resource{}, nil
	}
	return r, err
}

// FindResource asks the library at an address for its description: in its metadata, if it has any,
// or else in the challenge to a request without a token.
func FindResource(ctx context.Context, address string) (Resource, error) {
	ctx, cancel := context.WithTimeout(ctx, resourceTimeout)
	defer cancel()
	c := newHTTPClient(nil)
	defer c.CloseIdleConnections()
	for _, at := range []string{api.ResourceMetadataAddress(address), strings.TrimSuffix(address, "/") + "/me"} {
		resp, err := get(ctx, c, at)
		if err != nil {
			return Resource{}, ErrNoAnswer
		}
		defer resp.Body.Close()
		switch {
		case resp.StatusCode == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") != "":
			return Resource{DPoP: slices.Contains(schemesOf(resp.Header), "dpop")}, nil
		case resp.StatusCode != http.StatusOK || !isJSON(resp.Header.Get("Content-Type")):
			continue // a proxy that does not know of it
		}
		var m api.ResourceMetadata
		if json.NewDecoder(resp.Body).Decode(&m) == nil && m.Resource != "" {
			return readResource(m, address)
		}
	}
	return Resource{}, ErrNoAnswer
}

func get(ctx context.Context, c *http.Client, address string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	return c.Do(r)
}

func readResource(m api.ResourceMetadata, address string) (Resource, error) {
	if strings.TrimSuffix(m.Resource, "/") != strings.TrimSuffix(address, "/") {
		return Resource{}, ErrOtherResource
	}
	r := Resource{Address: m.Resource, Scopes: m.Scopes, Audience: m.LoginAudience, DPoP: slices.Contains(m.DPoPAlgorithms, proofAlgorithm)}
	if len(m.AuthorizationServers) > 0 {
		r.Issuer = m.AuthorizationServers[0]
	}
	return r, nil
}

// parameters are sent to the provider to name the library of the token.
func (r Resource) parameters() (all []oauth2.AuthCodeOption) {
	if r.Address != "" {
		all = append(all, oauth2.SetAuthURLParam("resource", r.Address))
	}
	if r.Audience != "" {
		all = append(all, oauth2.SetAuthURLParam("audience", r.Audience))
	}
	return all
}

// schemesOf are the schemes of challenges, in lower case.
func schemesOf(h http.Header) (schemes []string) {
	for _, field := range h.Values("WWW-Authenticate") {
		for challenge := range strings.SplitSeq(field, ",") {
			scheme, _, _ := strings.Cut(strings.TrimSpace(challenge), " ")
			if !strings.Contains(scheme, "=") {
				schemes = append(schemes, strings.ToLower(scheme))
			}
		}
	}
	return schemes
}
