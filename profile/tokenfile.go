package profile

import (
	"context"
	"encoding/json"
)

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
