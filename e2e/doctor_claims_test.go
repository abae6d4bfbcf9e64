package e2e

import (
	"testing"

	"example.org/library/internal/testidp"
)

// configuredCase is a library with settings, a token, and what the doctor says.
type configuredCase struct {
	rule   string
	args   []string
	claims testidp.Claims
	says   []string
}

func (c configuredCase) run(t *testing.T, idp *testidp.Provider) {
	t.Run(c.rule, func(t *testing.T) {
		t.Parallel()
		s := startWith(t, idp, append([]string{"--database", emptySQLite(t), "--sample-data"}, c.args...)...)
		s.awaitReady(t)
		m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+idp.Mint(t, c.claims))
		doctorCase{says: c.says}.run(t, m)
	})
}

func TestTheDoctorKnowsWhereALibraryTakesItsDataFrom(t *testing.T) {
	t.Parallel()
	asAdmin := testidp.Claims{"email": "clark.kent@example.com", "scope": "email library_admin"}
	idp := testidp.New(t)
	for _, c := range []configuredCase{
		{"a second audience that the token has", []string{"--audience", "books, library-service"}, nil, nil},
		{"several audiences", []string{"--audience", "books,api://books"}, nil, []string{"!!  audience  the library requires books; the token is for library-service", "!!  library"}},
		{"an audience in another claim", []string{"--audience-claim", "client_id", "--audience", "abc"}, testidp.Claims{"aud": nil, "client_id": "abc"}, nil},
		{"an audience that is in another claim, and the library does not know", nil, testidp.Claims{"aud": nil, "client_id": "abc"},
			[]string{"!!  audience  the library requires library-service; the token is for nobody", "!!  library"}},
		{"an address in another claim", []string{"--email-claim", "upn"}, testidp.Claims{"email": nil, "upn": "bruce.wayne@example.com"}, nil},
		{"an address that is in another claim, and the library does not know", nil, testidp.Claims{"email": nil, "upn": "bruce.wayne@example.com"},
			[]string{"!!  e-mail  the token has no e-mail address", "!!  user"}},
		{"an address in another claim, of nobody", []string{"--email-claim", "upn"}, testidp.Claims{"email": nil, "upn": "the.joker@example.org"},
			[]string{"!!  user  the library has no user with the e-mail address the.joker@example.org"}},
		{"an address that is in another claim than the library thinks", []string{"--email-claim", "upn"}, testidp.Claims{"upn": nil},
			[]string{"!!  e-mail  the library takes e-mail addresses from the claim upn, which the token does not have", "!!  user"}},
		{"roles from a path, which the token has", []string{"--authorities-claim", "realm_access.roles"}, testidp.Claims{"scope": "email", "realm_access": map[string]any{"roles": []string{"library_user"}}}, nil},
		{"roles from a path, and the token has none", []string{"--authorities-claim", "realm_access.roles"}, testidp.Claims{"roles": []string{"library_user"}},
			[]string{"!!  roles  none: the library takes roles from the claim realm_access.roles, which the token does not have"}},
		{"a claim that is a number", []string{"--authorities-claim", "roles"}, testidp.Claims{"roles": 7}, []string{"!!  roles  none: the claim roles of the token is neither text"}},
		{"a value that is in the map", []string{"--authorities", "groups", "--role-map", "LIBRARY_USER=All Staff"}, testidp.Claims{"groups": []string{"All Staff"}}, nil},
		{"a value that is not in the map", []string{"--authorities", "groups", "--role-map", "LIBRARY_USER=All Staff"}, testidp.Claims{"groups": []string{"all staff"}},
			[]string{"!!  roles  none: the library's --role-map has none of the values of the claim groups: all staff"}},
		{"values that are no roles", []string{"--authorities", "groups", "--authorities-claim", "roles"}, testidp.Claims{"roles": []string{"staff"}},
			[]string{"!!  roles  none: the values of the claim roles are not names of roles: staff"}},
		{"groups that are elsewhere", []string{"--authorities", "groups"}, testidp.Claims{"_claim_names": map[string]string{"groups": "src1"}},
			[]string{"!!  roles  none: the token says that its claim groups has to be fetched elsewhere"}},
		{"an ID token where access tokens are taken", nil, testidp.Claims{"at_hash": "x"}, []string{"!!  library  refuses the token: The token is not an access token"}},
		{"an access token where ID tokens are taken", []string{"--tokens", "id"}, nil, []string{"!!  library  refuses the token: The token is not an ID token"}},
		{"a directory that may keep people up to date", []string{"--scim"}, asAdmin, nil},
		{"a directory that is told another address", []string{"--scim", "--public-api-url", "https://library.example.org/x"}, asAdmin, []string{"!!  SCIM  the library tells directories that it is at https://library.example.org/x/scim/v2, and is at http"}},
		{"a library that tells which provider it trusts", []string{"--resource-metadata"}, nil, nil},
		{"a library that takes bound tokens, too", []string{"--dpop", "allowed"}, nil, nil},
		{"an ID token where they are taken", []string{"--tokens", "id", "--audience", "library-web"}, testidp.Claims{"typ": "ID", "aud": "library-web"}, nil},
	} {
		c.run(t, idp)
	}
}

// TestTheDoctorSaysWhichSettingWouldHelp: what to change, with what is in the token.
func TestTheDoctorSaysWhichSettingWouldHelp(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	usual := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
	mapped := startWith(t, idp, "--database", emptySQLite(t), "--sample-data", "--authorities-claim", "roles", "--role-map", "LIBRARY_USER=staff")
	usual.awaitReady(t)
	mapped.awaitReady(t)
	for _, c := range []struct {
		s      *server
		claims testidp.Claims
		says   string
	}{
		{usual, testidp.Claims{"email": nil, "upn": "bruce.wayne@example.com"}, "with --email-claim upn."},
		{usual, testidp.Claims{"email": "x@example.com", "upn": "bruce.wayne@example.com"}, "(--email-claim), such as upn, it is that one which counts."},
		{usual, testidp.Claims{"aud": nil, "client_id": "abc"}, "--audience-claim client_id --audience abc."},
		{usual, testidp.Claims{"aud": "x", "azp": "library-web"}, "into the audience (aud) of the tokens for the client library-web;"},
		{usual, testidp.Claims{"email": "x@example.com", "email_verified": true}, "not: --provision"},
		{usual, testidp.Claims{"email": "x@example.com", "email_verified": nil}, "Where a first login adds people (--provision login), it adds nobody whose token does not say that the address is verified (email_verified), unless --provision-unverified is set."},
		{usual, testidp.Claims{"email": "x@example.com", "email_verified": true, "scope": "email"}, "it adds nobody whose token has no role: library_user, library_curator or library_admin, or a value that --role-map knows."},
		{usual, testidp.Claims{"at_hash": "x"}, "start it with --tokens id."},
		{usual, testidp.Claims{"scope": "email", "roles": []string{"staff"}}, "with --authorities-claim, and say with --role-map what its values mean; the token has roles (staff)."},
		{usual, testidp.Claims{"scope": "email", "realm_access": map[string]any{"roles": []string{"staff"}}}, "the token has realm_access.roles (staff)."},
		{mapped, testidp.Claims{"cognito:groups": []string{"staff"}}, "with --authorities-claim; the token has cognito:groups (staff); scope (library_user, email, profile)."},
		{mapped, testidp.Claims{"roles": []string{"a,b"}}, "add one of them to --role-map, such as LIBRARY_USER=a%2Cb;"},
	} {
		m := newMachine(t, "LIBRARY_SERVER="+c.s.base, "LIBRARY_TOKEN="+idp.Mint(t, c.claims))
		m.run("", "doctor").want(t, 1, c.says)
	}
}
