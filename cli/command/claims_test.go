package command

import (
	"strings"
	"testing"

	"example.org/library/internal/testidp"
)

func TestClaimsAreReadWhateverTheirForm(t *testing.T) {
	t.Parallel()
	c, ok := ReadClaims(testidp.Unsigned(`{"kid":"k"}`, `{"iss":"i","aud":"one","scope":"a b","groups":["x","y"],"email":"e","exp":1e9,"email_verified":false}`))
	if !ok || c.Key != "k" || c.Issuer != "i" || strings.Join(c.Audience, ",") != "one" || strings.Join(c.Scope, ",") != "a,b" ||
		strings.Join(c.Groups, ",") != "x,y" || c.Email != "e" || c.Expiry.Unix() != 1e9 || c.EmailVerified == nil || *c.EmailVerified {
		t.Errorf("%+v %v", c, ok)
	}
	c, ok = ReadClaims(testidp.Unsigned(`{}`, `{"iss":1,"aud":{},"scope":[1],"groups":null,"email":[],"exp":"soon","email_verified":"yes"}`))
	if !ok || c.Issuer != "" || len(c.Audience)+len(c.Scope)+len(c.Groups) > 0 || c.Email != "" || !c.Expiry.IsZero() || c.EmailVerified != nil {
		t.Errorf("%+v %v", c, ok)
	}
	for _, token := range []string{"", "a", "a.b", "a.b.c", "..", testidp.Unsigned(`[]`, `{}`), testidp.Unsigned(`{}`, `[]`), strings.Repeat("a", maxToken+1)} {
		if _, ok := ReadClaims(token); ok {
			t.Errorf("%q is read", token)
		}
	}
}

func FuzzClaims(f *testing.F) {
	f.Add(testidp.Unsigned(`{"kid":"k"}`, `{"iss":"i","aud":["a"],"exp":1}`))
	f.Fuzz(func(_ *testing.T, token string) { ReadClaims(token) })
}
