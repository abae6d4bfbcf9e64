package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// printedFor is what --print-config --for writes.
func printedFor(t *testing.T, name string, args ...string) string {
	t.Helper()
	cfg := &serveConfig{}
	settings := cfg.settings()
	args = append([]string{"--print-config", "--for", name}, args...)
	values, problems := load(settings, args, noVariables)
	testkit.Equal(t, len(problems), 0, "problems")
	var out bytes.Buffer
	testkit.NoError(t, printPreset(&out, name, settings, values))
	return out.String()
}

func noVariables(string) (string, bool) { return "", false }

func TestTheProvidersPageShowsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/providers.md")
	testkit.NoError(t, err)
	for _, name := range presetNames {
		if text := printedFor(t, name); !strings.Contains(string(page), "```toml\n"+text+"```\n") {
			t.Errorf("docs/providers.md does not have what is printed for %s:\n%s", name, text)
		}
	}
}

func TestAPresetIsGoodOnceItIsFilledIn(t *testing.T) {
	t.Parallel()
	for _, name := range presetNames {
		text := printedFor(t, name)
		file := filepath.Join(t.TempDir(), "library.toml")
		testkit.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, problems := configure(nil, "--config", file)
		lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return !toFillIn.MatchString(line) || strings.HasPrefix(line, "#") })
		if len(problems) < len(lines) || !strings.Contains(problems[0].Message, "in it; replace it with your value") {
			t.Errorf("%s: %d lines to fill in, problems %v", name, len(lines), problems)
		}
		filled := toFillIn.ReplaceAllString(strings.ReplaceAll(text, "<YOUR E-MAIL ADDRESS>", "you@example.org"), "x")
		testkit.NoError(t, os.WriteFile(file, []byte(filled), 0o600))
		if cfg, problems := configure(nil, "--config", file); len(problems) > 0 || len(cfg.idle()) > 0 {
			t.Errorf("%s: %v, without effect: %v", name, problems, cfg.idle())
		}
	}
}

func TestWhatIsGivenIsInAPreset(t *testing.T) {
	t.Parallel()
	text := printedFor(t, "entra", "--issuer", goodIssuer, "--audience", "a,b")
	for _, line := range []string{`issuer = "` + goodIssuer + `"`, `audience = ["a", "b"]`, `email-claim = "upn"`} {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(line)).MatchString(text) {
			t.Errorf("no line %s in\n%s", line, text)
		}
	}
}
