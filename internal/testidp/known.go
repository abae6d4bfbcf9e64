package testidp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Known is a provider with its configuration and tokens in the page docs/providers.md.
type Known struct {
	Name     string
	Config   string // with <...> where people put their own values
	Token    Claims
	Userinfo Claims // nil if the token says it all
	Email    string // of the person let in
	Role     string // of this person
	Missing  [][2]string
}

var (
	configBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")
	claimsBlock = regexp.MustCompile("(?s)\\*\\*(An? [^\n]*?|Its userinfo[^\n]*?)\n\n```json\n(.*?)```")
	outcomeLine = regexp.MustCompile("(?m)^(?:It lets|Together they let) `([^`]+)` in with `([^`]+)`\\.$")
	missingRow  = regexp.MustCompile("(?m)^\\| (.+) \\| `([^|]+)` \\|$")
	placeholder = regexp.MustCompile(`<[A-Z][A-Z0-9 -]*>`)
)

// ReadKnown reads the page.
func ReadKnown(t testing.TB, page string) []Known {
	t.Helper()
	all, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var known []Known
	for _, section := range strings.Split(string(all), "\n## ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		k := Known{Name: name, Config: configBlock.FindStringSubmatch(text)[1]}
		for _, block := range claimsBlock.FindAllStringSubmatch(text, -1) {
			into := &k.Token
			if strings.HasPrefix(block[1], "Its userinfo") {
				into = &k.Userinfo
			}
			if err := json.Unmarshal([]byte(block[2]), into); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		outcome := outcomeLine.FindStringSubmatch(text)
		k.Email, k.Role = outcome[1], outcome[2]
		_, table, _ := strings.Cut(text, "|---|---|\n")
		for _, row := range missingRow.FindAllStringSubmatch(table, -1) {
			k.Missing = append(k.Missing, [2]string{row[1], row[2]})
		}
		known = append(known, k)
	}
	return known
}

// ConfigFile writes the filled-in configuration of the page. It leaves out the setting named by without, if any.
func (k Known) ConfigFile(t testing.TB, without string) (path string) {
	t.Helper()
	text := placeholder.ReplaceAllStringFunc(k.Config, k.example)
	if without != "" {
		shorter := regexp.MustCompile(`(?m)^`+without+` = .*\n`).ReplaceAllString(text, "")
		if shorter == text {
			t.Fatalf("the configuration has no %s", without)
		}
		text = shorter
	}
	path = filepath.Join(t.TempDir(), "library.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// example matches a placeholder in a configuration.
func (k Known) example(placeholder string) string {
	audience := func(at int) string {
		several, _ := k.Token["aud"].([]any)
		if single, is := k.Token["aud"].(string); is {
			return single
		}
		return several[at].(string)
	}
	switch placeholder {
	case "<YOUR E-MAIL ADDRESS>":
		return "root@example.org"
	case "<GROUP OF READERS>":
		return "library readers"
	case "<PROJECT-ID>":
		return audience(1)
	case "<API IDENTIFIER>":
		return audience(0)
	case "<CLIENT-ID>":
		if id, is := k.Token["client_id"].(string); is {
			return id
		}
		if single, is := k.Token["aud"].(string); is {
			return single
		}
	}
	return "example"
}
