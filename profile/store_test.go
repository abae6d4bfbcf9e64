package profile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	systemkeyring "github.com/zalando/go-keyring"

	"example.org/library/internal/testkit"
)

func TestTokensAreKeptInTheKeyringOrElseInTheFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, mode string
		err        error
		hang       bool
		want       Place
	}{
		{"a keyring", "", nil, false, InKeyring},
		{"a keyring that is insisted on", "system", nil, false, InKeyring},
		{"a keyring that is not wanted", "file", nil, false, InFile},
		{"no keyring", "", errors.New("no bus"), false, InFile},
		{"a keyring that does not answer", "", nil, true, InFile},
		{"a keyring that makes no sense", "", errPanics, false, InFile},
		{"a token that is too long for the keyring", "", systemkeyring.ErrSetDataTooBig, false, InFile},
		{"no keyring, but insisted on", "system", errors.New("acc3ss"), false, ""},
		{"a keyring that does not answer, but insisted on", "system", nil, true, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, c.mode)
			p.keyring.err = c.err
			if c.hang {
				p.keyring.hang = make(chan struct{})
				defer close(p.keyring.hang)
			}
			s := p.open()
			where, err := s.Save(t.Context(), aServer(address), "s3cr3t", aToken)
			if where != c.want || (err != nil) != (c.want == "") {
				t.Fatalf("kept in %q, %v; want %q", where, err, c.want)
			}
			if err != nil {
				if strings.Contains(err.Error(), "acc3ss") || !strings.Contains(err.Error(), "LIBRARY_KEYRING") {
					t.Errorf("error: %v", err)
				}
				if p.file(serversName) != "" || p.file(tokensName) != "" {
					t.Error("something was written")
				}
				return
			}
			if strings.Contains(p.file(serversName), "acc3ss") || strings.Contains(p.file(serversName), "s3cr3t") {
				t.Error("servers.json has a secret in it")
			}
			testkit.Equal(t, strings.Contains(p.file(tokensName), "acc3ss"), (c.want == InFile), "in the file")
			_, secrets, err := p.open().load(t.Context(), address)
			if err != nil || secrets.Token.Access != aToken.Access || secrets.Token.Refresh != aToken.Refresh || secrets.ClientSecret != "s3cr3t" || secrets.Token.ID != "" {
				t.Errorf("read again: %v", err)
			}
		})
	}
}

func TestOnlyTheOwnerCanReadTheFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "file")
	p.save(p.open())
	if info, err := os.Stat(p.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(p.dir)
	testkit.NoError(t, err)
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", entry.Name(), info.Mode(), err)
		}
		if strings.HasPrefix(entry.Name(), ".") {
			t.Errorf("a temporary file is left: %s", entry.Name())
		}
	}
	for name, mode := range map[string]fs.FileMode{serversName: 0o644, tokensName: 0o660, "": 0o777} {
		path := filepath.Join(p.dir, name)
		testkit.NoError(t, os.Chmod(path, mode))
		p.warned = nil
		if _, _, err := p.open().load(t.Context(), address); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(p.warned) != 1 || !strings.Contains(p.warned[0], path) {
			t.Errorf("%s: warned %q", name, p.warned)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o022 != 0 || name != "" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s is still %v %v", name, info.Mode(), err)
		}
	}
}

func TestDamagedFilesAreNamedAndLeftAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, name, text, says string }{
		{"servers that are cut off", serversName, `{"version": 1, "serv`, "is damaged"},
		{"tokens that are cut off", tokensName, `{"version": 1, "tok`, "is damaged"},
		{"a token of the wrong kind", tokensName, `{"version": 1, "tokens": {"` + address + `": {"token": "acc3ss"}}}`, "is damaged"},
		{"tokens of a later version", tokensName, `{"version": 9, "tokens": {}}`, "version"},
		{"an empty file", serversName, "", "is damaged"},
		{"a file without end", tokensName, strings.Repeat(" ", maxFile+1), "too large"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "file")
			p.save(p.open())
			path := filepath.Join(p.dir, c.name)
			testkit.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, readErr := p.open().Source(t.Context(), address)
			_, saveErr := p.open().Save(t.Context(), aServer(address), "", aToken)
			for _, err := range []error{readErr, saveErr} {
				if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "acc3ss") {
					t.Errorf("error: %v", err)
				}
			}
			testkit.Equal(t, p.file(c.name), c.text, "the file")
		})
	}
}

func TestWhatIsNotAFileIsNotRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "file")
	p.save(p.open())
	path := filepath.Join(p.dir, serversName)
	for rule, make := range map[string]func() error{
		"a folder": func() error { return os.Mkdir(path, 0o700) },
		"a pipe":   func() error { return syscall.Mkfifo(path, 0o600) },
	} {
		testkit.NoError(t, errors.Join(os.RemoveAll(path), make()))
		if _, err := p.open().Servers(); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

func TestSecretsAreNotForARecordThatWasChanged(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "file")
	p.save(p.open())
	changed := strings.Replace(p.file(serversName), "https://id.example.com", "https://thief.example.com", 1)
	testkit.NoError(t, os.WriteFile(filepath.Join(p.dir, serversName), []byte(changed), 0o600))
	if _, _, err := p.open().load(t.Context(), address); !errors.Is(err, ErrNoToken) {
		t.Errorf("error %v", err)
	}
}

func TestSigningOutForgetsSecretsAndThePersonButNotTheProvider(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"file", "system"} {
		p := newPlace(t, mode)
		s := p.open()
		p.save(s)
		down := errors.New("the provider is down")
		var got Secrets
		atProvider, here := s.SignOut(t.Context(), address, func(secrets Secrets) error { got = secrets; return down })
		if !errors.Is(atProvider, down) || here != nil || got.Token.Refresh != aToken.Refresh {
			t.Errorf("%s: %v, %v", mode, atProvider, here)
		}
		if strings.Contains(p.file(tokensName), "acc3ss") || len(p.keyring.entries) > 0 {
			t.Errorf("%s: something is left", mode)
		}
		all, err := s.Servers()
		if left, found := all.Left(address); err != nil || !found || left.Issuer != aServer(address).Issuer || left.Name+left.Email != "" || len(all.All) > 0 || all.Current != "" {
			t.Errorf("%s: %v %+v", mode, err, all)
		}
		if _, here := s.SignOut(t.Context(), address, nil); !errors.Is(here, ErrUnknown) {
			t.Errorf("%s: forgotten twice: %v", mode, here)
		}
		if err := s.Forget(t.Context(), address); err != nil || strings.Contains(p.file(serversName), "library.example.com") {
			t.Errorf("%s: forgotten altogether: %v", mode, err)
		}
	}
}

func TestASecretThatCannotBeRemovedIsNotForgotten(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "")
	p.save(p.open())
	p.keyring.fail(errors.New("locked"))
	_, here := p.open().SignOut(t.Context(), address, func(Secrets) error { return nil })
	if !errors.Is(here, errKeyring) || !strings.Contains(here.Error(), "unlock it") {
		t.Errorf("error %v", here)
	}
	if all, err := p.open().Servers(); err != nil || len(all.All) != 1 {
		t.Errorf("there is a secret and no record that says where: %+v %v", all, err)
	}
	p.keyring.fail(nil)
	if _, here := p.open().SignOut(t.Context(), address, func(Secrets) error { return nil }); here != nil || len(p.keyring.entries) > 0 {
		t.Errorf("the second time: %v", here)
	}
}

func TestAKeyringThatAnswersTooLateKeepsNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "")
	p.keyring.hang = make(chan struct{})
	if where := p.save(p.open()); where != InFile {
		t.Fatalf("kept in the %s", where)
	}
	close(p.keyring.hang)
	testkit.Eventually(t, "the token, which is in the keyring too, where nobody will look, is taken out again", func() bool {
		return p.keyring.count() >= 2 && p.keyring.held() == 0
	})
}

func TestSigningOutLooksIntoTheKeyringToo(t *testing.T) {
	t.Parallel()
	for mode, left := range map[string]int{"": 0, "file": 1} { // who wants the file does not want to be asked about the keyring
		p := newPlace(t, mode)
		p.mode = "file"
		p.save(p.open())
		p.mode = mode
		testkit.NoError(t, p.keyring.Set(keyringService, address, "a copy of a program that was killed"))
		if _, here := p.open().SignOut(t.Context(), address, func(Secrets) error { return nil }); here != nil || p.keyring.held() != left {
			t.Errorf("%q: %v, %d in the keyring", mode, here, p.keyring.held())
		}
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	t.Parallel()
	s := secretsOf(aServer(address), "s3cr3t", aToken)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secrets", s)
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s", s, s, s, s), log.String()} {
		for _, secret := range []string{"acc3ss", "r3fr3sh", "s3cr3t"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s is in %s", secret, text)
			}
		}
	}
}

func TestWithoutAFolderNobodyIsSignedInAndNothingIsRemembered(t *testing.T) {
	t.Parallel()
	s, err := Open(func(string) (string, bool) { return "", false }, func(string) {})
	testkit.NoError(t, err)
	if all, err := s.Servers(); err != nil || len(all.All) > 0 {
		t.Errorf("%v %v", all, err)
	}
	if _, err := s.Save(t.Context(), aServer(address), "", aToken); !errors.Is(err, errNoFolder) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(func(string) (string, bool) { return "cloud", true }, nil); err == nil || !strings.Contains(err.Error(), "LIBRARY_KEYRING") {
		t.Errorf("a keyring that is none: %v", err)
	}
}

func TestWaitingForALockEnds(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "file")
	f := p.open().folder
	unlock, err := f.lock(t.Context(), filesLock)
	testkit.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.lock(ctx, filesLock); !errors.Is(err, errBusy) {
		t.Errorf("error %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := f.lock(ctx, filesLock); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	unlock()
	again, err := f.lock(t.Context(), filesLock)
	testkit.NoError(t, err)
	again()
}

func TestASignInIsTheCurrentOneOnlyWhenItIsUsed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "file")
	s := p.open()
	p.save(s)
	if all, err := s.Servers(); err != nil || all.Current != "" || len(all.All) != 1 {
		t.Fatalf("saved: %+v, %v", all, err)
	}
	testkit.NoError(t, s.Use(t.Context(), address))
	if all, err := s.Servers(); err != nil || all.Current != address {
		t.Fatalf("used: %+v, %v", all, err)
	}
}

func TestALimitedNumberOfLibrariesIsRememberedAfterSigningOut(t *testing.T) {
	t.Parallel()
	var all Servers
	for i := range maxLeft + 5 {
		all.leave(Server{Address: fmt.Sprintf("http://host-%d", i), Issuer: "http://id", ClientID: "x", Kind: Person})
	}
	all.leave(Server{Address: "http://host-10", Issuer: "http://id", ClientID: "x", Kind: Person})
	if len(all.SignedOut) != maxLeft || all.SignedOut[0].Address != "http://host-10" || all.SignedOut[1].Address != fmt.Sprintf("http://host-%d", maxLeft+4) {
		t.Errorf("%+v", all.SignedOut)
	}
	data, err := all.format()
	testkit.NoError(t, err)
	if again, err := parseServers(data); err != nil || len(again.SignedOut) != maxLeft {
		t.Errorf("read again: %v, %+v", err, again)
	}
}
