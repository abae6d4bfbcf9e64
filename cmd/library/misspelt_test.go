package main

import (
	"bytes"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/cli"
	"example.org/library/cli/command"
)

// runNamed runs the program with these variables, and with no others.
func runNamed(t *testing.T, variables map[string]string, args ...string) (code int, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Run(t.Context(), args, command.Environment{
		Lookup: func(name string) (string, bool) { v, ok := variables[name]; return v, ok },
		Names:  func() []string { return slices.Collect(maps.Keys(variables)) },
		Stdin:  strings.NewReader(""), Stdout: &out, Stderr: &err,
	}, program())
	return code, err.String()
}

func TestAMisspeltVariableIsNamedWithTheNearestRightOne(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, name, meant string
	}{
		{"a letter left out", "LIBRARY_DATBASE", "LIBRARY_DATABASE"},
		{"two letters swapped", "LIBRARY_ISUSER", "LIBRARY_ISSUER"},
		{"the beginning of a name", "LIBRARY_MANAGEMENT", "LIBRARY_MANAGEMENT_ADDR"},
		{"of another command", "LIBRARY_TOKEM", "LIBRARY_TOKEN"},
		{"of a provider", "LIBRARY_IDP_ADR", "LIBRARY_IDP_ADDR"},
		{"without its group", "LIBRARY_EVERY", "LIBRARY_BACKUP_EVERY"},
		{"a short one without its group", "LIBRARY_KEEP", "LIBRARY_BACKUP_KEEP"},
	} {
		variables := map[string]string{c.name: "x", "HOME": t.TempDir(), "LIBRARY_LOG_LEVEL": "loud"}
		code, stderr := runNamed(t, variables, "serve")
		want := c.name + ": there is no such setting; did you mean " + c.meant + "?"
		if code != command.ExitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, "LIBRARY_LOG_LEVEL: ") {
			t.Errorf("%s, serve: %d %s", c.rule, code, stderr)
		}
		code, stderr = runNamed(t, variables, "server", "list")
		if code != command.ExitOK || !strings.Contains(stderr, "Warning: "+want) {
			t.Errorf("%s, server list: %d %s", c.rule, code, stderr)
		}
	}
}

func TestAVariableOfAnotherCommandOrOfSomebodyElseIsNoMistake(t *testing.T) {
	t.Parallel()
	_, topic := runHere(t.Context(), io.Discard, "help", "environment")
	names := regexp.MustCompile(`LIBRARY_[A-Z_]+`).FindAllString(topic, -1)
	names = append(names, "LIBRARY_ADDR", "LIBRARY_IDP_ADDR", "LIBRARY_WEB_ADDR", "LIBRARY_DEMO_LOG_LEVEL", "LIBRARY_NAME",
		"LIBRARY_PORT", "LIBRARY_PORT_9091_TCP", "LIBRARY_PORT_9091_TCP_ADDR", "LIBRARY_SERVICE_HOST", "LIBRARY_SERVICE_PORT_HTTP")
	for _, name := range names {
		variables := map[string]string{name: "file", "HOME": t.TempDir()}
		if _, stderr := runNamed(t, variables, "server", "list"); strings.Contains(stderr, "no such setting") {
			t.Errorf("%s: %s", name, stderr)
		}
	}
	if _, stderr := runNamed(t, map[string]string{"LIBRARY_DATBASE": "", "HOME": t.TempDir()}, "server", "list"); stderr != "" {
		t.Errorf("one without a value: %s", stderr)
	}
}
