package cli

import (
	"strings"
	"testing"

	"example.org/library/cli/account"
	"example.org/library/cli/command"
	"example.org/library/cli/doctor"
)

func TestEveryCommandAboutSigningInHasExamples(t *testing.T) {
	t.Parallel()
	a := &command.App{}
	server := account.NewServer(a)
	for _, cmd := range append(server.Commands(), account.NewLogin(a), account.NewLogout(a), account.NewWhoami(a), account.NewToken(a), doctor.New(a), server) {
		lines := strings.Split(cmd.Example, "\n")
		if len(lines) < 2 || len(lines) > 4 || cmd.Short == "" {
			t.Errorf("%s has %d examples", cmd.Name(), len(lines))
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, "library") {
				t.Errorf("%s: the example is %q", cmd.Name(), line)
			}
		}
	}
}
