package claims_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/library/auth/claims"
	"example.org/library/internal/testkit"
)

var allRoles = []string{"LIBRARY_USER", "LIBRARY_CURATOR", "LIBRARY_ADMIN"}

func TestARoleMapIsReadByteForByte(t *testing.T) {
	t.Parallel()
	user, admin := []string{"LIBRARY_USER"}, []string{"LIBRARY_ADMIN"}
	for text, want := range map[string]claims.RoleMap{
		"": nil,
		"LIBRARY_USER=readers,staff;LIBRARY_ADMIN=it":       {"readers": user, "staff": user, "it": admin},
		"LIBRARY_USER=6f9a1c3e-0000-4b1e-9d6f-3a2b1c0d9e8f": {"6f9a1c3e-0000-4b1e-9d6f-3a2b1c0d9e8f": user},
		"LIBRARY_USER=All Staff, readers ":                  {"All Staff": user, " readers ": user},
		"LIBRARY_USER=/school/pupils":                       {"/school/pupils": user},
		"LIBRARY_USER=a%2Cb%3Bc%3Dd%25e%20f":                {"a,b;c=d%e f": user},
		"LIBRARY_USER=cn%3Dreaders%2Cou%3Dgroups":           {"cn=readers,ou=groups": user},
		"LIBRARY_USER=L%C3%A9ser,Léser":                     {"Léser": user},
		"LIBRARY_USER=a+b":                                  {"a+b": user},
		"LIBRARY_USER=a;LIBRARY_ADMIN=a":                    {"a": {"LIBRARY_USER", "LIBRARY_ADMIN"}},
		"LIBRARY_USER=a,a;LIBRARY_USER=b":                   {"a": user, "b": user},
		"LIBRARY_USER=IT,it":                                {"IT": user, "it": user},
	} {
		got, err := claims.ParseRoleMap(text, allRoles)
		testkit.NoError(t, err)
		testkit.Diff(t, want, got)
	}
}

func TestAFaultInARoleMapIsNamed(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"readers":                           `has "readers" in it; it must be such as LIBRARY_USER=readers,staff;LIBRARY_ADMIN=it`,
		"LIBRARY_USER=a;":                   `has "" in it`,
		";":                                 `has "" in it`,
		"LIBRARY_READER=a":                  `the role "LIBRARY_READER" in it; the roles are LIBRARY_USER, LIBRARY_CURATOR, LIBRARY_ADMIN`,
		"library_user=a":                    `the role "library_user" in it`,
		" LIBRARY_USER=a":                   `the role " LIBRARY_USER" in it`,
		"=a":                                `the role "" in it`,
		"LIBRARY_USER=":                     "an empty value for LIBRARY_USER",
		"LIBRARY_USER=a,,b":                 "an empty value for LIBRARY_USER",
		"LIBRARY_USER=cn=readers":           "two equals signs for LIBRARY_USER",
		"LIBRARY_USER=100%":                 `"100%" in it, where a percent sign is not followed by two hexadecimal digits`,
		"LIBRARY_USER=%2":                   "two hexadecimal digits",
		"LIBRARY_USER=%zz":                  "two hexadecimal digits",
		"LIBRARY%_USER=a":                   "two hexadecimal digits",
		"LIBRARY_USER=%ff":                  "not UTF-8",
		"LIBRARY_USER=readers LIBRARY_USER": "",
	} {
		_, err := claims.ParseRoleMap(text, allRoles)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// FuzzParseRoleMap: what is read can be written, and is the same when it is read again.
func FuzzParseRoleMap(f *testing.F) {
	for _, text := range []string{"", "LIBRARY_USER=readers,staff;LIBRARY_ADMIN=it", "LIBRARY_USER=a%2Cb", "LIBRARY_USER=%", "=;,", "LIBRARY_USER=a=b", "LIBRARY_USER= a ,\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := claims.ParseRoleMap(text, allRoles)
		if err != nil {
			return
		}
		var entries []string
		for value, roles := range read {
			if value == "" || len(roles) == 0 {
				t.Errorf("%q gives %q from %q", value, roles, text)
			}
			for _, role := range roles {
				if !slices.Contains(allRoles, role) {
					t.Errorf("the role %q from %q", role, text)
				}
				entries = append(entries, role+"="+claims.EncodeValue(value))
			}
		}
		again, err := claims.ParseRoleMap(strings.Join(entries, ";"), allRoles)
		testkit.NoError(t, err)
		for _, roles := range again {
			slices.Sort(roles)
		}
		for _, roles := range read {
			slices.Sort(roles)
		}
		testkit.Diff(t, read, again)
	})
}
