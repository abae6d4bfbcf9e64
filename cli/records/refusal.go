package records

import (
	"errors"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Matter is what a refusal is about: a book, and whose hands it is in or should
// be in.
type Matter struct {
	Title  string
	Reader string // at the desk; "" if it is the caller
	Due    string // of a loan, as the end of a sentence: "due in 3 days"; "" if it is not known
	From   string // the day from which on a loan can be renewed; "" if it is not known
	place  int    // of the caller in the queue; 0 if there is none
}

// Explain says what a refusal about lending means and what to do next. At the
// desk the person who reads it is not the reader whom it is about.
func (m Matter) Explain(err error) error {
	words := ""
	if m.Reader != "" {
		words = m.atTheDesk(err)
	}
	if words == "" {
		words = m.words(err)
	}
	if words == "" {
		return err
	}
	refused, _ := command.AsRefusal(err)
	return command.Refusal(command.ExitCode(err), refused.Code, "%s", words)
}

// atTheDesk is what it means at the desk, "" if that makes no difference.
func (m Matter) atTheDesk(err error) string {
	title, reader := command.Quote(m.Title), terminal.Clean(m.Reader)
	switch {
	case command.HasCode(err, library.ErrBookBorrowed.Code):
		return title + " is on loan to somebody else. If it is here, return it first."
	case command.HasCode(err, library.ErrReserved.Code):
		return title + " is set aside for somebody who asked before " + reader + ". 'library holds list --book " + title + "' shows for whom."
	case command.HasCode(err, library.ErrNotLendable.Code):
		return title + " cannot be lent. 'library copies list " + title + "' shows which copies there are."
	case command.HasCode(err, library.ErrLoanLimit.Code):
		return reader + " has as many books as one person can borrow; one of them must come back first."
	case command.HasCode(err, library.ErrHasOverdue.Code):
		return reader + " has an overdue loan, which must come back first. 'library loans list --overdue --user \"" + reader + "\"' shows it."
	case command.HasCode(err, library.ErrHasIt.Code):
		return reader + " already has " + title + "."
	case command.HasCode(err, library.ErrUserNotFound.Code):
		return reader + " is no longer a user; the record has been removed."
	}
	return ""
}

// words is what it means for the reader, "" if it is not about lending.
func (m Matter) words(err error) string {
	title := command.Quote(m.Title)
	switch {
	case command.HasCode(err, library.ErrReserved.Code) && m.place > 0:
		return "You are number " + command.Thousands(m.place) + " in the queue for " + title + "; a copy will be set aside for you when it is your turn."
	case command.HasCode(err, library.ErrReserved.Code):
		return title + " is set aside for those who asked first. 'library holds add " + title + "' puts you into the queue."
	case command.HasCode(err, library.ErrNotLendable.Code):
		return title + " has no copy that can be lent. Ask at the desk."
	case command.HasCode(err, library.ErrDeskOnly.Code):
		return "Only the desk does this here. Please take " + title + " there."
	case command.HasCode(err, library.ErrLoanLimit.Code):
		return "You have as many books as one person can borrow. Return one first; 'library loans list' shows what you have."
	case command.HasCode(err, library.ErrHasOverdue.Code):
		return "You have an overdue loan. Bring it back first; 'library loans list --overdue' shows what it is."
	case command.HasCode(err, library.ErrHasIt.Code):
		return "You already have " + title + ". 'library loans list' shows until when."
	case command.HasCode(err, library.ErrAvailable.Code):
		return title + " is available: 'library books borrow " + title + "' borrows it at once."
	case command.HasCode(err, library.ErrAlreadyHeld.Code):
		return "You have already reserved " + title + ". 'library holds list' shows your place in the queue."
	case command.HasCode(err, library.ErrHoldLimit.Code):
		return "You have reserved as many books as the library allows. 'library holds cancel' gives one of them up."
	case command.HasCode(err, library.ErrHasHolds.Code):
		return title + " is reserved. 'library holds list --book " + title + "' shows by whom; cancel these holds first."
	}
	return m.loanWords(err)
}

// loanWords is what is said of a loan or a hold that is there.
func (m Matter) loanWords(err error) string {
	title, due := command.Quote(m.Title), ""
	if m.Due != "" {
		due = " It is " + m.Due + "."
	}
	switch {
	case command.HasCode(err, library.ErrRenewalLimit.Code):
		return title + " was renewed as often as the library allows." + due
	case command.HasCode(err, library.ErrAwaited.Code):
		return "Somebody is waiting for " + title + ", so it cannot be renewed." + due
	case command.HasCode(err, library.ErrTooEarly.Code) && m.From != "":
		return title + " can be renewed from " + m.From + " on; today that would not move the due date." + due
	case command.HasCode(err, library.ErrTooEarly.Code):
		return "Renewing " + title + " would not move the due date." + due
	case command.HasCode(err, library.ErrNotOpen.Code):
		return title + " has already been returned. 'library loans list' shows what is still out."
	case command.HasCode(err, library.ErrLoanNotFound.Code):
		return "This loan of " + title + " is not there any more."
	case command.HasCode(err, library.ErrNotActive.Code):
		return "The hold on " + title + " has already ended. 'library holds list' shows those that have not."
	case command.HasCode(err, library.ErrNotReady.Code):
		return "No copy of " + title + " is set aside for this hold. 'library holds list --ready' shows those for which one is."
	case command.HasCode(err, library.ErrHoldNotFound.Code):
		return "This hold on " + title + " is not there any more."
	}
	return ""
}

// ExplainBook says what a refusal about a book means, in kinder words than the
// service can: it does not know who reads them.
func ExplainBook(b api.Book, err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	title := command.Quote(b.Title)
	switch refused.Code {
	case library.ErrBookBorrowed.Code:
		return command.Fail(command.ExitConflict, "%s is on loan at the moment. 'library books list --available' shows what is free.\n'library holds add %s' reserves it for you.", title, title)
	case library.ErrBookNotBorrowed.Code:
		return command.Fail(command.ExitConflict, "%s is not on loan, so there is nothing to return. 'library books list --mine' shows what you have.", title)
	case library.ErrNotYourLoan.Code:
		return command.Fail(command.ExitFailed, "Somebody else has %s; only they can return it. 'library books list --mine' shows what you have.", title)
	case library.ErrBookOnLoan.Code:
		return command.Fail(command.ExitConflict, "%s is on loan%s. It can be deleted once it has been returned.", title, toBorrower(b))
	case library.ErrOutdated.Code:
		return command.Fail(command.ExitConflict, "Somebody else has changed %s in the meantime, so nothing was done. 'library books show %s' shows how it is now.", title, b.Identifier)
	case library.ErrIdentifierTaken.Code:
		return command.Fail(command.ExitConflict, "There is already a book with this identifier. Leave --id out to get a new one.")
	case library.ErrBookNotFound.Code:
		return command.Fail(command.ExitNotFound, "%s is not in the library any more; somebody has deleted it.", title)
	}
	m := Matter{Title: b.Title}
	if b.Hold != nil {
		m.place = b.Hold.Position
	}
	return m.Explain(err)
}

// toBorrower says who has a book, for those who may know.
func toBorrower(b api.Book) string {
	if b.BorrowedBy == nil {
		return ""
	}
	return " to " + PersonName(*b.BorrowedBy)
}
