package profile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	systemkeyring "github.com/zalando/go-keyring"

	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// fakeKeyring is a keyring that can be made to misbehave.
type fakeKeyring struct {
	mu      sync.Mutex
	entries map[string]string
	err     error         // of every call
	hang    chan struct{} // calls wait for it, unless it is nil
	calls   int
}

// errPanics makes the keyring panic.
var errPanics = errors.New("panic")

func (k *fakeKeyring) call(do func() error) error {
	k.mu.Lock()
	hang := k.hang
	k.calls++
	k.mu.Unlock()
	if hang != nil {
		<-hang
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == errPanics {
		panic("what is that?")
	}
	if k.err != nil {
		return k.err
	}
	return do()
}

func (k *fakeKeyring) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.err = err
}

// count is how often it was called, held how much is in it.
func (k *fakeKeyring) count() int { k.mu.Lock(); defer k.mu.Unlock(); return k.calls }
func (k *fakeKeyring) held() int  { k.mu.Lock(); defer k.mu.Unlock(); return len(k.entries) }

func (k *fakeKeyring) Get(service, account string) (text string, err error) {
	err = k.call(func() error {
		var found bool
		if text, found = k.entries[service+" "+account]; !found {
			return systemkeyring.ErrNotFound
		}
		return nil
	})
	return text, err
}

func (k *fakeKeyring) Set(service, account, secret string) error {
	return k.call(func() error { k.entries[service+" "+account] = secret; return nil })
}

func (k *fakeKeyring) Delete(service, account string) error {
	return k.call(func() error {
		if _, found := k.entries[service+" "+account]; !found {
			return systemkeyring.ErrNotFound
		}
		delete(k.entries, service+" "+account)
		return nil
	})
}

// place is a folder with a keyring, on which any number of stores can be opened.
type place struct {
	t       testing.TB
	dir     string
	mode    string
	keyring *fakeKeyring
	warned  []string
}

func newPlace(t testing.TB, mode string) *place {
	return &place{t: t, dir: filepath.Join(t.TempDir(), "library"), mode: mode, keyring: &fakeKeyring{entries: map[string]string{}}}
}

func (p *place) open() *Store {
	p.t.Helper()
	env := map[string]string{folderVariable: p.dir, keyringVariable: p.mode}
	s, err := Open(func(name string) (string, bool) { value, found := env[name]; return value, found },
		func(text string) { p.warned = append(p.warned, text) })
	testkit.NoError(p.t, err)
	s.keyring = &keyring{system: p.keyring, timeout: testkit.Timeout(p.t)}
	if p.keyring.hang != nil {
		s.keyring.timeout = 200 * time.Millisecond
	}
	return s
}

func (p *place) file(name string) string {
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(data)
}

const address = "https://library.example.com/library-server"

var aToken = client.Token{Access: "acc3ss", Refresh: "r3fr3sh", ID: "id3ntity", Expiry: time.Now().Add(time.Hour).UTC().Truncate(time.Second)}

func (p *place) save(s *Store) Place {
	p.t.Helper()
	where, err := s.Save(p.t.Context(), aServer(address), "s3cr3t", aToken)
	testkit.NoError(p.t, err)
	return where
}
