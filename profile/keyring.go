package profile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	systemkeyring "github.com/zalando/go-keyring"
)

// keyringService is the name that secrets have in the keyring; the account is
// the address of the library.
const keyringService = "library"

// keyringPatience is how long the keyring may take. One that waits for somebody
// to unlock it, on a machine where nobody sees the question, takes forever.
const keyringPatience = 3 * time.Second

// errKeyring says that the keyring of the system is of no use now.
var errKeyring = errors.New("the keyring of the system cannot be used")

// keyring keeps secrets in the keyring of the system.
type keyring struct {
	system   systemKeyring
	patience time.Duration
	gaveUp   atomic.Bool // it did not answer: what it still does may come late, so it is left alone
}

// systemKeyring is the keyring as the system has it.
type systemKeyring interface {
	Get(service, account string) (string, error)
	Set(service, account, secret string) error
	Delete(service, account string) error
}

// realKeyring is the keyring of the system.
type realKeyring struct {
	lookup func(string) (string, bool) // environment variables
}

var errNoBus = errors.New("there is no message bus")

// reachable looks whether there is a way to the keyring. Without a message bus
// the library that speaks to it would start one, which would stay for nobody.
func (k realKeyring) reachable() error {
	if runtime.GOOS == "darwin" {
		return nil
	}
	if address, _ := k.lookup("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return nil
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(fmt.Sprintf("/run/user/%d/%s", os.Getuid(), name)); err == nil {
			return nil
		}
	}
	return errNoBus
}

func (k realKeyring) Get(service, account string) (string, error) {
	if err := k.reachable(); err != nil {
		return "", err
	}
	return systemkeyring.Get(service, account)
}

func (k realKeyring) Set(service, account, secret string) error {
	if err := k.reachable(); err != nil {
		return err
	}
	return systemkeyring.Set(service, account, secret)
}

func (k realKeyring) Delete(service, account string) error {
	if err := k.reachable(); err != nil {
		return err
	}
	return systemkeyring.Delete(service, account)
}

func (k *keyring) get(ctx context.Context, address string) (Secrets, error) {
	text, err := k.await(ctx, func() (string, error) { return k.system.Get(keyringService, address) })
	if err != nil {
		return Secrets{}, err
	}
	return unmarshalSecrets(text)
}

func (k *keyring) set(ctx context.Context, address string, s Secrets) error {
	text, err := s.marshal()
	if err != nil {
		return err
	}
	_, err = k.await(ctx, func() (string, error) { return "", k.system.Set(keyringService, address, text) })
	return err
}

func (k *keyring) remove(ctx context.Context, address string) error {
	_, err := k.await(ctx, func() (string, error) { return "", k.system.Delete(keyringService, address) })
	if errors.Is(err, errNoSecret) {
		return nil
	}
	return err
}

// await gives the keyring its time. Of its errors only the known ones are
// passed on: those of a helper program could quote what it was given.
func (k *keyring) await(ctx context.Context, ask func() (string, error)) (string, error) {
	if k.gaveUp.Load() {
		return "", fmt.Errorf("%w: it did not answer", errKeyring)
	}
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		// What speaks to the keyring takes its answers on trust.
		defer func() {
			if recover() != nil {
				answered <- answer{"", errKeyring}
			}
		}()
		text, err := ask()
		answered <- answer{text, err}
	}()
	timer := time.NewTimer(k.patience)
	defer timer.Stop()
	select {
	case a := <-answered:
		switch {
		case errors.Is(a.err, systemkeyring.ErrNotFound):
			return "", errNoSecret
		case errors.Is(a.err, systemkeyring.ErrSetDataTooBig):
			return "", fmt.Errorf("%w: the token is too long for it", errKeyring)
		case errors.Is(a.err, errNoBus):
			return "", fmt.Errorf("%w: %w", errKeyring, errNoBus)
		case a.err != nil:
			return "", errKeyring
		}
		return a.text, nil
	case <-timer.C:
		k.gaveUp.Store(true)
		return "", fmt.Errorf("%w: it did not answer within %s", errKeyring, k.patience)
	case <-ctx.Done():
		k.gaveUp.Store(true)
		return "", ctx.Err()
	}
}
