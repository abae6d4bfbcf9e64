package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// passwordFile is a password file, read again after changes.
type passwordFile struct {
	path    string
	log     *slog.Logger
	now     func() time.Time
	content atomic.Pointer[passwords]

	mu    sync.Mutex // held while the file is looked at
	next  time.Time  // when to look again
	stamp stamp      // of the file when it was last read, good or bad
}

const (
	lookPause       = 3 * time.Second
	maxPasswordFile = 8 << 20
)

// stamp differs between states of a file. A missing file has the zero stamp.
type stamp struct {
	modified time.Time
	size     int64
}

func openPasswordFile(cfg BasicConfig) (*passwordFile, error) {
	f := &passwordFile{path: cfg.Path, log: cfg.Logger, now: cfg.Now, next: cfg.Now().Add(lookPause)}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// current returns the passwords, read again if it was time to look and the file has changed. While
// one caller looks, others take the old ones.
func (f *passwordFile) current() *passwords {
	if f.mu.TryLock() {
		f.look()
		f.mu.Unlock()
	}
	return f.content.Load()
}

// look reads the file again if it has changed. If that fails, it logs the error and keeps the
// previous passwords.
func (f *passwordFile) look() {
	now := f.now()
	if now.Before(f.next) {
		return
	}
	f.next = now.Add(lookPause)
	var seen stamp
	if info, err := os.Stat(f.path); err == nil {
		seen = stampOf(info)
	}
	if seen == f.stamp {
		return
	}
	if err := f.read(); err != nil {
		f.log.Error("password file not usable; keeping the previous one", "error", err)
		return
	}
	f.log.Info("password file read again", "logins", len(f.content.Load().accounts))
}

// Reload reads the password file again now. If that fails, the previous passwords stay.
func (b *Basic) Reload() error {
	b.file.mu.Lock()
	defer b.file.mu.Unlock()
	return b.file.read()
}

func stampOf(info os.FileInfo) stamp { return stamp{modified: info.ModTime(), size: info.Size()} }

func (f *passwordFile) read() error {
	f.stamp = stamp{}
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	f.stamp = stampOf(info)
	data, err := io.ReadAll(io.LimitReader(file, maxPasswordFile+1))
	if err != nil {
		return fmt.Errorf("password file: %w", err)
	}
	if len(data) > maxPasswordFile {
		return fmt.Errorf("password file %s: more than %d bytes", f.path, maxPasswordFile)
	}
	content, err := parsePasswords(data)
	if err != nil {
		return fmt.Errorf("password file %s: %w", f.path, err)
	}
	f.content.Store(content)
	return nil
}

// passwords is the content of a password file.
type passwords struct {
	accounts map[string]*account // by login, ASCII letters in lower case
	decoys   []*account          // one for each account, as slow to check as that
}

type account struct {
	identity *Identity
	hash     []byte
}

// Reasons for refusing a line. They quote nothing of it.
var (
	errLineForm      = errors.New("not of the form e-mail:hash")
	errLineLogin     = errors.New("the login is not valid")
	errLineHash      = errors.New("not a bcrypt hash ($2a$, $2b$ or $2y$)")
	errLineCost      = errors.New("the cost of the bcrypt hash is not between 4 and 16")
	errLineDuplicate = errors.New("the login is there twice")
)

// parsePasswords reads lines of e-mail:bcrypt-hash. Empty lines and lines beginning with # are
// ignored.
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

// newDecoy returns an account without a password: even if one had this very hash, nobody would be
// let in with a decoy.
func newDecoy(cost int) *account {
	filler := strings.Repeat(".", bcryptSize-bcryptPrefix)
	return &account{identity: &Identity{}, hash: fmt.Appendf(nil, "$2b$%02d$%s", cost, filler)}
}
