package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
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
		{doctorCase{"expired", nil, []string{"!!  token  the token expired 1", "!!  library  refuses the token: Jwt expired at"}},
			idp.Mint(t, testidp.Claims{"exp": time.Now().Add(-10 * time.Minute).Unix()})},
		{doctorCase{"no scope", nil, []string{"!!  roles  none: "}}, idp.Mint(t, testidp.Claims{"scope": "email profile"})},
		{doctorCase{"a role as a group", nil, []string{"!!  roles  none: the token has your role as a group"}},
			idp.Mint(t, testidp.Claims{"scope": "email", "groups": []string{"library_user"}})},
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
	idle := testidp.New(t)
	idle.Close()
	sick := testidp.New(t)
	sick.Fail(true)
	token := "LIBRARY_TOKEN=" + idp.Mint(t, nil)
	for _, c := range []struct {
		doctorCase
		server, issuer string
	}{
		{doctorCase{rule: "nothing is wrong"}, s.base, idp.Issuer()},
		{doctorCase{"no server", nil, []string{"!!  server  http://127.0.0.1:1/library-server does not answer"}}, "http://127.0.0.1:1/library-server", idp.Issuer()},
		{doctorCase{"something else than a library", nil, []string{"!!  server  what answers at " + idp.Issuer() + " is not the library"}}, idp.Issuer(), idp.Issuer()},
		{doctorCase{"the wrong path", nil, []string{"!!  library  is not at this address"}}, s.root, idp.Issuer()},
		{doctorCase{"no provider", nil, []string{"!!  provider  " + idle.Issuer() + " does not answer", "!!  token issuer"}}, s.base, idle.Issuer()},
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

func TestTheDoctorComparesClocks(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	s.awaitReady(t)
	token := "LIBRARY_TOKEN=" + idp.Mint(t, nil)
	for drift, says := range map[time.Duration]string{
		3 * time.Second:   "",
		90 * time.Second:  "!!  clock  the clock of the server is 90 seconds ahead of that of this machine",
		-10 * time.Minute: "!!  clock  the clock of the server is 10 minutes behind that of this machine",
	} {
		g := newGate(t)
		g.front(s.root)
		g.setAhead(drift)
		c := doctorCase{args: []string{"--server", g.URL + basePath, "--issuer", idp.Issuer()}}
		if says != "" {
			c.says = []string{says}
		}
		c.run(t, newMachine(t), token)
	}
}

func TestTheDoctorLooksAtASignIn(t *testing.T) {
	t.Parallel()
	p := startIDP(t)
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
	for _, c := range []struct {
		rule   string
		args   []string
		claims testidp.Claims
		says   []string
	}{
		{"another audience", []string{"--audience", "books"}, nil, []string{"!!  audience  the library requires books; the token is for library-service", "!!  library"}},
		{"another audience that the token has", []string{"--audience", "books"}, testidp.Claims{"aud": "books"}, nil},
		{"verified addresses only", []string{"--require-verified-email"}, testidp.Claims{"email_verified": false},
			[]string{"!!  library  refuses the token: The e-mail address is not verified"}},
		{"scopes as they are", []string{"--authorities", "plain"}, nil, []string{"!!  roles  the library takes no scope for a role"}},
		{"roles from its own records", []string{"--authorities", "local"}, testidp.Claims{"scope": "email"}, nil},
		{"roles from groups", []string{"--authorities", "groups"}, testidp.Claims{"groups": []string{"library_user"}}, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := startWith(t, idp, append([]string{"--database", emptySQLite(t), "--sample-data"}, c.args...)...)
			s.awaitReady(t)
			m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+idp.Mint(t, c.claims))
			doctorCase{says: c.says}.run(t, m)
		})
	}
}

func TestTheDoctorKnowsTheEarlierMode(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--auth", "basic", "--htpasswd", passwordFile(t), "--database", emptySQLite(t), "--sample-data")
	doctorCase{
		args: []string{"--server", s.base}, says: []string{"!!  server  " + s.base + " wants a password instead of a token", "!!  provider", "!!  sign-in"},
	}.run(t, newMachine(t))
}
