package cli

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
)

// refusalOf is what the service says of an error, in words that nobody knows.
func refusalOf(e *library.Error) error {
	status := http.StatusConflict
	if e.Kind == library.NotFound {
		status = http.StatusNotFound
	}
	return &client.Error{Status: status, Code: e.Code, Message: "Nein"}
}

func TestEveryRefusalOfLendingIsToldInWordsOfOurOwn(t *testing.T) {
	t.Parallel()
	about := matter{title: "Clean Code", due: "due tomorrow"}
	for _, e := range []*library.Error{
		library.ErrReserved, library.ErrNotLendable, library.ErrLoanLimit, library.ErrHasOverdue, library.ErrHasIt, library.ErrRenewalLimit,
		library.ErrAwaited, library.ErrNotOpen, library.ErrAvailable, library.ErrAlreadyHeld, library.ErrHoldLimit, library.ErrNotActive, library.ErrNotReady,
		library.ErrHasHolds, library.ErrTooEarly, library.ErrDeskOnly, library.ErrLoanNotFound, library.ErrHoldNotFound,
	} {
		err := refusalOf(e)
		for _, m := range []matter{about, {title: "Clean Code", reader: "Bruce Wayne"}} {
			told := m.explain(err)
			if strings.Contains(told.Error(), "Nein") || exitCode(told) != exitCode(err) || refusalCode(told) != e.Code {
				t.Errorf("%s: %q, exit code %d, code %q", e.Code, told, exitCode(told), refusalCode(told))
			}
		}
	}
}

func TestEveryRefusalOfACopyIsToldInWordsOfOurOwn(t *testing.T) {
	t.Parallel()
	copied := shelved{Copy: api.Copy{Barcode: "B1"}, book: api.Book{Title: "Clean Code"}}
	for _, e := range []*library.Error{library.ErrBarcodeTaken, library.ErrCopyOnLoan, library.ErrTooManyCopies, library.ErrCopyNotFound, library.ErrOutdated} {
		if told := explainCopy(copied, "B1", refusalOf(e)); strings.Contains(told.Error(), "Nein") || exitCode(told) != exitCode(refusalOf(e)) {
			t.Errorf("%s: %q, exit code %d", e.Code, told, exitCode(told))
		}
	}
}

func TestACardThatIsTakenIsNamed(t *testing.T) {
	t.Parallel()
	if told := explainUser(api.User{Card: "C1"}, refusalOf(library.ErrCardTaken)); !strings.Contains(told.Error(), "C1") || exitCode(told) != ExitConflict {
		t.Errorf("%s: %q", library.ErrCardTaken.Code, told)
	}
}

func TestAReaderAndTheDeskAreToldDifferentThings(t *testing.T) {
	t.Parallel()
	limit := &client.Error{Status: http.StatusConflict, Code: library.ErrLoanLimit.Code, Message: "You may have five books at a time; return one first."}
	if text := (matter{title: "x"}).explain(limit).Error(); !strings.HasPrefix(text, "You have as many books") {
		t.Errorf("the reader: %s", text)
	}
	if text := (matter{title: "x", reader: "Bruce Wayne"}).explain(limit).Error(); !strings.HasPrefix(text, "Bruce Wayne has as many books") {
		t.Errorf("the desk: %s", text)
	}
}

// TestWhatPassesIsNobodysFault compares what a person is told when something is
// to be looked into, and when it is only to be tried again.
func TestWhatPassesIsNobodysFault(t *testing.T) {
	t.Parallel()
	a := &app{}
	for _, e := range []*library.Error{library.ErrOverloaded, library.ErrUnavailable, library.ErrOutcomeUnknown} {
		told := a.explain(t.Context(), nil, &client.Error{Status: http.StatusServiceUnavailable, Code: e.Code, Message: e.Message, RequestID: "r1"})
		if !strings.Contains(told.Error(), e.Message) || exitCode(told) != ExitFailed {
			t.Errorf("%s: %q, exit code %d", e.Code, told, exitCode(told))
		}
		if named := strings.Contains(told.Error(), "r1"); named != (e != library.ErrOverloaded) {
			t.Errorf("%s: the request id is told: %t", e.Code, named)
		}
	}
}
