package devidp

import (
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/internal/durable"
)

const maxKeyFile = 256 << 10

var errNoKeyFile = errors.New("there is no key file")

func readKeyFile(path string) (keyring, error) {
	data, err := readPrivate(path)
	if err != nil {
		return keyring{}, err
	}
	ring, err := parseKeyFile(data)
	if err != nil {
		// The content of the file stays out of the message.
		return keyring{}, fmt.Errorf("%s is not a key file of this provider (%w); move it away and a new one is made", path, err)
	}
	return ring, nil
}

// readPrivate reads a file that only its owner can read or change.
func readPrivate(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoKeyFile
	}
	if err != nil {
		return nil, fmt.Errorf("opening the key file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat() // of the open file, so that it is the one read below
	if err != nil {
		return nil, fmt.Errorf("opening the key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the key file %s is not a file", path)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("the key file %s can be used by others (mode %04o); anybody who has read it can sign tokens: delete it, or run chmod 600 on it if nobody has", path, mode)
	}
	data, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return nil, fmt.Errorf("reading the key file: %w", err)
	}
	return data, nil
}

func parseKeyFile(data []byte) (keyring, error) {
	var ring keyring
	if err := json.Unmarshal(data, &ring); err != nil {
		return keyring{}, errors.New("not JSON with keys")
	}
	for _, key := range []jose.JSONWebKey{ring.Current, ring.Next} {
		if private, ok := key.Key.(*rsa.PrivateKey); !ok || !key.Valid() || private.N.BitLen() < keyBits {
			return keyring{}, errors.New("no private RSA key of 2048 bits")
		}
	}
	for _, old := range ring.Previous {
		if !old.Public.Valid() || !old.Public.IsPublic() {
			return keyring{}, errors.New("a previous key cannot be read")
		}
	}
	return ring, nil
}

// writeKeyFile replaces the file as a whole: whatever happens, there is either
// the old one or the new one.
func writeKeyFile(path string, ring keyring) error {
	data, err := json.MarshalIndent(ring, "", "  ")
	if err == nil {
		err = durable.Replace(path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing the key file: %w", err)
	}
	return nil
}
