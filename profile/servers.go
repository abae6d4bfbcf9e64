package profile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/library/internal/strictjson"
)

// Servers is the content of servers.json.
type Servers struct {
	Current string   // address of the one that commands speak to, "" for none
	All     []Server // in the order of their addresses

	// SignedOut are former libraries, the last one first, so that the next sign-in need not name
	// the library. They have no secrets and nothing about the person.
	SignedOut []Server
}

// Limits of the file.
const (
	maxFile    = 1 << 20
	maxServers = 1000
	maxText    = 2000 // characters of an address or a name
	maxLeft    = 20   // libraries that nobody is signed in to any more
)

// serversFile is the form of servers.json.
type serversFile struct {
	Version int      `json:"version"`
	Current string   `json:"current,omitempty"`
	Servers []Server `json:"servers"`
	Left    []Server `json:"signedOut,omitempty"`
}

// formatVersion counts the forms of both files.
const formatVersion = 1

// parseServers reads servers.json. Somebody may have edited it, or worse: an
// issuer in it is where refresh tokens are sent.
func parseServers(data []byte) (Servers, error) {
	var file serversFile
	if err := parse(data, &file, &file.Version); err != nil {
		return Servers{}, err
	}
	if len(file.Servers) > maxServers {
		return Servers{}, fmt.Errorf("it has more than %d libraries", maxServers)
	}
	s := Servers{Current: file.Current, All: file.Servers, SignedOut: file.Left[:min(len(file.Left), maxLeft)]}
	s.sort()
	for i, server := range s.All {
		if err := server.check(); err != nil {
			return Servers{}, fmt.Errorf("library %d of it: %w", i+1, err)
		}
		if i > 0 && s.All[i-1].Address == server.Address {
			return Servers{}, errors.New("it has the same library twice")
		}
	}
	for i, server := range s.SignedOut {
		server.Kept = InFile // there is no secret
		if err := server.check(); err != nil {
			return Servers{}, fmt.Errorf("library %d of those that were signed out of: %w", i+1, err)
		}
	}
	if s.Current != "" && s.at(s.Current) < 0 {
		return Servers{}, errors.New("its current library is none of its libraries")
	}
	return s, nil
}

// parse reads a file of ours into a value.
func parse(data []byte, into any, version *int) error {
	if _, err := strictjson.Object(data); err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return errors.New("a value in it is of the wrong kind")
	}
	if *version != formatVersion {
		return fmt.Errorf("its version is %d, and this program knows version %d alone; use the program that wrote it", *version, formatVersion)
	}
	return nil
}

// check returns the fault of a record, without quoting it.
func (s Server) check() error {
	for _, text := range append([]string{s.Address, s.Issuer, s.ClientID, s.Name, s.Email}, s.Scopes...) {
		if len(text) > maxText {
			return errors.New("a text is too long")
		}
	}
	if address, err := Address(s.Address); err != nil || address != s.Address {
		return errors.New("the address is not one")
	}
	if _, err := Address(s.Issuer); err != nil {
		return errors.New("the issuer is not an address")
	}
	switch {
	case s.ClientID == "":
		return errors.New("the client id is missing")
	case s.Kind != Person && s.Kind != Service:
		return errors.New("the kind is neither person nor service")
	case s.Kept != InKeyring && s.Kept != InFile:
		return errors.New("it is not said whether the token is in the keyring or in the file")
	}
	return nil
}

func (s Servers) format() ([]byte, error) {
	return json.MarshalIndent(serversFile{formatVersion, s.Current, slices.Clip(append([]Server{}, s.All...)), s.SignedOut}, "", "  ")
}

func (s *Servers) sort() {
	slices.SortStableFunc(s.All, func(a, b Server) int { return strings.Compare(a.Address, b.Address) })
}

// at is the index of a server, -1 if it is not there.
func (s Servers) at(address string) int {
	return slices.IndexFunc(s.All, func(server Server) bool { return server.Address == address })
}

// Get returns the server with an address.
func (s Servers) Get(address string) (Server, bool) {
	if i := s.at(address); i >= 0 {
		return s.All[i], true
	}
	return Server{}, false
}

// Left returns the former server with an address.
func (s Servers) Left(address string) (Server, bool) {
	at := slices.IndexFunc(s.SignedOut, func(server Server) bool { return server.Address == address })
	if at < 0 {
		return Server{}, false
	}
	return s.SignedOut[at], true
}

// leave remembers the place of a sign-in, and not the person.
func (s *Servers) leave(server Server) {
	s.forgetLeft(server.Address)
	server.Name, server.Email, server.Kept = "", "", ""
	s.SignedOut = append([]Server{server}, s.SignedOut...)
	s.SignedOut = s.SignedOut[:min(len(s.SignedOut), maxLeft)]
}

func (s *Servers) forgetLeft(address string) {
	s.SignedOut = slices.DeleteFunc(s.SignedOut, func(server Server) bool { return server.Address == address })
}

// put adds a server or replaces the one with its address.
func (s *Servers) put(server Server) {
	s.forgetLeft(server.Address)
	if i := s.at(server.Address); i >= 0 {
		s.All[i] = server
		return
	}
	s.All = append(s.All, server)
	s.sort()
}

// remove takes a server away. If it was the current one and one is left, this becomes the current
// one; between several the person has to choose.
func (s *Servers) remove(address string) {
	s.All = slices.DeleteFunc(s.All, func(server Server) bool { return server.Address == address })
	if s.Current != address {
		return
	}
	s.Current = ""
	if len(s.All) == 1 {
		s.Current = s.All[0].Address
	}
}
