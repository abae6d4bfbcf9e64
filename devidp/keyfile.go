package devidp

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"example.org/library/internal/durable"
)

// keyFile is what the file of the keys holds. Of a previous key only the
// public half is stored: it will never sign again.
type keyFile struct {
	Current  string         `json:"current"` // PKCS #8, PEM
	Next     string         `json:"next"`
	Previous []previousFile `json:"previous,omitempty"`
}

type previousFile struct {
	Public string    `json:"public"` // PKIX, PEM
	Until  time.Time `json:"until"`
}

const maxKeyFile = 256 << 10

var errNoKeyFile = errors.New("there is no key file")

func readKeyFile(path string) (keyring, error) {
	data, err := readPrivate(path)
	if err != nil {
		return keyring{}, err
	}
	ring, err := parseKeyFile(data)
	if err != nil {
		// What is in the file stays out of the message.
		return keyring{}, fmt.Errorf("%s is not a key file of this provider (%w); move it away and a new one is made", path, err)
	}
	return ring, nil
}

// readPrivate reads a file that nobody but its owner can read or change.
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
	var f keyFile
	if err := json.Unmarshal(data, &f); err != nil {
		return keyring{}, errors.New("not JSON")
	}
	current, err1 := parsePrivate(f.Current)
	next, err2 := parsePrivate(f.Next)
	if err := errors.Join(err1, err2); err != nil {
		return keyring{}, errors.New("a private key cannot be read")
	}
	ring := keyring{current: current, next: next}
	for _, p := range f.Previous {
		block, _ := pem.Decode([]byte(p.Public))
		if block == nil {
			return keyring{}, errors.New("a previous key cannot be read")
		}
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := parsed.(*rsa.PublicKey)
		if err != nil || !ok {
			return keyring{}, errors.New("a previous key cannot be read")
		}
		ring.previous = append(ring.previous, retiredKey{id: thumbprint(public), public: public, until: p.Until})
	}
	return ring, nil
}

func parsePrivate(text string) (*signingKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	private, ok := parsed.(*rsa.PrivateKey)
	if !ok || private.N.BitLen() < keyBits {
		return nil, errors.New("not an RSA key of 2048 bits")
	}
	return &signingKey{id: thumbprint(&private.PublicKey), private: private}, nil
}

func (r keyring) file() (keyFile, error) {
	var f keyFile
	for _, k := range []struct {
		key *signingKey
		to  *string
	}{{r.current, &f.Current}, {r.next, &f.Next}} {
		der, err := x509.MarshalPKCS8PrivateKey(k.key.private)
		if err != nil {
			return keyFile{}, err
		}
		*k.to = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	for _, old := range r.previous {
		der, err := x509.MarshalPKIXPublicKey(old.public)
		if err != nil {
			return keyFile{}, err
		}
		text := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		f.Previous = append(f.Previous, previousFile{Public: text, Until: old.until})
	}
	return f, nil
}

// writeKeyFile replaces the file as a whole: whatever happens, there is either
// the old one or the new one.
func writeKeyFile(path string, ring keyring) error {
	f, err := ring.file()
	if err != nil {
		return fmt.Errorf("writing the key file: %w", err)
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the key file: %w", err)
	}
	if err := durable.Replace(path, append(data, '\n')); err != nil {
		return fmt.Errorf("writing the key file: %w", err)
	}
	return nil
}
