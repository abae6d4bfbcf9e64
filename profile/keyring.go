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

// keyringService is the name for secrets in the keyring; the account is the address of the
// library.
const keyringService = "library"

// keyringTimeout is how long the keyring may take. A keyring waiting to be unlocked, on a machine
// without a screen, takes forever.
const keyringTimeout = 3 * time.Second

// errKeyring means that the keyring of the system is of no use now.
var errKeyring = errors.New("the keyring of the system cannot be used")

// keyring keeps secrets in the keyring of the system.
type keyring struct {
	system  systemKeyring
	timeout time.Duration
	gaveUp  atomic.Bool // it did not answer: what it still does may come late, so it is left alone
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

// reachable reports whether there is a way to the keyring. Without a message bus the keyring's
// library would start one and leave it running for nobody.
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
	text, err := k.await(ctx, func() (string, error) { return k.system.Get(keyringService, address) }, nil)
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
	_, err = k.await(ctx, func() (string, error) { return "", k.system.Set(keyringService, address, text) }, func() {
		// It is kept elsewhere by now, and this copy would only grow old.
		if now, err := k.system.Get(keyringService, address); err == nil && now == text {
			_ = k.system.Delete(keyringService, address)
		}
	})
	return err
}

func (k *keyring) remove(ctx context.Context, address string) error {
	_, err := k.await(ctx, func() (string, error) { return "", k.system.Delete(keyringService, address) }, nil)
	if errors.Is(err, errNoSecret) {
		return nil
	}
	return err
}

// keyringAnswer is the keyring's answer.
type keyringAnswer struct {
	text string
	err  error
}

// await gives the keyring its time. A later result is undone by tooLate, if there is one, as long
// as this process lives.
func (k *keyring) await(ctx context.Context, ask func() (string, error), tooLate func()) (string, error) {
	if k.gaveUp.Load() {
		return "", fmt.Errorf("%w: it did not answer", errKeyring)
	}
	var decided atomic.Bool // by the answer or by the timeout
	answered := make(chan keyringAnswer, 1)
	go func() {
		got := calmly(ask)
		if decided.CompareAndSwap(false, true) {
			answered <- got
		} else if got.err == nil && tooLate != nil {
			calmly(func() (string, error) { tooLate(); return "", nil })
		}
	}()
	timer := time.NewTimer(k.timeout)
	defer timer.Stop()
	var left error
	select {
	case got := <-answered:
		return got.text, keyringError(got.err)
	case <-timer.C:
		left = fmt.Errorf("%w: it did not answer within %s", errKeyring, k.timeout)
	case <-ctx.Done():
		left = ctx.Err()
	}
	if !decided.CompareAndSwap(false, true) { // it answered at the last moment
		got := <-answered
		return got.text, keyringError(got.err)
	}
	k.gaveUp.Store(true)
	return "", left
}

// calmly asks the keyring. The keyring's library takes its answers on trust, and may panic.
func calmly(ask func() (string, error)) (got keyringAnswer) {
	defer func() {
		if recover() != nil {
			got = keyringAnswer{"", errKeyring}
		}
	}()
	text, err := ask()
	return keyringAnswer{text, err}
}

// keyringError passes on the known errors of the keyring alone: errors of a helper program could
// quote its input.
func keyringError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, systemkeyring.ErrNotFound):
		return errNoSecret
	case errors.Is(err, systemkeyring.ErrSetDataTooBig):
		return fmt.Errorf("%w: the token is too long for it", errKeyring)
	case errors.Is(err, errNoBus):
		return fmt.Errorf("%w: %w", errKeyring, errNoBus)
	}
	return errKeyring
}
