package auth

import (
	"strings"
	"testing"

	"example.org/library/auth/claims"
	"example.org/library/internal/testkit"
)

func TestATokenForAnyOfTheAudiencesIsLetIn(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) { c.OtherAudiences = []string{"api://library", "other"} })
	for _, c := range []struct {
		aud  any
		want string
	}{
		{testAudience, ""}, {"api://library", ""}, {[]string{"x", "other"}, ""}, {"x", "wrong_audience"}, {"api://librar", "wrong_audience"},
		{testAudience + ",other", "wrong_audience"}, {[]any{"other", 1}, "wrong_audience"}, {nil, "wrong_audience"},
	} {
		mustTry(t, b, ecSigner().token(map[string]any{"aud": c.aud}), c.want)
	}
	_, err := b.Authenticate(requestWith("Bearer " + ecSigner().token(map[string]any{"aud": "x"})))
	if challenge := err.(*Error).Challenge; !strings.Contains(challenge, "'"+testAudience+"'") || strings.Contains(challenge, "other") {
		t.Errorf("the challenge names the first alone: %s", challenge)
	}
}

func TestTheAudienceMayBeInAnotherClaim(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) { c.Mapping.AudienceClaim = "client_id" })
	mustTry(t, b, ecSigner().token(map[string]any{"aud": nil, "client_id": testAudience}), "")
	mustTry(t, b, ecSigner().token(map[string]any{"client_id": "other"}), "wrong_audience")
	mustTry(t, b, ecSigner().token(nil), "wrong_audience")
}

func TestTheEmailMayBeInAnotherClaim(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) {
		c.Mapping.EmailClaim, c.RequireVerifiedEmail = "upn", true
	})
	id, err := b.Authenticate(requestWith("Bearer " + ecSigner().token(map[string]any{"upn": "u@example.com"})))
	testkit.NoError(t, err)
	testkit.Equal(t, id.Email, "u@example.com")
	mustTry(t, b, ecSigner().token(map[string]any{"upn": "u@example.com", "email_verified": false}), "email_not_verified")
	mustTry(t, b, ecSigner().token(nil), "unknown_user")
	mustTry(t, b, ecSigner().token(map[string]any{"upn": []string{"u@example.com"}}), "unknown_user")
}

func TestAnIDTokenIsTakenOnlyIfIDTokensAre(t *testing.T) {
	t.Parallel()
	s := ecSigner()
	access := newTestBearer(newProvider(jwks(s)))
	id := newTestBearer(newProvider(jwks(s)), func(c *Config) { c.Mapping.Tokens = claims.IDTokens })
	google := map[string]any{"typ": nil, "scope": nil, "sub": "1", "at_hash": "x"}
	plain := map[string]any{"typ": nil, "scope": nil, "sub": "1"}
	const wrong = "wrong_token_type"
	for _, c := range []struct {
		rule, token, access, id string
	}{
		{"an access token", s.token(nil), "", wrong},
		{"an ID token", s.token(google), wrong, ""},
		{"c_hash", s.token(map[string]any{"c_hash": "x"}), wrong, ""},
		{"an ID token without a hash", s.token(plain), "", ""},
		{"an access token by its header", s.sign(s.header(map[string]any{"typ": "at+jwt"}), claimSet(google)), wrong, wrong},
		{"an access token by its long header", s.sign(s.header(map[string]any{"typ": "Application/AT+jwt"}), claimSet(plain)), "", wrong},
		{"a refresh token", s.token(map[string]any{"typ": "Refresh"}), wrong, wrong},
		{"an ID token for somebody else", s.token(map[string]any{"at_hash": "x", "aud": "other"}), wrong, "wrong_audience"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			mustTry(t, access, c.token, c.access)
			mustTry(t, id, c.token, c.id)
		})
	}
	_, err := id.Authenticate(requestWith("Bearer " + s.token(nil)))
	testkit.Equal(t, err.(*Error).Message, "The token is not an ID token")
}

func TestAnIdentityKnowsThePerson(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())))
	for _, c := range []struct {
		change map[string]any
		want   claims.Person
	}{
		{map[string]any{"sub": "1", "given_name": "B", "family_name": "W", "name": "B W"},
			claims.Person{Issuer: testIssuer, Subject: "1", GivenName: "B", FamilyName: "W", Name: "B W", EmailVerified: claims.Verified}},
		{map[string]any{"sub": 1, "name": []string{"x"}, "email_verified": "true"}, claims.Person{Issuer: testIssuer, EmailVerified: claims.TextTrue}},
		{map[string]any{"email_verified": "yes"}, claims.Person{Issuer: testIssuer, EmailVerified: claims.Denied}},
		{map[string]any{"email_verified": nil}, claims.Person{Issuer: testIssuer}},
	} {
		id, err := b.Authenticate(requestWith("Bearer " + ecSigner().token(c.change)))
		testkit.NoError(t, err)
		testkit.Diff(t, c.want, id.Person())
	}
}

func TestAnIdentityKnowsWhyItHasNoRoles(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]any{"_claim_names": map[string]string{"groups": "src1"}, "groups": []string{"library_admin"}}
	for _, c := range []struct {
		rule    string
		mapping claims.Mapping
		mode    Mode
		change  map[string]any
		claim   string
		reason  claims.Reason
	}{
		{"with the usual settings nothing is said", claims.Mapping{}, ModeGroups, nil, "", ""},
		{"but for groups that are elsewhere", claims.Mapping{}, ModeGroups, elsewhere, "groups", claims.ReasonElsewhere},
		{"which are no matter where scopes count", claims.Mapping{}, ModeScope, elsewhere, "", ""},
		{"a claim that is named", claims.Mapping{AuthoritiesClaim: "a.b"}, ModeScope, nil, "a.b", claims.ReasonMissing},
		{"a claim that is there", claims.Mapping{AuthoritiesClaim: "scope"}, ModeGroups, nil, "scope", ""},
		{"a map", claims.Mapping{Roles: claims.RoleMap{"x": nil}}, ModeScope, nil, "scope", claims.ReasonUnmapped},
		{"roles of the record", claims.Mapping{AuthoritiesClaim: "a"}, ModeLocal, nil, "", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			b := newTestBearer(newProvider(jwks(ecSigner())), func(cfg *Config) { cfg.Mapping, cfg.Authorities = c.mapping, c.mode })
			id, err := b.Authenticate(requestWith("Bearer " + ecSigner().token(c.change)))
			testkit.NoError(t, err)
			if id.RolesClaim != c.claim || id.RolesMissing != c.reason || c.reason != "" && len(id.Authorities) > 0 {
				t.Errorf("%+v", id)
			}
		})
	}
}
