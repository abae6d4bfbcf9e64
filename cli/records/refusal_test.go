package records

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
)

func TestEveryRefusalOfLendingHasOurOwnWords(t *testing.T) {
	t.Parallel()
	about := Matter{Title: "Clean Code", Due: "due tomorrow"}
	for _, e := range []*library.Error{
		library.ErrReserved, library.ErrNotLendable, library.ErrLoanLimit, library.ErrHasOverdue, library.ErrHasIt, library.ErrRenewalLimit,
		library.ErrAwaited, library.ErrNotOpen, library.ErrAvailable, library.ErrAlreadyHeld, library.ErrHoldLimit, library.ErrNotActive, library.ErrNotReady,
		library.ErrHasHolds, library.ErrTooEarly, library.ErrDeskOnly, library.ErrLoanNotFound, library.ErrHoldNotFound,
	} {
		err := clitest.RefusalOf(e)
		for _, m := range []Matter{about, {Title: "Clean Code", Reader: "Bruce Wayne"}} {
			explained := m.Explain(err)
			if strings.Contains(explained.Error(), "Nein") || command.ExitCode(explained) != command.ExitCode(err) || command.RefusalCode(explained) != e.Code {
				t.Errorf("%s: %q, exit code %d, code %q", e.Code, explained, command.ExitCode(explained), command.RefusalCode(explained))
			}
		}
	}
}

func TestAReaderAndTheDeskGetDifferentMessages(t *testing.T) {
	t.Parallel()
	limit := &client.Error{Status: http.StatusConflict, Code: library.ErrLoanLimit.Code, Message: "You may have five books at a time; return one first."}
	if text := (Matter{Title: "x"}).Explain(limit).Error(); !strings.HasPrefix(text, "You have as many books") {
		t.Errorf("the reader: %s", text)
	}
	if text := (Matter{Title: "x", Reader: "Bruce Wayne"}).Explain(limit).Error(); !strings.HasPrefix(text, "Bruce Wayne has as many books") {
		t.Errorf("the desk: %s", text)
	}
}
