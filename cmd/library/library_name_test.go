package main

import (
	"strings"
	"testing"
)

func TestNameOfTheLibraryIsOneReadableLine(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "Library": "Library", "  Reading Room ": "Reading Room", "Stadtbücherei Linz": "Stadtbücherei Linz", "图书馆": "图书馆",
		"کتاب\u200cخانه": "کتاب\u200cخانه", "<b>&\"'": "<b>&\"'", strings.Repeat("ß", 60): strings.Repeat("ß", 60),
	} {
		var got string
		if err := libraryName(&got)(given); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", given, got, err, want)
		}
	}
	for _, bad := range []string{" ", "two\nlines", "\x1b[31mred", "a\x00b", "a\u202eb", "\xff", strings.Repeat("x", 61)} {
		if err := libraryName(new(string))(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestNameOfTheLibraryHasOneVariableForEveryCommand(t *testing.T) {
	t.Parallel()
	for command, cfg := range map[string]configuration{"serve": &serveConfig{}, "web": &webConfig{}, "idp": &idpConfig{}, "demo": &demoConfig{}} {
		found := false
		for _, s := range cfg.settings() {
			found = found || s.flag == "name" && s.env() == "LIBRARY_NAME" && s.value == ""
		}
		if !found {
			t.Errorf("%s has no --name that is LIBRARY_NAME in the environment", command)
		}
	}
}
