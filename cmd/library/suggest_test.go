package main

import (
	"strings"
	"testing"

	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func TestASlipOfThePenIsUnderstood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, says string }{
		{"boks", "boks: there is no such command; did you mean books?"},
		{"Boosk list", "did you mean books?"},
		{"sevre --issuer x", "sevre: there is no such command; did you mean serve?"},
		{"versoin", "did you mean version?"},
		{"books lst", "lst: there is no such command; did you mean list?"},
		{"books search rivers", "search: there is no such command; did you mean list?"},
		{"books lst --search x", "lst: there is no such command; did you mean list?"},
		{"books borow x", "did you mean borrow?"},
		{"books exp", "did you mean export?"},
		{"books list --serch x", "--serch: there is no such flag; did you mean --search?"},
		{"books list --serch=x", "--serch: there is no such flag; did you mean --search?"},
		{"serve --isuer x", "--isuer: there is no such flag; did you mean --issuer?"},
		{"cooking", "cooking: there is no such command\n"},
		{"ls", "ls: there is no such command\n"},
		{"books list --loud", "--loud: there is no such flag\n"},
		{"books list -x", "-x"},
	} {
		var stderr testkit.Buffer
		code, _ := runHere(t.Context(), &stderr, strings.Fields(c.line)...)
		if code != command.ExitUsage || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: exit code %d, %s", c.line, code, stderr.String())
		}
	}
}
