package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"strings"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/cli/command"
	"example.org/library/httpapi"
)

// scimConfig configures the access of a directory of people (SCIM 2.0).
type scimConfig struct {
	on      bool
	secrets string // name of the file with the digests
	email   string // "emails", "userName", or "" if nothing is said
}

func (c *scimConfig) settings() []setting {
	return []setting{
		{flag: "scim", value: "false", boolean: true, usage: "let a directory keep the people of the library up to date with SCIM 2.0, below /scim/v2", set: boolean(&c.on)},
		{flag: "scim-token-file", usage: "file with the SHA-256 of a secret of the directory, in hex, one or two lines; library scim token makes one", set: text(&c.secrets)},
		{flag: "scim-email", usage: "where a person's address in the library comes from: emails (the default) or userName", set: optional(valid(&c.email, "one of emails, userName", func(v string) (string, bool) {
			return v, v == "userName" || v == "emails"
		}))},
	}
}

func (c *serveConfig) checkSCIM() (problems []command.Problem) {
	if c.auth == "bearer" && c.authorities == auth.ModeLocal && c.claims.Roles != nil && !c.scim.on {
		problems = append(problems, problem("--role-map", "needs another --authorities than local, or --scim: then it names groups of the directory"))
	}
	if c.scim.secrets == "" {
		if c.scim.email != "" && !c.scim.on {
			problems = append(problems, problem("--scim-email", "needs --scim"))
		}
		return problems
	}
	_, err := readSecrets(c.scim.secrets)
	switch {
	case !c.scim.on:
		problems = append(problems, problem("--scim-token-file", "needs --scim"))
	case c.auth == "basic":
		problems = append(problems, problem("--scim-token-file", "is a bearer token, and --auth basic takes none; use the login of an admin"))
	case err != nil:
		problems = append(problems, problem("--scim-token-file", "cannot be used: "+err.Error()))
	}
	return problems
}

// maxSecretFile is more than two lines need.
const maxSecretFile = 4 << 10

// readSecrets reads the digests of one or two secrets.
func readSecrets(file string) (digests [][sha256.Size]byte, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(text) > maxSecretFile {
		return nil, errors.New("it is too long; it must have one or two lines")
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		sum, err := hex.DecodeString(line)
		if err != nil || len(sum) != sha256.Size {
			return nil, errors.New("each line must be the SHA-256 of a secret, 64 hex digits; library scim token makes one")
		}
		digests = append(digests, [sha256.Size]byte(sum))
	}
	if len(digests) == 0 || len(digests) > 2 {
		return nil, errors.New("it must have one line, or two while the secret is being changed")
	}
	return digests, nil
}

// directory returns the access of directories, nil without --scim.
func (c *serveConfig) directory(log *slog.Logger) (*httpapi.SCIM, error) {
	if !c.scim.on {
		return nil, nil
	}
	access := &httpapi.SCIM{ByUserName: c.scim.email == "userName", LocalRoles: c.authorities == auth.ModeLocal, PublicURL: c.publicAPI}
	log.Info("a directory may keep people up to date with SCIM", "path", c.basePath+"/scim/v2", "withSecret", c.scim.secrets != "")
	if c.scim.secrets == "" {
		return access, nil
	}
	var err error
	access.Secrets, err = readSecrets(c.scim.secrets)
	return access, err
}

// groupRoles returns the roles that groups of the directory give: nil if they give none, because there are none
// or because roles come from tokens.
func (c *serveConfig) groupRoles() library.GroupRoles {
	if !c.scim.on || c.auth != "bearer" || c.authorities != auth.ModeLocal {
		return nil
	}
	roles := library.GroupRoles{}
	for group, names := range c.claims.Roles {
		for _, name := range names {
			roles[group] = append(roles[group], library.Role(name))
		}
	}
	return roles
}
