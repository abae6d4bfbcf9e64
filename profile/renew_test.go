package profile

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// idp is the development identity provider, which ends a session if a refresh
// token is used twice.
type idp struct{ *testidp.Dev }

func startIDP(t testing.TB) *idp {
	t.Helper()
	i := &idp{testidp.StartDev()}
	t.Cleanup(i.Close)
	return i
}

var confidential = client.Credentials{ID: "library-client", Secret: "9584640c-3804-4dcd-997b-93593cfb9ea7"}

// signIn stores a token of bwayne that has expired.
func (i *idp) signIn(t testing.TB, s *Store) client.Token {
	t.Helper()
	provider, err := client.Discover(t.Context(), i.Issuer, nil)
	testkit.NoError(t, err)
	token, err := provider.Password(t.Context(), confidential, "bwayne", "wayne")
	testkit.NoError(t, err)
	token.Expiry = time.Now().Add(-time.Minute)
	i.save(t, s, Person, token)
	return token
}

func (i *idp) save(t testing.TB, s *Store, kind Kind, token client.Token) {
	t.Helper()
	server := Server{Address: address, Issuer: i.Issuer, ClientID: confidential.ID, Confidential: true, Kind: kind}
	if _, err := s.Save(t.Context(), server, confidential.Secret, token); err != nil {
		t.Fatal(err)
	}
}

func sourceOf(t testing.TB, s *Store) *client.Source {
	t.Helper()
	source, err := s.Source(t.Context(), address)
	testkit.NoError(t, err)
	return source
}

func TestManyProcessesRenewATokenOnce(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"file", "system"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p, i := newPlace(t, mode), startIDP(t)
			i.signIn(t, p.open())
			const processes = 20
			sources := make([]*client.Source, processes)
			for n := range sources {
				sources[n] = sourceOf(t, p.open()) // all of them know the old token
			}
			tokens := make([]client.Token, processes)
			var group sync.WaitGroup
			for n, source := range sources {
				group.Go(func() {
					var err error
					if tokens[n], err = source.Token(context.Background()); err != nil {
						t.Errorf("process %d: %v", n, err)
					}
				})
			}
			group.Wait()
			for n := range tokens {
				if tokens[n].Access != tokens[0].Access {
					t.Errorf("process %d has another token", n)
				}
			}
			testkit.Equal(t, i.Refreshes.Load(), 1, "renewals")
			// Nobody was signed out: the next renewal works, too.
			s := p.open()
			s.now = func() time.Time { return time.Now().Add(10 * time.Minute) }
			if token, err := s.renew(t.Context(), address, ""); err != nil || token.Access == tokens[0].Access {
				t.Errorf("the next renewal: %v", err)
			}
		})
	}
}

func TestATokenThatWasRefusedIsRenewedOnce(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, "file"), startIDP(t)
	token := i.signIn(t, p.open())
	for _, expiry := range []time.Time{{}, time.Now().Add(time.Hour)} { // it looks good here
		token.Expiry = expiry
		i.save(t, p.open(), Person, token)
		i.Refreshes.Store(0)
		const processes = 5
		var group sync.WaitGroup
		for range processes {
			s := p.open()
			group.Go(func() {
				if next, err := s.renew(t.Context(), address, token.Access); err != nil || next.Access == token.Access {
					t.Errorf("the same token, or %v", err)
				}
			})
		}
		group.Wait()
		testkit.Equal(t, i.Refreshes.Load(), 1, "renewals")
		_, secrets, err := p.open().load(t.Context(), address)
		testkit.NoError(t, err)
		token = secrets.Token
	}
}

func TestAServiceGetsANewTokenWithItsSecret(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, "file"), startIDP(t)
	i.save(t, p.open(), Service, client.Token{Access: "old", Expiry: time.Now().Add(-time.Hour)})
	token, err := sourceOf(t, p.open()).Token(t.Context())
	if err != nil || token.Access == "old" {
		t.Fatalf("%v", err)
	}
	again, err := sourceOf(t, p.open()).Token(t.Context())
	if err != nil || again.Access != token.Access {
		t.Errorf("the token is not used again: %v", err)
	}
}

func TestARenewedTokenThatCannotBeStoredIsNotUsedSilently(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, "system"), startIDP(t)
	i.signIn(t, p.open())
	source := sourceOf(t, p.open())
	breaks := func() { p.keyring.fail(errors.New("locked")) }
	i.Before.Store(&breaks)
	_, err := source.Token(t.Context())
	if err == nil || !strings.Contains(err.Error(), "could not be stored") || !strings.Contains(err.Error(), "sign in again") {
		t.Errorf("error %v", err)
	}
}

func TestATokenMovesToTheFileWhenTheKeyringBreaks(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, ""), startIDP(t)
	i.signIn(t, p.open())
	source := sourceOf(t, p.open())
	breaks := func() { p.keyring.fail(errors.New("locked")) }
	i.Before.Store(&breaks)
	token, err := source.Token(t.Context())
	testkit.NoError(t, err)
	if all, err := p.open().Servers(); err != nil || all.All[0].Kept != InFile {
		t.Errorf("%+v %v", all, err)
	}
	calls := p.keyring.calls
	_, secrets, err := p.open().load(t.Context(), address)
	if err != nil || secrets.Token.Access != token.Access || p.keyring.calls != calls {
		t.Errorf("read again: %v", err)
	}
}

func TestWhoSignedOutMeanwhileIsSignedOut(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, "file"), startIDP(t)
	s := p.open()
	i.signIn(t, s)
	source := sourceOf(t, s)
	if _, err := p.open().SignOut(t.Context(), address, func(Secrets) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Token(t.Context()); !errors.Is(err, client.ErrSessionEnded) {
		t.Errorf("error %v", err)
	}
	if i.Refreshes.Load() != 0 || strings.Contains(p.file(tokensName), "access") {
		t.Error("the token was renewed all the same")
	}
}

func TestARefreshTokenThatWasUsedEndsTheSession(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, "file"), startIDP(t)
	old := i.signIn(t, p.open())
	if _, err := sourceOf(t, p.open()).Token(t.Context()); err != nil {
		t.Fatal(err)
	}
	i.save(t, p.open(), Person, old) // as if the process had died before it stored the new one
	if _, err := sourceOf(t, p.open()).Token(t.Context()); !errors.Is(err, client.ErrSessionEnded) {
		t.Errorf("error %v", err)
	}
}

func TestClosingWaitsForARenewalThatIsUnderWay(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, "file"), startIDP(t)
	s := p.open()
	old := i.signIn(t, s)
	asked, answer := make(chan struct{}), make(chan struct{})
	wait := func() { close(asked); <-answer }
	i.Before.Store(&wait)
	ctx, interrupt := context.WithCancel(t.Context())
	source := sourceOf(t, s)
	go func() { <-asked; interrupt() }()
	if _, err := source.Token(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
		t.Error("it does not wait")
	case <-time.After(50 * time.Millisecond):
	}
	close(answer)
	<-closed
	if _, secrets, err := p.open().load(t.Context(), address); err != nil || secrets.Token.Access == old.Access {
		t.Errorf("the new token is lost: %v", err)
	}
	if _, err := s.renew(t.Context(), address, ""); !errors.Is(err, errClosed) {
		t.Errorf("a renewal after the end: %v", err)
	}
}

// silent is a provider that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String()
}

func TestClosingDoesNotWaitForASilentProvider(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "file")
	s := p.open()
	i := &idp{&testidp.Dev{Issuer: silent(t)}}
	i.save(t, s, Person, client.Token{Access: "old", Refresh: "r3fr3sh", Expiry: time.Now().Add(-time.Minute)})
	for rule, hold := range map[string]bool{"it does not answer": false, "another program waits for it": true} {
		s := p.open()
		unlock := func() {}
		if hold {
			var err error
			if unlock, err = s.folder.lock(t.Context(), renewalLock(address)); err != nil {
				t.Fatal(err)
			}
		}
		source := sourceOf(t, s)
		ctx, interrupt := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := source.Token(ctx); err == nil {
			t.Error(rule, "and yet there is a token")
		}
		interrupt()
		began := time.Now()
		s.Close()
		if took := time.Since(began); took > testkit.Bound(time.Second) {
			t.Errorf("%s: closing took %v", rule, took)
		}
		unlock()
	}
}

func TestChoosingTheFileTakesTheTokenOutOfTheKeyring(t *testing.T) {
	t.Parallel()
	p, i := newPlace(t, ""), startIDP(t)
	i.signIn(t, p.open())
	p.mode = "file"
	if _, err := sourceOf(t, p.open()).Token(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(p.keyring.entries) > 0 || !strings.Contains(p.file(tokensName), address) {
		t.Error("it is still in the keyring, or not in the file")
	}
	p.mode = "system"
	i.signIn(t, p.open())
	if len(p.keyring.entries) != 1 || strings.Contains(p.file(tokensName), address) {
		t.Error("it is not in the keyring, or still in the file")
	}
	p.mode = "file"
	i.signIn(t, p.open())
	if len(p.keyring.entries) > 0 {
		t.Error("it is still in the keyring after signing in again")
	}
}
