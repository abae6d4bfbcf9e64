package cli

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/profile"
)

// signedInTo is the environment of a person who is signed in to libraries, the
// last of which is the current one.
func signedInTo(t *testing.T, issuer string, token client.Token, addresses ...string) map[string]string {
	t.Helper()
	env := map[string]string{"LIBRARY_CONFIG_DIR": filepath.Join(t.TempDir(), "library"), "LIBRARY_KEYRING": "file"}
	store, err := profile.Open(func(name string) (string, bool) { value, found := env[name]; return value, found }, func(string) {})
	testkit.NoError(t, err)
	for _, address := range addresses {
		server := profile.Server{Address: address, Issuer: issuer, ClientID: "library-cli", Kind: profile.Person}
		if _, err := store.Save(t.Context(), server, "", token); err != nil {
			t.Fatal(err)
		}
		testkit.NoError(t, store.Use(t.Context(), server.Address))
	}
	return env
}

// startCounting starts a server that refuses everybody and counts them.
func startCounting(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	return server, &requests
}

func TestATokenGoesToTheNamedServerOrNowhere(t *testing.T) {
	t.Parallel()
	server, requests := startCounting(t)
	host := strings.TrimPrefix(server.URL, "http://")
	env := signedInTo(t, "http://id.example.com", client.Token{Access: "stored", Expiry: time.Now().Add(time.Hour)}, server.URL+"/library-server")
	for _, token := range []string{"", "a.b.c"} {
		env["LIBRARY_TOKEN"] = token
		for name, reached := range map[string]bool{
			host: true, strings.ToUpper(host): true, server.URL + "/library-server": true, host + "/library-server": true,
			host[:len(host)-1]: false, "127": false, host + "/library": false, server.URL[:len(server.URL)-1] + "/x": false,
		} {
			if name == server.URL[:len(server.URL)-1]+"/x" && token != "" {
				continue // that is an address: the token goes there
			}
			requests.Store(0)
			code, _, stderr := clitest.Run(t, program, env, "", "whoami", "--server", name)
			if got := requests.Load() > 0; got != reached || code != command.ExitNotSignedIn {
				t.Errorf("--server %s with LIBRARY_TOKEN=%q: reached %v, exit code %d: %s", name, token, got, code, stderr)
			}
			env["LIBRARY_SERVER"] = name
			if clitest.Run(t, program, env, "", "whoami"); (requests.Load() > 1) != reached {
				t.Errorf("LIBRARY_SERVER=%s with LIBRARY_TOKEN=%q: reached %v", name, token, !reached)
			}
			delete(env, "LIBRARY_SERVER")
		}
	}
	// Who only chooses a library may be short.
	delete(env, "LIBRARY_TOKEN")
	if code, _, stderr := clitest.Run(t, program, env, "", "server", "use", "127"); code != command.ExitOK {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestTheTabKeyDoesNotWaitLongForTheIdentityProvider(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	defer silent.Close()
	server, requests := startCounting(t)
	expired := client.Token{Access: "a.b.c", Refresh: "r", Expiry: time.Now().Add(-time.Minute)}
	env := signedInTo(t, "http://"+silent.Addr().String(), expired, server.URL)
	began := time.Now()
	code, stdout, stderr := clitest.Run(t, program, env, "", "__complete", "books", "show", "")
	if code != command.ExitOK || stdout != ":4\n" || requests.Load() > 0 {
		t.Errorf("exit code %d, %d requests: %s%s", code, requests.Load(), stdout, stderr)
	}
	if took := time.Since(began); took > testkit.Bound(4*time.Second) {
		t.Errorf("it took %v", took)
	}
}

// A token does not say where it may be sent. The server of the current library, or a
// program that listens on the port of the demonstration, must not get the token of
// another library by accident.
func TestATokenFromTheEnvironmentIsNotSentByGuess(t *testing.T) {
	t.Parallel()
	server, requests := startCounting(t)
	const issuer = "https://id.example.com/realms/main"
	ours, foreign := testidp.Unsigned(`{}`, `{"iss":"`+issuer+`"}`), testidp.Unsigned(`{}`, `{"iss":"https://id.example.net"}`)
	here := signedInTo(t, issuer, client.Token{Access: "stored"}, server.URL)
	nowhere := map[string]string{"LIBRARY_CONFIG_DIR": t.TempDir()}
	for _, c := range []struct {
		rule     string
		env      map[string]string
		token    string
		server   string
		requests int64
		code     int
		says     string
	}{
		{"a token of the provider of the current library goes there", here, ours, "", 1, command.ExitNotSignedIn, "LIBRARY_TOKEN"},
		{"so does one that cannot be looked into", here, "opaque", "", 1, command.ExitNotSignedIn, "LIBRARY_TOKEN"},
		{"a token of another provider goes nowhere", here, foreign, "", 0, command.ExitUsage, "https://id.example.net"},
		{"unless the library is named", here, foreign, server.URL, 1, command.ExitNotSignedIn, "LIBRARY_TOKEN"},
		{"where nobody is signed in the library has to be named", nowhere, ours, "", 0, command.ExitUsage, "LIBRARY_SERVER"},
	} {
		env := maps.Clone(c.env)
		env["LIBRARY_TOKEN"], env["LIBRARY_SERVER"] = c.token, c.server
		requests.Store(0)
		code, _, stderr := clitest.Run(t, program, env, "", "whoami")
		if code != c.code || requests.Load() != c.requests || !strings.Contains(stderr, c.says) || strings.Contains(stderr, c.token) {
			t.Errorf("%s: exit code %d, %d requests: %s", c.rule, code, requests.Load(), stderr)
		}
	}
}
