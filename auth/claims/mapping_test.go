package claims_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library/auth/claims"
	"example.org/library/internal/testkit"
)

func TestValuesOfAClaimGiveRoles(t *testing.T) {
	t.Parallel()
	user, both := []string{"ROLE_LIBRARY_USER"}, []string{"ROLE_LIBRARY_USER", "ROLE_LIBRARY_ADMIN"}
	mapOf := func(text string) claims.RoleMap {
		m, err := claims.ParseRoleMap(text, allRoles)
		testkit.NoError(t, err)
		return m
	}
	for rule, c := range map[string]struct {
		mapping claims.Mapping
		payload string
		want    []string
		reason  claims.Reason
	}{
		"a claim that is named":          {claims.Mapping{AuthoritiesClaim: "scp"}, `{"scp":"library_user","scope":"library_admin"}`, user, ""},
		"a path":                         {claims.Mapping{Authorities: claims.ModeGroups, AuthoritiesClaim: "realm_access.roles"}, `{"realm_access":{"roles":["library_user"]}}`, user, ""},
		"an object":                      {claims.Mapping{AuthoritiesClaim: "r"}, `{"r":{"library_user":{"1":"x"}}}`, user, ""},
		"an object, with nothing named":  {claims.Mapping{Authorities: claims.ModeGroups}, `{"groups":{"library_user":1}}`, nil, claims.ReasonUnusable},
		"a map":                          {claims.Mapping{Authorities: claims.ModeGroups, Roles: mapOf("LIBRARY_USER=staff;LIBRARY_ADMIN=it,root")}, `{"groups":["x","staff","root","it"]}`, both, ""},
		"a value for two roles":          {claims.Mapping{Roles: mapOf("LIBRARY_USER=it;LIBRARY_ADMIN=it")}, `{"scope":"it"}`, both, ""},
		"a map knows upper case":         {claims.Mapping{Roles: mapOf("LIBRARY_USER=Staff")}, `{"scope":"staff STAFF"}`, nil, claims.ReasonUnmapped},
		"what is not in a map":           {claims.Mapping{Roles: mapOf("LIBRARY_USER=staff")}, `{"scope":"library_admin LIBRARY_ADMIN"}`, nil, claims.ReasonUnmapped},
		"a map, and names with spaces":   {claims.Mapping{AuthoritiesClaim: "g", Roles: mapOf("LIBRARY_USER=All Staff")}, `{"g":["All Staff"]}`, user, ""},
		"a map, and slashes and commas":  {claims.Mapping{AuthoritiesClaim: "g", Roles: mapOf("LIBRARY_USER=/a%2Cb")}, `{"g":["/a,b"]}`, user, ""},
		"a map in plain mode is nothing": {claims.Mapping{Authorities: claims.ModePlain, Roles: mapOf("LIBRARY_USER=staff")}, `{"scope":"staff"}`, []string{"SCOPE_staff"}, ""},
		"local mode reads no claim":      {claims.Mapping{Authorities: claims.ModeLocal, AuthoritiesClaim: "g"}, `{"g":["library_admin"]}`, nil, ""},
		"no claim":                       {claims.Mapping{AuthoritiesClaim: "g"}, `{"scope":"library_admin"}`, nil, claims.ReasonMissing},
		"an empty claim":                 {claims.Mapping{AuthoritiesClaim: "g"}, `{"g":[]}`, nil, claims.ReasonMissing},
		"an unusable claim":              {claims.Mapping{AuthoritiesClaim: "g"}, `{"g":[1]}`, nil, claims.ReasonUnusable},
		"groups that are elsewhere":      {claims.Mapping{Authorities: claims.ModeGroups}, `{"_claim_names":{"groups":"s"},"scope":"library_user"}`, nil, claims.ReasonElsewhere},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			set, err := claims.Parse([]byte(c.payload))
			testkit.NoError(t, err)
			got, reason := c.mapping.AuthoritiesOf(set)
			testkit.Equal(t, reason, c.reason)
			testkit.Diff(t, c.want, got, cmpopts.EquateEmpty())
		})
	}
}

func TestKindsOfTokensAreToldApart(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		payload    string
		access, id bool
	}{
		"an access token of Keycloak":            {`{"typ":"Bearer","scope":"x","sub":"1","iat":1}`, true, false},
		"an ID token of Keycloak":                {`{"typ":"ID","sub":"1","iat":1}`, false, true},
		"a refresh token":                        {`{"typ":"Refresh","at_hash":"x"}`, false, false},
		"a logout token":                         {`{"typ":"Logout","sub":"1","iat":1}`, false, false},
		"at_hash":                                {`{"at_hash":"x","scope":"x"}`, false, true},
		"c_hash":                                 {`{"c_hash":"x"}`, false, true},
		"at_hash that is no text":                {`{"at_hash":null}`, false, true},
		"an ID token of Google":                  {`{"azp":"c","sub":"1","iat":1,"at_hash":"x","hd":"example.org"}`, false, true},
		"an ID token that does not say so":       {`{"sub":"1","iat":1,"auth_time":1}`, true, true},
		"an ID token with a nonce":               {`{"sub":"1","iat":1,"nonce":"x"}`, true, true},
		"a nonce and no subject":                 {`{"nonce":"x"}`, true, true},
		"a nonce and a scope":                    {`{"sub":"1","iat":1,"nonce":"x","scope":"x"}`, true, false},
		"an access token of Entra with a nonce":  {`{"sub":"1","iat":1,"nonce":"x","appid":"c","scp":"x"}`, true, false},
		"a nonce, a scope and a hash":            {`{"sub":"1","iat":1,"nonce":"x","scope":"x","at_hash":"x"}`, false, true},
		"no subject":                             {`{"iat":1}`, true, false},
		"a scope":                                {`{"sub":"1","iat":1,"scope":"x"}`, true, false},
		"an access token of Okta":                {`{"sub":"1","iat":1,"cid":"x","scp":["openid"]}`, true, false},
		"an access token of Entra without a scp": {`{"sub":"1","iat":1,"azpacr":"1","roles":["x"]}`, true, false},
		"an access token of Cognito":             {`{"sub":"1","iat":1,"token_use":"access"}`, true, false},
		"an ID token of Cognito":                 {`{"sub":"1","iat":1,"token_use":"id"}`, true, true},
		"a typ that is no text":                  {`{"typ":1,"at_hash":"x"}`, false, false},
	} {
		set, err := claims.Parse([]byte(c.payload))
		testkit.NoError(t, err)
		access, id := claims.Mapping{}.Takes(set), claims.Mapping{Tokens: claims.IDTokens}.Takes(set)
		if access != c.access || id != c.id {
			t.Errorf("%s: as an access token %v, as an ID token %v", rule, access, id)
		}
	}
}

func TestModesAreListedOnce(t *testing.T) {
	t.Parallel()
	testkit.Equal(t, claims.ModeNames(" or "), "scope, groups, local or plain")
	testkit.Equal(t, claims.ModeNames(" or ", claims.ModePlain), "scope, groups or local")
}
