package users

import (
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
)

func TestACardThatIsTakenIsNamed(t *testing.T) {
	t.Parallel()
	if explained := explainUser(api.User{Card: "C1"}, clitest.RefusalOf(library.ErrCardTaken)); !strings.Contains(explained.Error(), "C1") || command.ExitCode(explained) != command.ExitConflict {
		t.Errorf("%s: %q", library.ErrCardTaken.Code, explained)
	}
}
