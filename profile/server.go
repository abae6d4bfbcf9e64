package profile

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Server is a library with a sign-in.
type Server struct {
	Address      string   `json:"address"` // as [Address] returns it
	Issuer       string   `json:"issuer"`  // of the identity provider
	ClientID     string   `json:"clientId"`
	Confidential bool     `json:"confidential,omitempty"` // the client has a secret
	Kind         Kind     `json:"kind"`
	Name         string   `json:"name,omitempty"` // of the person, for display
	Email        string   `json:"email,omitempty"`
	Scopes       []string `json:"scopes,omitempty"` // that a service asks for
	Kept         Place    `json:"kept,omitempty"`
}

// Kind is the kind of a sign-in.
type Kind string

const (
	Person  Kind = "person"
	Service Kind = "service" // a program, for itself
)

// Place is where the secrets of a server are stored.
type Place string

const (
	InKeyring Place = "keyring"
	InFile    Place = "file"
)

// Address normalizes the address of a library: without a slash at the end, the host in lower case.
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

// names returns the short names of servers, in their order: host and port, with the path where
// needed, else the whole address.
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

// ErrUnknown means that no server has the name.
var ErrUnknown = errors.New("there is no such library among those you are signed in to")

// AmbiguousError means that a name stands for more than one server.
type AmbiguousError struct {
	Text  string
	Names []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q could be %s", e.Text, strings.Join(e.Names, " or "))
}

// Find finds a server by its name or its address; the path may be left out. Half a name finds
// nothing: localhost:909 is another host than localhost:9091, and the found server gets a token.
func (s Servers) Find(text string) (Server, error) {
	return s.find(text, func(address, text string) bool {
		origin, host := hostOf(address)
		return text == origin || strings.EqualFold(text, host)
	})
}

// FindByBeginning is Find for a person choosing between servers and seeing the choice: a beginning
// of a name is enough, if no other has it.
func (s Servers) FindByBeginning(text string) (Server, error) {
	server, err := s.Find(text)
	if !errors.Is(err, ErrUnknown) {
		return server, err
	}
	return s.find(text, func(address, text string) bool {
		_, rest, _ := strings.Cut(address, "://")
		return hasPrefixFold(rest, text)
	})
}

// find finds the server with a name, or else the one like it.
func (s Servers) find(text string, like func(address, text string) bool) (Server, error) {
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
		_, rest, _ := strings.Cut(server.Address, "://")
		switch {
		case text == server.Address, strings.EqualFold(text, names[i]):
			return server, nil
		case text == rest, like(server.Address, text):
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

// hostOf is an address without its path, with the scheme and without.
func hostOf(address string) (origin, host string) {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ = strings.Cut(rest, "/")
	return scheme + "://" + host, host
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
