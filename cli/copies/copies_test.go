package copies

import (
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
)

func TestEveryRefusalOfACopyHasOurOwnWords(t *testing.T) {
	t.Parallel()
	copied := records.BookCopy{Copy: api.Copy{Barcode: "B1"}, Book: api.Book{BookFields: api.BookFields{Title: "Clean Code"}}}
	for _, e := range []*library.Error{library.ErrBarcodeTaken, library.ErrCopyOnLoan, library.ErrTooManyCopies, library.ErrCopyNotFound, library.ErrOutdated} {
		if explained := explainCopy(copied, "B1", clitest.RefusalOf(e)); strings.Contains(explained.Error(), "Nein") || command.ExitCode(explained) != command.ExitCode(clitest.RefusalOf(e)) {
			t.Errorf("%s: %q, exit code %d", e.Code, explained, command.ExitCode(explained))
		}
	}
}
