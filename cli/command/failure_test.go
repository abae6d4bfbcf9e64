package command

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/client"
)

// TestWhatPassesIsNobodysFault compares what a person is told when something is
// to be looked into, and when it is only to be tried again.
func TestWhatPassesIsNobodysFault(t *testing.T) {
	t.Parallel()
	a := &App{}
	for _, e := range []*library.Error{library.ErrOverloaded, library.ErrUnavailable, library.ErrOutcomeUnknown} {
		told := a.Explain(t.Context(), nil, &client.Error{Status: http.StatusServiceUnavailable, Code: e.Code, Message: e.Message, RequestID: "r1"})
		if !strings.Contains(told.Error(), e.Message) || ExitCode(told) != ExitFailed {
			t.Errorf("%s: %q, exit code %d", e.Code, told, ExitCode(told))
		}
		if named := strings.Contains(told.Error(), "r1"); named != (e != library.ErrOverloaded) {
			t.Errorf("%s: the request id is told: %t", e.Code, named)
		}
	}
}
