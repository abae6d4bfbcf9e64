package profile

import (
	"encoding/json"
	"errors"
	"log/slog"

	"example.org/library/client"
)

// Secrets are what opens a library. They say to whom they may be shown, so that
// a record that was changed without them gets nothing of them.
type Secrets struct {
	Issuer       string       `json:"issuer"`
	ClientID     string       `json:"clientId"`
	ClientSecret string       `json:"clientSecret,omitempty"`
	Token        client.Token `json:"token"`
}

// String says what it is, and nothing of it.
func (s Secrets) String() string { return "secrets of " + s.ClientID }

// GoString is String: %#v shows no secret either.
func (s Secrets) GoString() string { return s.String() }

// LogValue is String.
func (s Secrets) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Credentials are who the client is to the provider.
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
