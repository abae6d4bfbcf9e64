package cli

import (
	"errors"
	"fmt"
	"slices"

	"example.org/library"
	"example.org/library/client"
	"example.org/library/terminal"
)

// hasCode reports whether an error is a refusal with one of these codes.
func hasCode(err error, codes ...string) bool {
	refused, is := asRefusal(err)
	return is && slices.Contains(codes, refused.Code)
}

func asRefusal(err error) (*client.Error, bool) {
	var refused *client.Error
	is := errors.As(err, &refused)
	return refused, is
}

// matter is what a refusal is about: a book, and whose hands it is in or should
// be in.
type matter struct {
	title  string
	reader string // at the desk; "" if it is the caller
	due    string // of a loan, as the end of a sentence: "due in 3 days"; "" if it is not known
	from   string // the day from which on a loan can be renewed; "" if it is not known
	place  int    // of the caller in the queue; 0 if there is none
}

// explain says what a refusal about lending means and what to do next. At the
// desk that is told to somebody else than the reader.
func (m matter) explain(err error) error {
	words := ""
	if m.reader != "" {
		words = m.atTheDesk(err)
	}
	if words == "" {
		words = m.words(err)
	}
	if words == "" {
		return err
	}
	refused, _ := asRefusal(err)
	return refusal(exitCode(err), refused.Code, "%s", words)
}

// refusal is a failure that explains a refusal with this code.
func refusal(exit int, code, format string, args ...any) error {
	return &failure{code: exit, err: fmt.Errorf(format, args...), refusal: code}
}

// atTheDesk is what the desk is told.
func (m matter) atTheDesk(err error) string {
	title, reader := quote(m.title), terminal.Clean(m.reader)
	switch {
	case hasCode(err, library.ErrBookBorrowed.Code):
		return title + " is on loan to somebody else. If it is here, return it first."
	case hasCode(err, library.ErrReserved.Code):
		return title + " is set aside for somebody who asked before " + reader + ". 'library holds list --book " + title + "' shows for whom."
	case hasCode(err, library.ErrNotLendable.Code):
		return title + " cannot be lent. 'library copies list " + title + "' shows which copies there are."
	case hasCode(err, library.ErrLoanLimit.Code):
		return reader + " has as many books as one person can borrow; one of them must come back first."
	case hasCode(err, library.ErrHasOverdue.Code):
		return reader + " has an overdue loan, which must come back first. 'library loans list --overdue --user \"" + reader + "\"' shows it."
	case hasCode(err, library.ErrHasIt.Code):
		return reader + " already has " + title + "."
	case hasCode(err, library.ErrUserNotFound.Code):
		return reader + " is no longer a user; the record has been removed."
	}
	return ""
}

// words is what the reader is told, or anybody about a record.
func (m matter) words(err error) string {
	title := quote(m.title)
	switch {
	case hasCode(err, library.ErrReserved.Code) && m.place > 0:
		return "You are number " + thousands(m.place) + " in the queue for " + title + "; a copy will be set aside for you when it is your turn."
	case hasCode(err, library.ErrReserved.Code):
		return title + " is set aside for those who asked first. 'library holds add " + title + "' puts you into the queue."
	case hasCode(err, library.ErrNotLendable.Code):
		return title + " has no copy that can be lent. Ask at the desk."
	case hasCode(err, library.ErrDeskOnly.Code):
		return "Only the desk does this here. Please take " + title + " there."
	case hasCode(err, library.ErrLoanLimit.Code):
		return "You have as many books as one person can borrow. Return one first; 'library loans list' shows what you have."
	case hasCode(err, library.ErrHasOverdue.Code):
		return "You have an overdue loan. Bring it back first; 'library loans list --overdue' shows what it is."
	case hasCode(err, library.ErrHasIt.Code):
		return "You already have " + title + ". 'library loans list' shows until when."
	case hasCode(err, library.ErrAvailable.Code):
		return title + " is available: 'library books borrow " + title + "' borrows it at once."
	case hasCode(err, library.ErrAlreadyHeld.Code):
		return "You have already reserved " + title + ". 'library holds list' shows your place in the queue."
	case hasCode(err, library.ErrHoldLimit.Code):
		return "You have reserved as many books as the library allows. 'library holds cancel' gives one of them up."
	case hasCode(err, library.ErrHasHolds.Code):
		return title + " is reserved. 'library holds list --book " + title + "' shows by whom; cancel these holds first."
	}
	return m.loanWords(err)
}

// loanWords is what is said of a loan or a hold that is there.
func (m matter) loanWords(err error) string {
	title, due := quote(m.title), ""
	if m.due != "" {
		due = " It is " + m.due + "."
	}
	switch {
	case hasCode(err, library.ErrRenewalLimit.Code):
		return title + " was renewed as often as the library allows." + due
	case hasCode(err, library.ErrAwaited.Code):
		return "Somebody is waiting for " + title + ", so it cannot be renewed." + due
	case hasCode(err, library.ErrTooEarly.Code) && m.from != "":
		return title + " can be renewed from " + m.from + " on; today that would not move the due date." + due
	case hasCode(err, library.ErrTooEarly.Code):
		return "Renewing " + title + " would not move the due date." + due
	case hasCode(err, library.ErrNotOpen.Code):
		return title + " has already been returned. 'library loans list' shows what is still out."
	case hasCode(err, library.ErrLoanNotFound.Code):
		return "This loan of " + title + " is not there any more."
	case hasCode(err, library.ErrNotActive.Code):
		return "The hold on " + title + " has already ended. 'library holds list' shows those that have not."
	case hasCode(err, library.ErrNotReady.Code):
		return "No copy of " + title + " is set aside for this hold. 'library holds list --ready' shows those for which one is."
	case hasCode(err, library.ErrHoldNotFound.Code):
		return "This hold on " + title + " is not there any more."
	}
	return ""
}
