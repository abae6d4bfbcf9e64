package e2e

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// knownProvider is a provider of docs/providers.md.
type knownProvider struct{ testidp.Known }

// start starts a library with the configuration of the page, without one of its
// settings if that is to be missing.
func (p knownProvider) start(t *testing.T, idp *testidp.Provider, without string) *server {
	t.Helper()
	s := startWith(t, idp, "--config", p.ConfigFile(t, without), "--database", emptySQLite(t), "--sample-data")
	s.awaitReady(t)
	return s
}

// mint makes the token of the page, of our issuer and of now.
func (p knownProvider) mint(t *testing.T, idp *testidp.Provider, change testidp.Claims) string {
	t.Helper()
	claims := maps.Clone(p.Token)
	maps.Copy(claims, change)
	claims["iss"], claims["exp"], claims["iat"] = idp.Issuer(), time.Now().Add(time.Hour).Unix(), time.Now().Unix()
	maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
	payload, err := json.Marshal(claims)
	testkit.NoError(t, err)
	return idp.Sign(t, payload)
}

// TestTokensOfKnownProvidersLetPeopleIn runs the page: its configurations, its tokens,
// and what the doctor says when one thing is missing.
func TestTokensOfKnownProvidersLetPeopleIn(t *testing.T) {
	t.Parallel()
	known := testidp.ReadKnown(t, "../docs/providers.md")
	testkit.Equal(t, len(known), 9, "providers")
	for _, k := range known {
		p := knownProvider{k}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			idp := testidp.New(t)
			idp.SetUserinfo(p.Userinfo)
			s := p.start(t, idp, "")
			good := p.mint(t, idp, nil)
			me := into[struct {
				Email       string
				Authorities []string
			}](s.with(t, good).get("/me").want(200))
			if me.Email != p.Email || strings.Join(libraryRoles(me.Authorities), " ") != "ROLE_"+p.Role {
				t.Errorf("%+v, want %s with %s", me, p.Email, p.Role)
			}
			newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+good).run("", "doctor").want(t, 0, "ok\troles\treader")
			p.examineStranger(t, idp, s)
			if len(p.Missing) < 3 {
				t.Errorf("only %d rows say what is missing", len(p.Missing))
			}
			for _, row := range p.Missing {
				p.examine(t, idp, s, row[0], row[1])
			}
		})
	}
}

// examineStranger asks the doctor about a person without a record: nothing else is wrong.
func (p knownProvider) examineStranger(t *testing.T, idp *testidp.Provider, s *server) {
	t.Helper()
	const stranger = "the.joker@example.org"
	change := func(says testidp.Claims) testidp.Claims {
		changed := maps.Clone(says)
		for name, value := range says {
			if value == p.Email {
				changed[name] = stranger
			}
		}
		return changed
	}
	claims := change(p.Token)
	claims["jti"] = "a stranger" // what the provider said of the first token is known
	idp.SetUserinfo(change(p.Userinfo))
	defer idp.SetUserinfo(p.Userinfo)
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+p.mint(t, idp, claims))
	doctorCase{says: []string{"!!  user  the library has no user with "}}.run(t, m)
	m.run("", "doctor").want(t, 1, "'library users add', or to switch you on with 'library users activate'", "1 of 10 checks failed.")
}

// examine takes one thing away and asks the doctor.
func (p knownProvider) examine(t *testing.T, idp *testidp.Provider, s *server, missing, says string) {
	t.Helper()
	quoted := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(missing, -1)
	change := testidp.Claims{}
	switch {
	case strings.HasPrefix(missing, "the userinfo endpoint"):
		idp.SetUserinfo(nil)
		change["jti"] = "another" // what was said of the first token is known
	case strings.HasPrefix(missing, "the setting "):
		s = p.start(t, idp, quoted[0][1])
	case strings.HasPrefix(missing, "without "):
		change[quoted[0][1]] = nil
	default:
		var value any
		testkit.NoError(t, json.Unmarshal([]byte(quoted[1][1]), &value))
		change[quoted[0][1]] = value
	}
	m := newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+p.mint(t, idp, change))
	o := m.run("", "doctor")
	if o.code == 0 || !strings.Contains(o.stdout, says) {
		t.Errorf("%s: the doctor does not say %q:\n%s", missing, says, o.stdout)
	}
}

// libraryRoles are the authorities that are roles of the library.
func libraryRoles(authorities []string) (roles []string) {
	for _, name := range authorities {
		if strings.HasPrefix(name, "ROLE_LIBRARY_") {
			roles = append(roles, name)
		}
	}
	return roles
}
