package auth

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library/internal/testkit"
)

func TestAuthorities(t *testing.T) {
	t.Parallel()
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	type change = map[string]any
	for name, tt := range map[string]struct {
		mode   Mode
		change change
		want   []string
	}{
		"scope, a string":                   {ModeScope, nil, []string{"ROLE_LIBRARY_USER", "ROLE_EMAIL", "ROLE_PROFILE"}},
		"scope is the default":              {"", change{"scope": "a"}, []string{"ROLE_A"}},
		"scope, an array":                   {ModeScope, change{"scope": []string{"library_admin", "email"}}, []string{"ROLE_LIBRARY_ADMIN", "ROLE_EMAIL"}},
		"scope, an array is not split":      {ModeScope, change{"scope": []string{"a b"}}, []string{"ROLE_A B"}},
		"scope, empty":                      {ModeScope, change{"scope": ""}, nil},
		"scope, spaces only":                {ModeScope, change{"scope": "   "}, nil},
		"scope, several spaces":             {ModeScope, change{"scope": " a  b "}, []string{"ROLE_A", "ROLE_B"}},
		"scope, other white space":          {ModeScope, change{"scope": "a\tb\u00a0c"}, []string{"ROLE_A\tB\u00a0C"}},
		"scope, repeated":                   {ModeScope, change{"scope": "b a b A"}, []string{"ROLE_B", "ROLE_A"}},
		"scope, missing":                    {ModeScope, change{"scope": nil}, nil},
		"scope, null":                       {ModeScope, change{"scope": raw("null")}, nil},
		"scope, a number":                   {ModeScope, change{"scope": 1}, nil},
		"scope, a boolean":                  {ModeScope, change{"scope": true}, nil},
		"scope, an object":                  {ModeScope, change{"scope": change{"library_admin": true}}, nil},
		"scope, an empty array":             {ModeScope, change{"scope": []string{}}, nil},
		"scope, an array with a number":     {ModeScope, change{"scope": []any{"library_admin", 1}}, nil},
		"scope, an array with null":         {ModeScope, change{"scope": []any{"library_admin", nil}}, nil},
		"scope, an array in an array":       {ModeScope, change{"scope": []any{[]string{"library_admin"}}}, nil},
		"scope, a long s is no s":           {ModeScope, change{"scope": "library_u\u017fer"}, []string{"ROLE_LIBRARY_U\u017fER"}},
		"scope, a dotless i is no i":        {ModeScope, change{"scope": "l\u0131brary_admin"}, []string{"ROLE_L\u0131BRARY_ADMIN"}},
		"scope, groups do not count":        {ModeScope, change{"scope": nil, "groups": []string{"library_admin"}}, nil},
		"scope, the name is exact":          {ModeScope, change{"scope": nil, "Scope": "library_admin", "scp": "library_admin"}, nil},
		"groups, an array":                  {ModeGroups, change{"groups": []string{"library_curator"}}, []string{"ROLE_LIBRARY_CURATOR"}},
		"groups, a string":                  {ModeGroups, change{"groups": "library_curator x"}, []string{"ROLE_LIBRARY_CURATOR", "ROLE_X"}},
		"groups, missing":                   {ModeGroups, nil, nil},
		"local, nothing of the token":       {ModeLocal, change{"groups": "library_admin"}, nil},
		"plain, as they are":                {ModePlain, change{"scope": "library_Admin email"}, []string{"SCOPE_library_Admin", "SCOPE_email"}},
		"plain, an array":                   {ModePlain, change{"scope": []string{"a"}}, []string{"SCOPE_a"}},
		"plain, no way to a role by prefix": {ModePlain, change{"scope": "ROLE_LIBRARY_ADMIN"}, []string{"SCOPE_ROLE_LIBRARY_ADMIN"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) { c.Authorities = tt.mode })
			got, err := b.Authenticate(requestWith("Bearer " + ecSigner().token(tt.change)))
			testkit.NoError(t, err)
			want := &Identity{Email: "bruce.wayne@example.com", Authorities: tt.want, FromRecord: tt.mode == ModeLocal,
				Expires: testNow.Add(5 * time.Minute)}
			testkit.Diff(t, want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Identity{}))
		})
	}
}

func TestTheEmailIsHandedOnAsItIs(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())))
	for _, email := range []string{"Clark.KENT@example.com", "clar\u212A.kent@example.com", " x@example.com"} {
		id, err := b.Authenticate(requestWith("Bearer " + ecSigner().token(map[string]any{"email": email})))
		if err != nil || id.Email != email {
			t.Errorf("got %v, %v; want %q", id, err, email)
		}
	}
}

func TestModesAreKnownByName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"scope", "groups", "local", "plain"} {
		if mode, err := ParseMode(name); err != nil || string(mode) != name {
			t.Errorf("%s: got %q, %v", name, mode, err)
		}
	}
	for _, name := range []string{"", "Scope", "roles"} {
		if _, err := ParseMode(name); err == nil {
			t.Errorf("%q was accepted", name)
		}
	}
}
