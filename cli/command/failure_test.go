package command

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// TestWhatPassesIsNobodysFault compares the message about a fault with the one about
// an overload, which only has to be tried again.
func TestWhatPassesIsNobodysFault(t *testing.T) {
	t.Parallel()
	a := &App{}
	for _, e := range []*library.Error{library.ErrOverloaded, library.ErrUnavailable, library.ErrOutcomeUnknown} {
		explained := a.Explain(t.Context(), nil, &client.Error{Status: http.StatusServiceUnavailable, Code: e.Code, Message: e.Message, RequestID: "r1"})
		if !strings.Contains(explained.Error(), e.Message) || ExitCode(explained) != ExitFailed {
			t.Errorf("%s: %q, exit code %d", e.Code, explained, ExitCode(explained))
		}
		testkit.Equal(t, strings.Contains(explained.Error(), "r1"), (e != library.ErrOverloaded), e.Code)
	}
}
