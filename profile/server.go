package profile

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Server is a library that somebody is signed in to.
type Server struct {
	Address      string   `json:"address"` // as [Address] returns it
	Issuer       string   `json:"issuer"`  // of the identity provider
	ClientID     string   `json:"clientId"`
	Confidential bool     `json:"confidential,omitempty"` // the client has a secret
	Kind         Kind     `json:"kind"`
	Name         string   `json:"name,omitempty"` // of the person, for display
	Email        string   `json:"email,omitempty"`
	Scopes       []string `json:"scopes,omitempty"` // that a service asks for
	Kept         Place    `json:"kept"`
}

// Kind is who is signed in.
type Kind string

const (
	Person  Kind = "person"
	Service Kind = "service" // a program, for itself
)

// Place is where the secrets of a server are kept.
type Place string

const (
	InKeyring Place = "keyring"
	InFile    Place = "file"
)

// Address brings the address of a library into the form that it is remembered
// under: without a slash at the end, the host in lower case.
func Address(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", errors.New("is not an address; it looks like https://library.example.com/library-server")
	case u.User != nil:
		return "", errors.New("must not have a user name in it")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "", errors.New("must end with the path of the library; it has a query or a fragment")
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String(), nil
}

// names are the short names of servers, in their order: host and port, with
// the path where that is not enough, the whole address where that is not either.
func (s Servers) names() []string {
	short := make([]string, len(s.All))
	for i, server := range s.All {
		_, rest, _ := strings.Cut(server.Address, "://")
		short[i], _, _ = strings.Cut(rest, "/")
	}
	for _, longer := range []func(address string) string{
		func(address string) string { _, rest, _ := strings.Cut(address, "://"); return rest },
		func(address string) string { return address },
	} {
		seen := map[string]int{}
		for _, name := range short {
			seen[name]++
		}
		for i, name := range short {
			if seen[name] > 1 {
				short[i] = longer(s.All[i].Address)
			}
		}
	}
	return short
}

// Name is the short name of a server.
func (s Servers) Name(address string) string {
	names := s.names()
	for i, server := range s.All {
		if server.Address == address {
			return names[i]
		}
	}
	return address
}

// ErrUnknown says that no server goes by a name.
var ErrUnknown = errors.New("there is no such library among those you are signed in to")

// AmbiguousError says that a name stands for more than one server.
type AmbiguousError struct {
	Text  string
	Names []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q could be %s", e.Text, strings.Join(e.Names, " or "))
}

// Find finds a server by its address or its name, or by a beginning of one that
// no other has. The beginning of an address ends where its path or a piece of
// it does: half a host would be another host.
func (s Servers) Find(text string) (Server, error) {
	text = strings.TrimRight(strings.TrimSpace(text), "/")
	if text == "" {
		return Server{}, ErrUnknown
	}
	if address, err := Address(text); err == nil {
		text = address
	}
	names := s.names()
	var found []int
	for i, server := range s.All {
		if text == server.Address || strings.EqualFold(text, names[i]) {
			return server, nil
		}
		_, rest, _ := strings.Cut(server.Address, "://")
		if strings.HasPrefix(server.Address, text+"/") || hasPrefixFold(rest, text) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return Server{}, ErrUnknown
	case 1:
		return s.All[found[0]], nil
	}
	ambiguous := &AmbiguousError{Text: text}
	for _, i := range found {
		ambiguous.Names = append(ambiguous.Names, names[i])
	}
	slices.Sort(ambiguous.Names)
	return Server{}, ambiguous
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
