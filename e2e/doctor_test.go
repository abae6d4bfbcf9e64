package e2e

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// doctorCase is something that is wrong, and what the doctor says of it.
type doctorCase struct {
	rule string
	args []string // besides --server and --issuer, which come first
	says []string // beginnings of lines
}

func (c doctorCase) run(t *testing.T, m *machine, variables ...string) {
	t.Helper()
	o := m.run("", append(append(variables, "doctor"), c.args...)...)
	want := 1
	if len(c.says) == 0 {
		want = 0
	}
	o.want(t, want)
	for _, line := range c.says {
		if !strings.Contains("\n"+o.stdout, "\n"+strings.ReplaceAll(line, "  ", "\t")) {
			t.Errorf("no line that begins with %q in\n%s", line, o.stdout)
		}
	}
	if got, want := strings.Count("\n"+o.stdout, "\n!!\t"), len(c.says); got != want && want > 0 {
		t.Errorf("%d complaints, want %d:\n%s", got, want, o.stdout)
	}
	for line := range strings.Lines(o.stdout) {
		if cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(cells) != 4 || strings.HasPrefix(line, "!!") && cells[3] == "" {
			t.Errorf("the line is not whole: %q", line)
		}
	}
}

func TestTheDoctorExplainsATokenThatIsRefused(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	s.awaitReady(t)
	other := testidp.New(t)
	soon := time.Now().Add(10*time.Hour + 20*time.Minute) // 10 hours, however long the case waits for its turn
	for _, c := range []struct {
		doctorCase
		token string
	}{
		{doctorCase{rule: "nothing is wrong"}, idp.Mint(t, nil)},
		{doctorCase{rule: "an elliptic curve key"}, idp.Mint(t, nil, testidp.ES256())},
		{doctorCase{"the wrong audience", nil, []string{"!!  audience  the library requires library-service; the token is for somebody-else", "!!  library  refuses the token: The required audience"}},
			idp.Mint(t, testidp.Claims{"aud": "somebody-else"})},
		{doctorCase{"no audience", nil, []string{"!!  audience  the library requires library-service; the token is for nobody", "!!  library"}},
			idp.Mint(t, testidp.Claims{"aud": nil})},
		{doctorCase{"no user", nil, []string{"!!  user  the library has no user with the e-mail address the.joker@example.org"}},
			idp.Mint(t, testidp.Claims{"email": "the.joker@example.org"})},
		{doctorCase{"no e-mail address", nil, []string{"!!  e-mail  the token has no e-mail address", "!!  user"}},
			idp.Mint(t, testidp.Claims{"email": nil})},
		{doctorCase{"expired", nil, []string{"!!  token  the token expired 10 hours ago", "!!  library  refuses the token: Jwt expired at"}},
			idp.Mint(t, testidp.Claims{"exp": time.Now().Add(-10 * time.Hour).Unix()})},
		{doctorCase{"not valid yet", nil, []string{"!!  token  the token is not valid yet: it says that it will be in 10 hours (nbf)", "!!  library  refuses the token: "}},
			idp.Mint(t, testidp.Claims{"nbf": soon.Unix()})},
		{doctorCase{"issued in the future", nil, []string{"!!  token  the token says that it will be issued in 10 hours (iat)", "!!  library  refuses the token: "}},
			idp.Mint(t, testidp.Claims{"iat": soon.Unix()})},
		{doctorCase{"no scope", nil, []string{"!!  roles  none: "}}, idp.Mint(t, testidp.Claims{"scope": "email profile"})},
		{doctorCase{"a role as a group", nil, []string{"!!  roles  none: the token has your role as a group"}},
			idp.Mint(t, testidp.Claims{"scope": "email", "groups": []string{"library_user"}})},
		{doctorCase{"a role as the path of a group", nil, []string{"!!  roles  none: the token has your role as the path of a group, and the library does not look there"}},
			idp.Mint(t, testidp.Claims{"scope": "email", "groups": []string{"/staff/library_user"}})},
		{doctorCase{"a token bound to a key", nil, []string{"!!  bound  the token is bound to a key (cnf)", "!!  library  refuses the token: The token is bound"}},
			idp.Mint(t, testidp.Claims{"cnf": map[string]string{"jkt": "x"}})},
		{doctorCase{"another provider", nil, []string{"!!  signature", "!!  token issuer", "!!  library  refuses the token: The iss claim"}},
			other.Mint(t, nil, testidp.Header("kid", "another"))},
		{doctorCase{"a slash in the token's issuer", nil, []string{"!!  token issuer  the token says " + idp.Issuer() + "/, which differs", "!!  library"}},
			idp.Mint(t, testidp.Claims{"iss": idp.Issuer() + "/"})},
		{doctorCase{"a forged signature", nil, []string{"!!  library  refuses the token: The token could not be verified: Invalid signature"}},
			idp.Mint(t, nil, testidp.ForgedSignature())},
		{doctorCase{"a key that is not there", nil, []string{"!!  signature", "!!  library  refuses the token: No key matches"}},
			idp.Mint(t, nil, testidp.Header("kid", "another"))},
		{doctorCase{"an ID token", nil, []string{"!!  library  refuses the token: The token is not an access token"}},
			idp.Mint(t, testidp.Claims{"typ": "ID"})},
		{doctorCase{"signed with a secret", nil, []string{"!!  library  refuses the token: The signing algorithm is not supported (HS256)  The identity provider has to sign its tokens with a key pair"}},
			idp.Mint(t, nil, testidp.Header("alg", "HS256"))},
		{doctorCase{"for another client, and expired", nil, []string{"!!  token  the token expired", "!!  library  refuses the token: Jwt expired at"}},
			idp.Mint(t, testidp.Claims{"aud": "api://default", "email": nil, "upn": "bruce.wayne@example.com", "exp": time.Now().Add(-10 * time.Hour).Unix()})},
		{doctorCase{"an opaque token", nil, []string{"!!  token  the token is not a JWT", "!!  library  refuses the token: Bearer token is malformed  See token."}},
			"2YotnFZFEjr1zCsicMWpAA"},
		{doctorCase{"no token at all", nil, []string{"!!  token  the token is not a JWT", "!!  library  refuses the token: Bearer token is malformed"}},
			"something"},
		{doctorCase{"half a token", nil, []string{"!!  token  the token is not a JWT", "!!  library"}}, idp.Mint(t, nil)[:200]},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_ISSUER="+idp.Issuer(), "LIBRARY_TOKEN="+c.token)
			c.run(t, m)
			if len(c.token) > 60 {
				o := m.run("", "doctor", "--json")
				if strings.Contains(o.stdout+o.stderr, c.token[40:60]) || !strings.Contains(o.stdout, `"server":"`+s.base) {
					t.Errorf("--json: %s", o.stdout)
				}
			}
		})
	}
}

func TestTheDoctorExplainsAServerOrProviderThatIsNotThere(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	s.awaitReady(t)
	const nobody = "http://" + testkit.NobodyListens + basePath
	sick := testidp.New(t)
	sick.Fail(true)
	token := "LIBRARY_TOKEN=" + idp.Mint(t, nil)
	keyless := startKeyless(t)
	for _, c := range []struct {
		doctorCase
		server, issuer string
	}{
		{doctorCase{rule: "nothing is wrong"}, s.base, idp.Issuer()},
		{doctorCase{"an empty key set", nil, []string{"!!  keys  the key set at " + keyless + "/keys is empty", "!!  token issuer"}}, s.base, keyless},
		{doctorCase{"no server", nil, []string{"!!  server  " + nobody + " does not answer"}}, nobody, idp.Issuer()},
		{doctorCase{"something else than a library", nil, []string{"!!  server  what answers at " + idp.Issuer() + " is not the library"}}, idp.Issuer(), idp.Issuer()},
		{doctorCase{"the wrong path", nil, []string{"!!  library  is not at this address"}}, s.root, idp.Issuer()},
		{doctorCase{"no provider", nil, []string{"!!  provider  " + nobody + " does not answer", "!!  token issuer"}}, s.base, nobody},
		{doctorCase{"a provider out of order", nil, []string{"!!  provider", "!!  token issuer"}}, s.base, sick.Issuer()},
		{doctorCase{"the wrong path of the provider", nil, []string{"!!  provider", "!!  token issuer"}}, s.base, strings.Replace(idp.Issuer(), "workshop", "elsewhere", 1)},
		{doctorCase{"a slash too many", nil, []string{"!!  issuer  the provider calls itself \"" + idp.Issuer() + "\", without the slash at the end", "!!  token issuer"}},
			s.base, idp.Issuer() + "/"},
		{doctorCase{"a name of the provider that it does not use itself", nil, []string{"!!  issuer  the provider calls itself", "!!  token issuer"}},
			s.base, strings.Replace(idp.Issuer(), "127.0.0.1", "localhost", 1)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.args = []string{"--server", c.server, "--issuer", c.issuer}
			c.run(t, newMachine(t), token)
		})
	}
}

// startKeyless starts a provider whose key set is empty.
func startKeyless(t *testing.T) string {
	t.Helper()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/keys" {
			io.WriteString(w, `{"keys":[]}`)
			return
		}
		at := "http://" + r.Host
		fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":%q,"token_endpoint":%q,"jwks_uri":%q}`, at, at+"/auth", at+"/token", at+"/keys")
	}))
	t.Cleanup(provider.Close)
	return provider.URL
}

func TestTheDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	s.awaitReady(t)
	token := "LIBRARY_TOKEN=" + idp.Mint(t, nil)
	for drift, says := range map[time.Duration]string{
		3 * time.Second:   "",
		5 * time.Minute:   "!!  clock  the clock of the server is 5 minutes ahead of that of this machine", // to the second, it would depend on how long an answer takes
		-10 * time.Minute: "!!  clock  the clock of the server is 10 minutes behind that of this machine",
	} {
		c := doctorCase{args: []string{"--server", withClockAhead(t, s.root, drift) + basePath, "--issuer", idp.Issuer()}}
		if says != "" {
			c.says = []string{says}
		}
		c.run(t, newMachine(t), token)
	}
}

func TestTheDoctorLooksAtASignIn(t *testing.T) {
	t.Parallel()
	p := startIDP(t, "--addr", testkit.FreeAddress(t)) // where nobody answers when it has stopped
	s := p.library(t)
	m := newMachine(t, "LIBRARY_SERVER="+s.base)
	doctorCase{args: []string{"--issuer", p.issuer}, says: []string{"!!  sign-in  you are not signed in to " + s.base}}.run(t, m)
	doctorCase{says: []string{"!!  provider  it is not known", "!!  sign-in"}}.run(t, m)
	m.signIn(p, s, "ckent")
	doctorCase{}.run(t, m)
	m.run("", "doctor").want(t, 0, "ok\troles\tadmin", "ok\taudience\tthe token is for library-service", "ok\te-mail\tclark.kent@example.com")

	m.expire()
	p.stop(t, syscall.SIGTERM)
	doctorCase{says: []string{"!!  provider", "!!  sign-in"}}.run(t, m)
}

func TestTheDoctorKnowsHowALibraryIsConfigured(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	for _, c := range []configuredCase{
		{"another audience", []string{"--audience", "books"}, nil, []string{"!!  audience  the library requires books; the token is for library-service", "!!  library"}},
		{"another audience that the token has", []string{"--audience", "books"}, testidp.Claims{"aud": "books"}, nil},
		{"verified addresses only", []string{"--require-verified-email"}, testidp.Claims{"email_verified": false},
			[]string{"!!  library  refuses the token: The e-mail address is not verified"}},
		{"scopes as they are", []string{"--authorities", "plain"}, nil, []string{"!!  roles  none: the library takes no scope for a role"}},
		{"roles from its own records", []string{"--authorities", "local"}, testidp.Claims{"scope": "email"}, nil},
		{"roles from groups, and the token has a scope", []string{"--authorities", "groups"}, testidp.Claims{"scope": "library_user", "groups": []string{"staff"}},
			[]string{"!!  roles  none: the token has your role as a scope, and the library looks at groups"}},
		{"roles from groups, and the token has a path", []string{"--authorities", "groups"}, testidp.Claims{"groups": []string{"/library_user"}},
			[]string{"!!  roles  none: the token has your role as the path of a group, with a slash"}},
		{"roles from groups", []string{"--authorities", "groups"}, testidp.Claims{"groups": []string{"library_user"}}, nil},
	} {
		c.run(t, idp)
	}
}

// TestWithLocalRolesAnAdminOfTheLibraryGivesThem: the provider has nothing to do with
// it, and the token that was refused is good then.
func TestWithLocalRolesAnAdminOfTheLibraryGivesThem(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data", "--authorities", "local")
	s.awaitReady(t)
	admin := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+idp.Mint(t, testidp.Claims{"email": "clark.kent@example.com"}))
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+idp.Mint(t, testidp.Claims{"email": "bruce.wayne@example.com"}))
	m.run("", "books", "add", "--title", "X").want(t, 1, "who is not a curator",
		"An admin of the library can change that: 'library users edit bruce.wayne@example.com --role reader --role curator'. You need not sign in again.",
		"not: identity provider")
	admin.run("", "users", "edit", "bruce.wayne@example.com", "--role", "reader", "--role", "curator").want(t, 0)
	m.run("", "books", "add", "--title", "X").want(t, 0)
	admin.run("", "users", "edit", "bruce.wayne@example.com", "--no-roles").want(t, 0)
	m.run("", "doctor", "--issuer", idp.Issuer()).want(t, 1, "'library users edit bruce.wayne@example.com --role reader'. You need not sign in again.")
	admin.run("", "users", "edit", "bruce.wayne@example.com", "--role", "reader").want(t, 0)
	m.run("", "doctor", "--issuer", idp.Issuer()).want(t, 0, "ok\troles\treader")
}

func TestTheDoctorKnowsTheEarlierMode(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--auth", "basic", "--htpasswd", passwordFile(t), "--database", emptySQLite(t), "--sample-data")
	doctorCase{
		args: []string{"--server", s.base}, says: []string{"!!  server  " + s.base + " wants a password instead of a token", "!!  provider", "!!  sign-in"},
	}.run(t, newMachine(t))
}

func TestTheDoctorKnowsHTTPFromHTTPSAndWhomTheMachineTrusts(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	plain := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	plain.awaitReady(t)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	certFile, keyFile, _ := newCertificate(t)
	ours := startWith(t, idp, "--database", emptySQLite(t), "--tls-cert", certFile, "--tls-key", keyFile)
	token := "LIBRARY_TOKEN=" + idp.Mint(t, nil)
	swap := func(address, from, to string) string { return strings.Replace(address, from+"://", to+"://", 1) }
	for _, c := range []struct {
		doctorCase
		server, issuer string
	}{
		{doctorCase{"a certificate of nobody", nil, []string{"!!  server  the certificate of " + secure.URL + "/x is signed by nobody whom this machine trusts"}},
			secure.URL + "/x", idp.Issuer()},
		{doctorCase{"http spoken to https", nil, []string{"!!  server  " + swap(secure.URL, "https", "http") + "/x speaks https, not http"}},
			swap(secure.URL, "https", "http") + "/x", idp.Issuer()},
		{doctorCase{"http spoken to a library with https", nil, []string{"!!  server  " + swap(ours.base, "https", "http") + " speaks https, not http"}},
			swap(ours.base, "https", "http"), idp.Issuer()},
		{doctorCase{"https spoken to http", nil, []string{"!!  server  " + swap(plain.base, "http", "https") + " speaks http, not https"}},
			swap(plain.base, "http", "https"), idp.Issuer()},
		{doctorCase{"a provider with a certificate of nobody", nil, []string{"!!  provider  the certificate of", "!!  token issuer"}}, plain.base, secure.URL + "/x"},
		{doctorCase{"http spoken to a provider with https", nil, []string{"!!  provider  " + swap(secure.URL, "https", "http") + "/x speaks https", "!!  token issuer"}},
			plain.base, swap(secure.URL, "https", "http") + "/x"},
		{doctorCase{"https spoken to a provider with http", nil, []string{"!!  provider  " + swap(idp.Issuer(), "http", "https") + " speaks http", "!!  token issuer"}},
			plain.base, swap(idp.Issuer(), "http", "https")},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.args = []string{"--server", c.server, "--issuer", c.issuer}
			c.run(t, newMachine(t), token)
		})
	}
}
