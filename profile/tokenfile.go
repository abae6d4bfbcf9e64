package profile

import (
	"context"
	"encoding/json"
	"fmt"
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
	data, err := k.folder.read(tokensName)
	if err != nil || data == nil {
		return nil, err
	}
	all, err := parseTokens(data)
	if err != nil {
		return nil, k.folder.damaged(tokensName, err)
	}
	return all, nil
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
	unlock, err := k.folder.lock(ctx, filesLock)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := k.all()
	if err != nil {
		return err
	}
	if all == nil {
		all = map[string]Secrets{}
	}
	change(all)
	data, err := json.Marshal(tokensFile{formatVersion, all})
	if err != nil {
		return fmt.Errorf("a token cannot be stored: %w", err)
	}
	return k.folder.write(tokensName, data)
}
