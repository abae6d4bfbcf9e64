package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// knownProvider is a section of docs/providers.md.
type knownProvider struct {
	name     string
	config   string
	token    testidp.Claims
	userinfo testidp.Claims
	email    string // who is let in,
	role     string // and with which role
	missing  [][2]string
}

var (
	configBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")
	claimsBlock = regexp.MustCompile("(?s)\\*\\*(An? [^\n]*?|Its userinfo[^\n]*?)\n\n```json\n(.*?)```")
	outcomeLine = regexp.MustCompile("(?m)^(?:It lets|Together they let) `([^`]+)` in with `([^`]+)`\\.$")
	missingRow  = regexp.MustCompile("(?m)^\\| (.+) \\| `([^|]+)` \\|$")
)

func readProviders(t *testing.T) []knownProvider {
	t.Helper()
	page, err := os.ReadFile("../docs/providers.md")
	testkit.NoError(t, err)
	var all []knownProvider
	for _, section := range strings.Split(string(page), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		p := knownProvider{name: name, config: configBlock.FindStringSubmatch(text)[1]}
		for _, block := range claimsBlock.FindAllStringSubmatch(text, -1) {
			into := &p.token
			if strings.HasPrefix(block[1], "Its userinfo") {
				into = &p.userinfo
			}
			testkit.NoError(t, json.Unmarshal([]byte(block[2]), into))
		}
		outcome := outcomeLine.FindStringSubmatch(text)
		p.email, p.role = outcome[1], outcome[2]
		_, table, _ := strings.Cut(text, "|---|---|\n")
		for _, row := range missingRow.FindAllStringSubmatch(table, -1) {
			p.missing = append(p.missing, [2]string{row[1], row[2]})
		}
		all = append(all, p)
	}
	return all
}

// example is what stands in a configuration where people fill in their own values.
func (p knownProvider) example(placeholder string) string {
	audience := func(at int) string {
		several, _ := p.token["aud"].([]any)
		if single, is := p.token["aud"].(string); is {
			return single
		}
		return several[at].(string)
	}
	switch placeholder {
	case "<YOUR E-MAIL ADDRESS>":
		return firstAdmin
	case "<GROUP OF READERS>":
		return "library readers"
	case "<PROJECT-ID>":
		return audience(1)
	case "<API IDENTIFIER>":
		return audience(0)
	case "<CLIENT-ID>":
		if id, is := p.token["client_id"].(string); is {
			return id
		}
		if single, is := p.token["aud"].(string); is {
			return single
		}
	}
	return "example"
}

// start starts a library with the configuration of the page, without one of its
// settings if that is to be missing.
func (p knownProvider) start(t *testing.T, idp *testidp.Provider, without string) *server {
	t.Helper()
	text := regexp.MustCompile(`<[A-Z][A-Z0-9 -]*>`).ReplaceAllStringFunc(p.config, p.example)
	if without != "" {
		shorter := regexp.MustCompile(`(?m)^`+without+` = .*\n`).ReplaceAllString(text, "")
		if shorter == text {
			t.Fatalf("the configuration has no %s", without)
		}
		text = shorter
	}
	file := filepath.Join(t.TempDir(), "library.toml")
	testkit.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	s := startWith(t, idp, "--config", file, "--database", emptySQLite(t), "--sample-data")
	s.awaitReady(t)
	return s
}

// mint makes the token of the page, of our issuer and of now.
func (p knownProvider) mint(t *testing.T, idp *testidp.Provider, change testidp.Claims) string {
	t.Helper()
	claims := maps.Clone(p.token)
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
	providers := readProviders(t)
	testkit.Equal(t, len(providers), 9, "providers")
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			idp := testidp.New(t)
			idp.SetUserinfo(p.userinfo)
			s := p.start(t, idp, "")
			good := p.mint(t, idp, nil)
			me := into[struct {
				Email       string
				Authorities []string
			}](s.with(t, good).get("/me").want(200))
			if me.Email != p.email || strings.Join(libraryRoles(me.Authorities), " ") != "ROLE_"+p.role {
				t.Errorf("%+v, want %s with %s", me, p.email, p.role)
			}
			newMachine(t, "LIBRARY_SERVER="+s.base, "LIBRARY_TOKEN="+good).run("", "doctor").want(t, 0, "ok\troles\treader")
			if len(p.missing) < 3 {
				t.Errorf("only %d rows say what is missing", len(p.missing))
			}
			for _, row := range p.missing {
				p.examine(t, idp, s, row[0], row[1])
			}
		})
	}
}

// examine takes one thing away and asks the doctor.
func (p knownProvider) examine(t *testing.T, idp *testidp.Provider, s *server, missing, says string) {
	t.Helper()
	quoted := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(missing, -1)
	change := testidp.Claims{}
	switch {
	case strings.HasPrefix(missing, "the userinfo endpoint"):
		idp.SetUserinfo(nil)
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
