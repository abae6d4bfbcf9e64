package records

import (
	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/terminal"
)

// Matter is the subject of a refusal: a book, and its present or intended borrower.
type Matter struct {
	Title  string
	Reader string // at the desk; "" if it is the caller
	Due    string // of a loan, as the end of a sentence: "due in 3 days"; "" if it is not known
	From   string // the first day to renew a loan; "" if it is not known
	place  int    // of the caller in the queue; 0 if there is none
}

// Explain explains a refusal about lending and how to go on. At the desk the
// words are for the staff, and name the reader.
func (m Matter) Explain(err error) error {
	if m.Reader != "" {
		err = command.InWords(err, m.atTheDesk())
	}
	return command.InWords(command.InWords(err, m.words()), m.loanWords())
}

// atTheDesk returns the words for refusals at the desk, where they are different.
func (m Matter) atTheDesk() map[string]string {
	title, reader := command.Quote(m.Title), terminal.Clean(m.Reader)
	return map[string]string{
		library.ErrBookBorrowed.Code: title + " is on loan to somebody else. If it is here, return it first.",
		library.ErrReserved.Code:     title + " is set aside for somebody who asked before " + reader + ". 'library holds list --book " + title + "' shows for whom.",
		library.ErrNotLendable.Code:  title + " cannot be lent. 'library copies list " + title + "' shows which copies there are.",
		library.ErrLoanLimit.Code:    reader + " has as many books as one person can borrow; one of them must come back first.",
		library.ErrHasOverdue.Code:   reader + " has an overdue loan, which must come back first. 'library loans list --overdue --user \"" + reader + "\"' shows it.",
		library.ErrHasIt.Code:        reader + " already has " + title + ".",
		library.ErrAvailable.Code:    title + " is available and can be lent at once.",
		library.ErrAlreadyHeld.Code:  reader + " has already reserved " + title + ".",
		library.ErrHoldLimit.Code:    reader + " has reserved as many books as the library allows.",
		library.ErrUserNotFound.Code: reader + " is switched off or was removed: nothing can be lent.",
	}
}

// words returns the words for refusals of lending, for the reader.
func (m Matter) words() map[string]string {
	title := command.Quote(m.Title)
	reserved := title + " is set aside for those who asked first. 'library holds add " + title + "' puts you into the queue."
	if m.place > 0 {
		reserved = "You are number " + command.Thousands(m.place) + " in the queue for " + title + "; a copy will be set aside for you when it is your turn."
	}
	return map[string]string{
		library.ErrReserved.Code:    reserved,
		library.ErrNotLendable.Code: title + " has no copy that can be lent. Ask at the desk.",
		library.ErrDeskOnly.Code:    "Only the desk does this here. Please take " + title + " there.",
		library.ErrLoanLimit.Code:   "You have as many books as one person can borrow. Return one first; 'library loans list' shows what you have.",
		library.ErrHasOverdue.Code:  "You have an overdue loan. Bring it back first; 'library loans list --overdue' shows what it is.",
		library.ErrHasIt.Code:       "You already have " + title + ". 'library loans list' shows until when.",
		library.ErrAvailable.Code:   title + " is available: 'library books borrow " + title + "' borrows it at once.",
		library.ErrAlreadyHeld.Code: "You have already reserved " + title + ". 'library holds list' shows your place in the queue.",
		library.ErrHoldLimit.Code:   "You have reserved as many books as the library allows. 'library holds cancel' gives one of them up.",
		library.ErrHasHolds.Code:    title + " is reserved. 'library holds list --book " + title + "' shows by whom; cancel these holds first.",
	}
}

// loanWords returns the words for refusals about an existing loan or hold.
func (m Matter) loanWords() map[string]string {
	title, due := command.Quote(m.Title), ""
	if m.Due != "" {
		due = " It is " + m.Due + "."
	}
	early := "Renewing " + title + " would not move the due date."
	if m.From != "" {
		early = title + " can be renewed from " + m.From + " on; today that would not move the due date."
	}
	return map[string]string{
		library.ErrRenewalLimit.Code: title + " was renewed as often as the library allows." + due,
		library.ErrClaimed.Code:      "The reader says that " + title + " was brought back. Look for it on its shelf; 'library loans claim --undo' takes the claim back.",
		library.ErrNotClaimed.Code:   "Nobody says that " + title + " was brought back. Return it without --as-claimed.",
		library.ErrAwaited.Code:      "Somebody is waiting for " + title + ", so it cannot be renewed." + due,
		library.ErrTooEarly.Code:     early + due,
		library.ErrNotOpen.Code:      title + " has already been returned. 'library loans list' shows what is still out.",
		library.ErrLoanNotFound.Code: "This loan of " + title + " is not there any more.",
		library.ErrNotActive.Code:    "The hold on " + title + " has already ended. 'library holds list' shows those that have not.",
		library.ErrNotReady.Code:     "No copy of " + title + " is set aside for this hold. 'library holds list --ready' shows those for which one is.",
		library.ErrHoldNotFound.Code: "This hold on " + title + " is not there any more.",
	}
}

// ExplainBook explains a refusal about a book, in kinder words than the service
// can: the service does not know its reader.
func ExplainBook(b api.Book, err error) error {
	title, borrower := command.Quote(b.Title), ""
	if b.BorrowedBy != nil {
		borrower = " to " + PersonName(*b.BorrowedBy)
	}
	m := Matter{Title: b.Title}
	if b.Hold != nil {
		m.place = b.Hold.Position
	}
	return m.Explain(command.InWords(err, map[string]string{
		library.ErrBookBorrowed.Code:    title + " is on loan at the moment. 'library books list --available' shows what is free.\n'library holds add " + title + "' reserves it for you.",
		library.ErrBookNotBorrowed.Code: title + " is not on loan, so there is nothing to return. 'library books list --mine' shows what you have.",
		library.ErrNotYourLoan.Code:     "Somebody else has " + title + "; only they can return it. 'library books list --mine' shows what you have.",
		library.ErrBookOnLoan.Code:      title + " is on loan" + borrower + ". It can be deleted once it has been returned.",
		library.ErrOutdated.Code:        "Somebody else has changed " + title + " in the meantime, so nothing was done. 'library books show " + b.Identifier + "' shows how it is now.",
		library.ErrIdentifierTaken.Code: "There is already a book with this identifier. Leave --id out to get a new one.",
		library.ErrBookNotFound.Code:    title + " is not in the library any more; somebody has deleted it.",
	}))
}
