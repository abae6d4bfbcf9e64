package auth

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// passwords is the content of a password file.
type passwords struct {
	accounts map[string]*account // by login, ASCII letters in lower case
	decoys   []*account          // one for each account, as slow to check as that
}

type account struct {
	identity *Identity
	hash     []byte
}

// Why a line is refused. The text says nothing of what the line holds.
var (
	errLineForm      = errors.New("not of the form e-mail:hash")
	errLineLogin     = errors.New("the login is not valid")
	errLineHash      = errors.New("not a bcrypt hash ($2a$, $2b$ or $2y$)")
	errLineCost      = errors.New("the cost of the bcrypt hash is not between 4 and 16")
	errLineDuplicate = errors.New("the login is there twice")
)

// parsePasswords reads lines of e-mail:bcrypt-hash. Empty lines and lines that
// begin with # are ignored.
func parsePasswords(data []byte) (*passwords, error) {
	p := &passwords{accounts: map[string]*account{}}
	number := 0
	for line := range bytes.Lines(data) {
		number++
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		if err := p.add(text); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if len(p.accounts) == 0 {
		return nil, errors.New("there is no login in it")
	}
	return p, nil
}

func (p *passwords) add(line string) error {
	email, hash, ok := strings.Cut(line, ":")
	if !ok {
		return errLineForm
	}
	if email == "" || !utf8.ValidString(email) || strings.ContainsFunc(email, notInLogin) {
		return errLineLogin
	}
	cost, err := bcryptCost(hash)
	if err != nil {
		return err
	}
	login := foldASCII(email)
	if _, ok := p.accounts[login]; ok {
		return errLineDuplicate
	}
	p.accounts[login] = &account{
		identity: &Identity{Email: email, FromRecord: true, hash: []byte(hash)},
		hash:     []byte(hash),
	}
	p.decoys = append(p.decoys, newDecoy(cost))
	return nil
}

func notInLogin(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }

// The form of a bcrypt hash: $2b$10$ and 22 characters of salt and 31 of hash.
const (
	bcryptSize     = 60
	bcryptPrefix   = len("$2b$10$")
	bcryptAlphabet = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	minBcryptCost  = 4
	maxBcryptCost  = 16 // some seconds; more would block a checking slot for too long
)

func bcryptCost(hash string) (int, error) {
	if len(hash) != bcryptSize || !strings.HasPrefix(hash, "$2") || !strings.Contains("aby", hash[2:3]) {
		return 0, errLineHash
	}
	if hash[3] != '$' || hash[6] != '$' || strings.Trim(hash[bcryptPrefix:], bcryptAlphabet) != "" {
		return 0, errLineHash
	}
	cost, err := strconv.ParseUint(hash[4:6], 10, 8)
	if err != nil {
		return 0, errLineHash
	}
	if cost < minBcryptCost || cost > maxBcryptCost {
		return 0, errLineCost
	}
	return int(cost), nil
}

// newDecoy returns an account that no password opens: even if one had this
// very hash, nobody would be let in with a decoy.
func newDecoy(cost int) *account {
	filler := strings.Repeat(".", bcryptSize-bcryptPrefix)
	return &account{identity: &Identity{}, hash: fmt.Appendf(nil, "$2b$%02d$%s", cost, filler)}
}
