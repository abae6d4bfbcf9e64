package devidp

import (
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestPrintedConfigurationReadsBackTheSame(t *testing.T) {
	t.Parallel()
	cfg, err := ParseConfig([]byte(DefaultConfig().String()))
	testkit.NoError(t, err)
	testkit.Diff(t, DefaultConfig(), cfg)
}

// base is a configuration to spoil.
const base = `{"users":[{"username":"a","password":"b","email":"a@b","groups":["library_user"]}],
 "clients":[{"id":"c","grants":["authorization_code"],"redirectUris":["http://localhost/"]}]}`

func TestConfigurationProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, new string
		want           []string
	}{
		{"nothing is wrong", "", "", nil},
		{"not JSON", `{"users":[`, `{"users":[}`, []string{"not valid JSON (line 1: "}},
		{"trailing data", `"redirectUris":["http://localhost/"]}]}`, `"redirectUris":["http://localhost/"]}]} x`, []string{"not valid JSON"}},
		{"duplicate member", `"id":"c"`, `"id":"c","id":"d"`, []string{`duplicate member "id"`}},
		{"unknown member", `"users":[`, `"user":1,"users":[`, []string{`json: unknown field "user"`}},
		{"unknown member of a client", `"id":"c"`, `"id":"c","x":1`, []string{`json: unknown field "x"`}},
		{"wrong type", `"password":"b"`, `"password":1`, []string{"json: cannot unmarshal number into Go struct field User.users.password"}},
		{"null", `"username":"a","password":"b"`, `"username":"a","password":null`, []string{"users[0].password: is missing"}},
		{"no clients", `"clients":[{"id":"c","grants":["authorization_code"],"redirectUris":["http://localhost/"]}]`, `"clients":[]`, []string{"clients: at least one client is needed"}},
		{"a user name twice", `"groups":["library_user"]}`, `"groups":["library_user"]},{"username":"A","password":"b","email":"A@B"}`,
			[]string{"users[1].username: the same user name as users[0].username", "users[1].email: the same e-mail address as users[0].email"}},
		{"a client twice", `["http://localhost/"]}`, `["http://localhost/"]},{"id":"c","grants":["password"]}`, []string{"clients[1].id: the same client as clients[0].id"}},
		{"no e-mail address", `a@b`, `a b@c`, []string{"users[0].email: is not an e-mail address"}},
		{"white space", `"username":"a"`, `"username":" a"`, []string{"users[0].username: begins or ends with white space"}},
		{"control character", `"username":"a"`, `"username":"a\u0007b"`, []string{"users[0].username: contains a control character"}},
		{"long name", `"username":"a"`, `"username":"` + strings.Repeat("ä", 101) + `"`, []string{"users[0].username: is longer than 100 characters"}},
		{"odd group", `"library_user"`, `"library user",""`, []string{"users[0].groups[0]: may have only", "users[0].groups[1]: must have 1 to 100"}},
		{"group twice", `"library_user"`, `"x","x"`, []string{`users[0].groups[1]: "x" is there twice`}},
		{"unknown grant", `"authorization_code"`, `"authorization_code","implicit"`, []string{"clients[0].grants[1]: must be one of authorization_code,"}},
		{"grant twice", `"authorization_code"`, `"authorization_code","authorization_code"`, []string{"clients[0].grants[1]:"}},
		{"no grant", `["authorization_code"]`, `[]`, []string{"clients[0].grants: at least one of"}},
		{"no redirect URI", `["http://localhost/"]`, `[]`, []string{"clients[0].redirectUris: the grant authorization_code needs"}},
		{"public service account", `"authorization_code"`, `"authorization_code","client_credentials"`,
			[]string{"clients[0].secret: the grant client_credentials needs one", "clients[0].serviceAccount: the grant client_credentials needs one"}},
		{"idle service account", `"id":"c"`, `"id":"c","serviceAccount":{"email":"A@b"}`,
			[]string{"clients[0].serviceAccount: is of no use", "clients[0].serviceAccount.email: the same e-mail address as users[0].email"}},
		{"odd redirect URIs", `"http://localhost/"`, `"/x","javascript:alert(1)","http://*/","http://a/#f","http://u@a/","http:///x","http://a/ b","app.example:/cb"`, []string{
			"clients[0].redirectUris[0]:", "clients[0].redirectUris[1]:", "clients[0].redirectUris[2]: must be a whole address",
			"clients[0].redirectUris[3]: must not have a fragment", "clients[0].redirectUris[4]: must not have a user name",
			"clients[0].redirectUris[5]: must have a host", "clients[0].redirectUris[6]: is not an address",
		}},
		{"odd web origins", `"id":"c"`, `"id":"c","webOrigins":["*","http://a/","http://A","a:80","http://a:80","null"]`, []string{
			"clients[0].webOrigins[0]:", "clients[0].webOrigins[1]:", "clients[0].webOrigins[2]:", "clients[0].webOrigins[3]:", "clients[0].webOrigins[5]:",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(base, tt.old) {
				t.Fatalf("%q is not in the configuration", tt.old)
			}
			_, err := ParseConfig([]byte(strings.Replace(base, tt.old, tt.new, 1)))
			if len(tt.want) == 0 {
				testkit.NoError(t, err)
				return
			}
			if err == nil || strings.Count(err.Error(), "\n") != len(tt.want) && len(tt.want) > 1 {
				t.Fatalf("error %v", err)
			}
			testkit.Contains(t, err.Error(), tt.want...)
		})
	}
}

func TestAccountsAreCalledByWhatNamesTheyHave(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]account{
		"Bruce Wayne": {username: "bwayne", firstName: "Bruce", lastName: "Wayne"},
		"Bruce":       {username: "bwayne", firstName: "Bruce"},
		"Wayne":       {username: "bwayne", lastName: "Wayne"},
		"bwayne":      {username: "bwayne"},
	} {
		testkit.Equal(t, a.name(), want)
	}
}

func TestFaultsQuoteNoSecrets(t *testing.T) {
	t.Parallel()
	_, err := ParseConfig([]byte(`{"users":[{"username":"a","password":"hush hush\u0007"}],"clients":[{"id":"c","secret":" hush hush"}]}`))
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("got %v", err)
	}
}

func TestIssuers(t *testing.T) {
	t.Parallel()
	for issuer, good := range map[string]bool{
		"": true, DefaultIssuer: true, "https://idp.example": true, "http://[::1]:8080/x": true,
		"localhost:8080": false, "ftp://a/b": false, "http://a/b/": false, "http://a/": false, "http://a/b?c": false, "http://a/b#": false,
		"http://u@a/b": false, "http://a//b": false, "http://a/../b": false, "http://a/%62": false, "/auth": false,
	} {
		_, err := New(Options{Issuer: issuer, Config: DefaultConfig(), Keys: sharedKeys()})
		if (err == nil) != good {
			t.Errorf("%q: %v", issuer, err)
		}
	}
	if _, err := New(Options{Keys: sharedKeys()}); err == nil {
		t.Error("an empty configuration is fine")
	}
}
