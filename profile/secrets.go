package profile

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"example.org/library/client"
)

// Secrets are the credentials for a library. They name the provider they belong to, so a record
// changed without them gets nothing of them.
type Secrets struct {
	Issuer       string       `json:"issuer"`
	ClientID     string       `json:"clientId"`
	ClientSecret string       `json:"clientSecret,omitempty"`
	Token        client.Token `json:"token"`
}

// String names the type and nothing of the value.
func (s Secrets) String() string { return "secrets of " + s.ClientID }

// GoString is String: %#v shows no secret either.
func (s Secrets) GoString() string { return s.String() }

// LogValue is String.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Credentials returns the credentials of the client at the provider.
func (s Secrets) Credentials() client.Credentials {
	return client.Credentials{ID: s.ClientID, Secret: s.ClientSecret}
}

// secretsOf makes the secrets of a server. The ID token is left out: it opens
// nothing, and the keyring of some systems takes 4 KiB at most.
func secretsOf(server Server, clientSecret string, t client.Token) Secrets {
	t.ID = ""
	return Secrets{Issuer: server.Issuer, ClientID: server.ClientID, ClientSecret: clientSecret, Token: t}
}

var (
	errForeign  = errors.New("the stored token belongs to another identity provider or client")
	errNoSecret = errors.New("there is no token")
)

// belongTo checks that the secrets are meant for the provider of a server.
func (s Secrets) belongTo(server Server) error {
	switch {
	case s.Issuer != server.Issuer || s.ClientID != server.ClientID:
		return errForeign
	case s.Token.Access == "":
		return errNoSecret
	}
	return nil
}

func (s Secrets) marshal() (string, error) {
	data, err := json.Marshal(s)
	return string(data), err
}

func unmarshalSecrets(text string) (Secrets, error) {
	var s Secrets
	if json.Unmarshal([]byte(text), &s) != nil {
		return Secrets{}, errors.New("what is stored is not a token of this program") // the text may be one of another
	}
	return s, nil
}

const (
	serversName = "servers.json"
	tokensName  = "tokens.json"
)

// keeper keeps secrets under the address of a server.
type keeper interface {
	get(ctx context.Context, address string) (Secrets, error) // errNoSecret if there is none
	set(ctx context.Context, address string, s Secrets) error
	remove(ctx context.Context, address string) error // nothing if there is none
}

// tokenFile keeps secrets in tokens.json.
type tokenFile struct{ folder folder }

// tokensFile is the form of tokens.json.
type tokensFile struct {
	Version int                `json:"version"`
	Tokens  map[string]Secrets `json:"tokens"`
}

func parseTokens(data []byte) (map[string]Secrets, error) {
	var file tokensFile
	if err := parse(data, &file, &file.Version); err != nil {
		return nil, err
	}
	return file.Tokens, nil
}

func (k tokenFile) all() (map[string]Secrets, error) {
	return parsed(k.folder, tokensName, parseTokens)
}

func (k tokenFile) get(_ context.Context, address string) (Secrets, error) {
	all, err := k.all()
	if err != nil {
		return Secrets{}, err
	}
	s, found := all[address]
	if !found {
		return Secrets{}, errNoSecret
	}
	return s, nil
}

func (k tokenFile) set(ctx context.Context, address string, s Secrets) error {
	return k.edit(ctx, func(all map[string]Secrets) { all[address] = s })
}

func (k tokenFile) remove(ctx context.Context, address string) error {
	if all, err := k.all(); err == nil && all[address].Token.Access == "" {
		return nil // the usual case where there is a keyring: no file is made for it
	}
	return k.edit(ctx, func(all map[string]Secrets) { delete(all, address) })
}

// edit changes the file. Nobody else changes it meanwhile.
func (k tokenFile) edit(ctx context.Context, change func(map[string]Secrets)) error {
	return k.folder.edit(ctx, tokensName, func() ([]byte, error) {
		all, err := k.all()
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = map[string]Secrets{}
		}
		change(all)
		return json.Marshal(tokensFile{formatVersion, all})
	})
}
