package profile

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"example.org/library/client"
)

// Store remembers sign-ins. It is safe for concurrent use, and so are any
// number of stores on one folder, in any number of processes.
type Store struct {
	folder  folder
	mode    string // of the keyring: "", file or system
	keyring *keyring
	now     func() time.Time

	closed  chan struct{} // closed with the store
	closing sync.RWMutex  // read-locked from showing a refresh token to storing the next
	close   sync.Once
}

// Names of environment variables.
const (
	folderVariable  = "LIBRARY_CONFIG_DIR"
	keyringVariable = "LIBRARY_KEYRING"
)

// Values of LIBRARY_KEYRING.
const (
	keyringAny    = ""       // the keyring where there is one, else the file
	keyringFile   = "file"   // the file
	keyringSystem = "system" // the keyring or nothing
)

// Open opens the folder of the person, found by lookup in the environment. Nothing is made there
// before there is something to store. warn gets a message about each repair.
func Open(lookup func(string) (string, bool), warn func(string)) (*Store, error) {
	mode, _ := lookup(keyringVariable)
	if mode != keyringAny && mode != keyringFile && mode != keyringSystem {
		return nil, fmt.Errorf("%s is %q; it must be %s, %s or empty", keyringVariable, mode, keyringFile, keyringSystem)
	}
	return &Store{
		folder: folder{path: folderPath(lookup), warn: warn}, mode: mode,
		keyring: &keyring{system: realKeyring{lookup}, timeout: keyringTimeout}, now: time.Now,
		closed: make(chan struct{}),
	}, nil
}

// folderPath is where programs of this person put such things, "" if nowhere.
func folderPath(lookup func(string) (string, bool)) string {
	get := func(name string) string { value, _ := lookup(name); return value }
	switch home := get("HOME"); {
	case get(folderVariable) != "":
		return get(folderVariable)
	case runtime.GOOS == "darwin" && home != "":
		return filepath.Join(home, "Library", "Application Support", "library")
	case filepath.IsAbs(get("XDG_CONFIG_HOME")):
		return filepath.Join(get("XDG_CONFIG_HOME"), "library")
	case home != "":
		return filepath.Join(home, ".config", "library")
	}
	return ""
}

// Close waits for a renewal with its refresh token under way, since the answer would be lost with
// the process. It ends earlier ones, and lets no other begin.
func (s *Store) Close() {
	s.close.Do(func() {
		close(s.closed)
		s.closing.Lock()
	})
}

// Servers returns all sign-ins.
func (s *Store) Servers() (Servers, error) {
	return parsed(s.folder, serversName, parseServers)
}

// Save remembers a sign-in. Use makes it the current one, when the library has
// accepted it. It returns where the token is stored, and ignores server.Kept.
func (s *Store) Save(ctx context.Context, server Server, clientSecret string, t client.Token) (Place, error) {
	server.Kept = InFile
	if err := server.check(); err != nil {
		return "", fmt.Errorf("the sign-in cannot be remembered: %w", err)
	}
	unlock, err := s.folder.lock(ctx, renewalLock(server.Address))
	if err != nil {
		return "", err
	}
	defer unlock()
	// First the secrets: a record without them would be of no use, and one of
	// an earlier sign-in does not get them.
	server.Kept, err = s.keep(ctx, server.Address, secretsOf(server, clientSecret, t), InKeyring)
	if err != nil {
		return "", err
	}
	var before Server
	err = s.edit(ctx, func(all *Servers) error {
		before, _ = all.Get(server.Address)
		all.put(server)
		return nil
	})
	s.leave(ctx, before, server.Kept)
	return server.Kept, err
}

// leave takes secrets out of the keyring after they were moved to the file. If this fails, they
// are as useless there as the keyring is.
func (s *Store) leave(ctx context.Context, before Server, now Place) {
	if before.Kept == InKeyring && now == InFile {
		_ = s.keyring.remove(ctx, before.Address)
	}
}

// Describe stores the person's name for display.
func (s *Store) Describe(ctx context.Context, address, name, email string) error {
	return s.edit(ctx, func(all *Servers) error {
		i := all.at(address)
		if i < 0 {
			return ErrUnknown
		}
		all.All[i].Name, all.All[i].Email = clip(name), clip(email)
		return nil
	})
}

func clip(text string) string { return text[:min(len(text), maxText)] }

// Use makes a server the current one.
func (s *Store) Use(ctx context.Context, address string) error {
	return s.edit(ctx, func(all *Servers) error {
		if all.at(address) < 0 {
			return ErrUnknown
		}
		all.Current = address
		return nil
	})
}

// SignOut ends a sign-in: it calls revoke with the secrets, if they can be had,
// and then forgets them and the person, whatever revoke says. The address and the
// provider are still known, for the next sign-in. No token is renewed meanwhile.
// The first error is about the provider, the second about this
// machine: the sign-in is still there then.
func (s *Store) SignOut(ctx context.Context, address string, revoke func(Secrets) error) (atProvider, here error) {
	unlock, err := s.folder.lock(ctx, renewalLock(address))
	if err != nil {
		return nil, err
	}
	defer unlock()
	server, secrets, err := s.load(ctx, address)
	switch {
	case server.Address == "":
		return nil, err // there is no such sign-in, or servers.json is damaged
	case err != nil:
		atProvider = fmt.Errorf("the token could not be read, and so not be revoked: %w", err)
	default:
		atProvider = revoke(secrets)
	}
	// First the secrets: without the record nobody would look for them again.
	here = s.keeperAt(server.Kept).remove(ctx, address)
	if errors.Is(here, errKeyring) {
		return atProvider, fmt.Errorf("%w, and the token is in it; unlock it and sign out again", here)
	}
	if here == nil {
		here = s.edit(ctx, func(all *Servers) error { all.remove(address); all.leave(server); return nil })
	}
	if server.Kept == InFile && s.mode != keyringFile {
		// A killed program without a working keyring may have left a copy.
		_ = s.keyring.remove(ctx, address)
	}
	return atProvider, here
}

// Forget forgets a sign-in, after SignOut.
func (s *Store) Forget(ctx context.Context, address string) error {
	return s.edit(ctx, func(all *Servers) error { all.forgetLeft(address); return nil })
}

// edit changes servers.json. Nobody else changes it meanwhile.
func (s *Store) edit(ctx context.Context, change func(*Servers) error) error {
	return s.folder.edit(ctx, serversName, func() ([]byte, error) {
		all, err := s.Servers()
		if err != nil {
			return nil, err
		}
		if err := change(&all); err != nil {
			return nil, err
		}
		return all.format()
	})
}

func (s *Store) keeperAt(place Place) keeper {
	if place == InKeyring {
		return s.keyring
	}
	return tokenFile{s.folder}
}

// keep stores secrets and returns the place. Secrets in the file stay there, or a silent keyring
// would make every renewal slow.
func (s *Store) keep(ctx context.Context, address string, secrets Secrets, was Place) (Place, error) {
	if s.mode == keyringSystem || s.mode == keyringAny && was == InKeyring {
		err := s.keyring.set(ctx, address, secrets)
		if err == nil {
			_ = tokenFile{s.folder}.remove(ctx, address) // nobody looks there any more
			return InKeyring, nil
		}
		if s.mode == keyringSystem {
			return "", fmt.Errorf("%w; unset %s to keep the token in a file instead", err, keyringVariable)
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return InFile, tokenFile{s.folder}.set(ctx, address, secrets)
}
