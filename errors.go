package library

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind groups errors by the caller's remedy. The edge of the program (HTTP status, exit code) is
// chosen by kind, never by message.
type Kind int

const (
	Invalid     Kind = iota + 1 // the request can never succeed as it is
	Forbidden                   // the caller lacks the permission
	NotFound                    // the record does not exist
	Conflict                    // the state of the library does not allow it
	Busy                        // the same request is running; repeat it in a moment
	Mismatch                    // not a repetition of the request it claims to repeat
	Outdated                    // the record has changed since the caller read it
	Unavailable                 // not possible now; try later
	TooMany                     // refused because of earlier requests; try after RetryAfter
)

// Error is the only error shown to callers with its message. Anything else is an error of the program
// and is reported without detail.
type Error struct {
	Kind    Kind
	Code    string // stable word for programs, such as already_borrowed
	Message string // sentence for people
	Details []Detail
	Role    Role   // the missing role, if it is the reason
	Rule    string // the name of the policy's rule that decided; "" for none

	// Candidates are the loans to which a copy may belong; nil if that is not the question.
	Candidates []Loan

	RetryAfter time.Duration // only of TooMany
}

func (e *Error) Error() string { return e.Message }

// Is compares by code, so an error with details still is its sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// The sentinels. Compare with errors.Is.
var (
	ErrInvalid         = &Error{Kind: Invalid, Code: "invalid", Message: "The request is not valid."}
	ErrForbidden       = &Error{Kind: Forbidden, Code: "role_missing", Message: "You do not have the role that this needs."}
	ErrNotYourLoan     = &Error{Kind: Forbidden, Code: "not_your_loan", Message: "Somebody else has borrowed this book; only they can return it."}
	ErrStation         = &Error{Kind: Forbidden, Code: "station", Message: "This account belongs to a station, which lends and takes back and does nothing else; please sign in with another account."}
	ErrNoStation       = &Error{Kind: Forbidden, Code: "no_station", Message: "Only the account of a station may do this; please sign in as a station."}
	ErrBookNotFound    = &Error{Kind: NotFound, Code: "book_not_found", Message: "There is no book with this identifier."}
	ErrNoCover         = &Error{Kind: NotFound, Code: "no_cover", Message: "The book has no cover."}
	ErrCopyNotFound    = &Error{Kind: NotFound, Code: "copy_not_found", Message: "There is no copy with this identifier or barcode."}
	ErrLoanNotFound    = &Error{Kind: NotFound, Code: "loan_not_found", Message: "There is no loan with this identifier."}
	ErrHoldNotFound    = &Error{Kind: NotFound, Code: "hold_not_found", Message: "There is no reservation with this identifier."}
	ErrNoticeNotFound  = &Error{Kind: NotFound, Code: "notice_not_found", Message: "There is no notice with this identifier."}
	ErrUnknownCode     = &Error{Kind: NotFound, Code: "unknown_code", Message: "There is no copy, reader or book with this code."}
	ErrUnknownCard     = &Error{Kind: NotFound, Code: "unknown_card", Message: "Nobody has this card; please try again, or ask at the desk."}
	ErrUserNotFound    = &Error{Kind: NotFound, Code: "user_not_found", Message: "There is no user with this identifier."}
	ErrBookBorrowed    = &Error{Kind: Conflict, Code: "already_borrowed", Message: "The book is already borrowed."}
	ErrReserved        = &Error{Kind: Conflict, Code: "reserved", Message: "All copies in the library are set aside for other readers; you can reserve the book."}
	ErrNotLendable     = &Error{Kind: Conflict, Code: "not_lendable", Message: "The library has no copy of this book that can be lent; ask at the desk."}
	ErrLoanLimit       = &Error{Kind: Conflict, Code: "loan_limit", Message: "You have reached the limit of loans; return a book first."}
	ErrHasOverdue      = &Error{Kind: Conflict, Code: "has_overdue", Message: "A loan is overdue; return it first."}
	ErrLentToAnother   = &Error{Kind: Conflict, Code: "copy_on_loan", Message: "By the records somebody else has this copy; please ask at the desk."}
	ErrBlocked         = &Error{Kind: Conflict, Code: "blocked", Message: "This is not possible at the moment; please ask at the desk."}
	ErrInactive        = &Error{Kind: Conflict, Code: "inactive", Message: "This person is switched off; an admin can switch them on again."}
	ErrCopiesRefused   = &Error{Kind: Conflict, Code: "copies_refused", Message: "Some copies cannot be lent, so nothing was lent; take them out, and try again."}
	ErrUnknownGroup    = &Error{Kind: NotFound, Code: "unknown_group", Message: "Nobody is in this group; look at its name."}
	ErrNotForYou       = &Error{Kind: Conflict, Code: "not_for_you", Message: "This is not lent to this reader; please ask at the desk."}
	ErrNotReservable   = &Error{Kind: Conflict, Code: "not_reservable", Message: "This cannot be reserved; borrow it when it is there."}
	ErrHasIt           = &Error{Kind: Conflict, Code: "has_it", Message: "The reader already has a copy of this book."}
	ErrRenewalLimit    = &Error{Kind: Conflict, Code: "renewal_limit", Message: "The loan cannot be renewed again."}
	ErrAwaited         = &Error{Kind: Conflict, Code: "awaited", Message: "Somebody is waiting for this book, so the loan cannot be renewed."}
	ErrDeskOnly        = &Error{Kind: Conflict, Code: "desk_only", Message: "Readers cannot do this by themselves here; please come to the desk."}
	ErrTooEarly        = &Error{Kind: Conflict, Code: "too_early", Message: "A renewal would not move the due date yet."}
	ErrNotOpen         = &Error{Kind: Conflict, Code: "not_open", Message: "The copy has been returned already."}
	ErrClaimed         = &Error{Kind: Conflict, Code: "claimed", Message: "The reader says that this copy was brought back; look for it on its shelf, or take the claim back first."}
	ErrNotClaimed      = &Error{Kind: Conflict, Code: "not_claimed", Message: "Nobody says that this copy was brought back, so its loan ends today."}
	ErrNotReturned     = &Error{Kind: Conflict, Code: "not_returned", Message: "The copy has not been returned, so there is nothing to undo."}
	ErrTooLate         = &Error{Kind: Conflict, Code: "too_late", Message: "The return can no longer be undone; lend the book again if the reader still has it."}
	ErrAvailable       = &Error{Kind: Conflict, Code: "available", Message: "A copy is available; you can borrow it at once."}
	ErrAlreadyHeld     = &Error{Kind: Conflict, Code: "already_held", Message: "You have already reserved this book."}
	ErrHoldLimit       = &Error{Kind: Conflict, Code: "hold_limit", Message: "You have reached the limit of reservations; cancel one first."}
	ErrNotReady        = &Error{Kind: Conflict, Code: "not_ready", Message: "No copy is set aside for this reservation."}
	ErrNotFailed       = &Error{Kind: Conflict, Code: "not_failed", Message: "The notice has not failed, or its person is forgotten, so there is nothing to repeat."}
	ErrNotActive       = &Error{Kind: Conflict, Code: "not_active", Message: "The reservation has ended already."}
	ErrHasHolds        = &Error{Kind: Conflict, Code: "has_holds", Message: "People have reserved this book; cancel their reservations before you delete it."}
	ErrCopyOnLoan      = &Error{Kind: Conflict, Code: "on_loan", Message: "The copy is lent; it must be returned first."}
	ErrTooManyCopies   = &Error{Kind: Conflict, Code: "too_many_copies", Message: fmt.Sprintf("A book has at most %d copies.", MaxCopies)}
	ErrBarcodeTaken    = &Error{Kind: Conflict, Code: "barcode_taken", Message: "Another copy has this barcode."}
	ErrCardTaken       = &Error{Kind: Conflict, Code: "card_taken", Message: "Another user has this card."}
	ErrBookNotBorrowed = &Error{Kind: Conflict, Code: "not_borrowed", Message: "The book is not borrowed, so it cannot be returned."}
	ErrCopyNotBorrowed = &Error{Kind: Conflict, Code: ErrBookNotBorrowed.Code, Message: "Nobody has this copy by the records; please bring it to the desk."}
	ErrNotYours        = &Error{Kind: Conflict, Code: "not_yours", Message: "Somebody else has borrowed this copy by the records; please bring it to the desk."}
	ErrOtherBook       = &Error{Kind: Conflict, Code: "other_book", Message: "The copy is of another book than the loan."}
	ErrBookOnLoan      = &Error{Kind: Conflict, Code: "book_on_loan", Message: "The book is borrowed; it can be deleted once it has been returned."}
	ErrUserHasBooks    = &Error{Kind: Conflict, Code: "user_has_books", Message: "The user still has borrowed books; they must be returned first."}
	ErrOwnAccount      = &Error{Kind: Conflict, Code: "own_account", Message: "You cannot remove your own account; another admin can."}
	ErrSelf            = &Error{Kind: Conflict, Code: "self", Message: "You cannot switch off your own account; another admin can."}
	ErrLastAdmin       = &Error{Kind: Conflict, Code: "last_admin", Message: "This is the only admin; give the role to somebody else first."}
	ErrManaged         = &Error{Kind: Conflict, Code: "managed", Message: "The roles of this person come from groups of the directory; change the person's groups there."}
	ErrIdentifierTaken = &Error{Kind: Conflict, Code: "identifier_taken", Message: "The identifier is already in use."}
	ErrEmailTaken      = &Error{Kind: Conflict, Code: "email_taken", Message: "A user with this e-mail address exists already."}
	ErrBookDiffers     = &Error{Kind: Conflict, Code: "book_differs", Message: "The library's record of this book differs."}
	ErrBookAmbiguous   = &Error{Kind: Conflict, Code: "ambiguous_book", Message: "Several books of the library match and none is equal; give the identifier of one."}
	ErrImportSize      = &Error{Kind: Invalid, Code: "import_size", Message: fmt.Sprintf("An import has 1 to %d books; send more of them in several requests.", MaxImport)}
	ErrUserImportSize  = &Error{Kind: Invalid, Code: ErrImportSize.Code, Message: fmt.Sprintf("An import has 1 to %d people; send more of them in several requests.", MaxImport)}
	ErrUserDiffers     = &Error{Kind: Conflict, Code: "user_differs", Message: "The library's record of this person differs."}
	ErrUserAmbiguous   = &Error{Kind: Conflict, Code: "ambiguous_user", Message: "An earlier row of this import is about the same person and differs; keep one of them."}
	ErrNoAddress       = &Error{Kind: Invalid, Code: "required", Message: "No e-mail address."}
	ErrKeyInUse        = &Error{Kind: Busy, Code: "idempotency_key_in_use", Message: "A request with this Idempotency-Key is being worked on; repeat it in a moment."}
	ErrAnswerForgotten = &Error{Kind: Conflict, Code: "answer_forgotten", Message: "This request was carried out before and is not repeated. Its response is no longer stored because it contained data of a person who was deleted or changed. Read the record to see its current state."}
	ErrKeyReused       = &Error{Kind: Mismatch, Code: "idempotency_key_reused", Message: "This Idempotency-Key was used for another request; a new request needs a new key."}
	ErrUnavailable     = &Error{Kind: Unavailable, Code: "unavailable", Message: "The library cannot reach or change its records at the moment; try again later."}
	ErrImportBrokeOff  = &Error{Kind: Unavailable, Code: "import_incomplete", Message: "The import broke off; send the same request again to do the rest."}
	ErrTooManyTries    = &Error{Kind: TooMany, Code: "too_many_tries", Message: "Too many unknown cards were tried here; please wait a minute, or ask at the desk."}
	ErrOverloaded      = &Error{Kind: Unavailable, Code: "overloaded", Message: "The library is busy at the moment; try again in a second."}
	ErrOutcomeUnknown  = &Error{Kind: Unavailable, Code: "outcome_unknown", Message: "The connection to the database was lost while the change was being confirmed; look whether it happened before you repeat it, or repeat it with the same Idempotency-Key."}
	ErrOutdated        = &Error{Kind: Outdated, Code: "outdated", Message: "The record has changed since you read it; read it again and repeat the change."}
)

// Refusals of stocktakes.
var (
	ErrStocktakeNotFound = &Error{Kind: NotFound, Code: "stocktake_not_found", Message: "There is no stocktake with this identifier."}
	ErrStocktakeOpen     = &Error{Kind: Conflict, Code: "stocktake_open", Message: "Another stocktake of one of these shelves is open; go on with it, or close it first."}
	ErrStocktakeClosed   = &Error{Kind: Conflict, Code: "closed", Message: "This stocktake is closed and does not change any more; start another one."}
)

// InvalidFields returns ErrInvalid with details about the fields.
func InvalidFields(details ...Detail) error {
	return &Error{Kind: Invalid, Code: ErrInvalid.Code, Message: ErrInvalid.Message, Details: details}
}

// Refusals with a hint to the reader.

// with returns the error with another message.
func (e *Error) with(format string, args ...any) error {
	worded := *e
	worded.Message = fmt.Sprintf(format, args...)
	return &worded
}

// ruledBy returns a refusal with the name of the rule that decided, "" for none.
func ruledBy(rule string, refusal error) error {
	ruled, ok := errors.AsType[*Error](refusal)
	if !ok || rule == "" {
		return refusal
	}
	named := *ruled
	named.Rule = rule
	return &named
}

// loanLimit names what is limited: with a rule, perhaps only some books.
func loanLimit(limit Ruled[int]) error {
	const text = "You may have %s at a time; return one first."
	if limit.Rule != "" {
		return ruledBy(limit.Rule, ErrLoanLimit.with("By the rule %s: "+text, limit.Rule, count(limit.Value, "loan", "loans")))
	}
	return ErrLoanLimit.with(text, count(limit.Value, "book", "books"))
}

// SelfBorrow returns nil if the reader borrows without the desk.
func (c Circulation) SelfBorrow(now time.Time) error {
	if self := c.terms(now).SelfBorrow; !self.Value {
		return ruledBy(self.Rule, ErrDeskOnly.with("Books are lent at the desk here; please take it there."))
	}
	return nil
}

// SelfReturn returns nil if readers give back without the desk.
func (c Circulation) SelfReturn(time.Time) error {
	if c.Policy.DeskTakesBack {
		return ErrDeskOnly.with("Books are given back at the desk here; please bring it there.")
	}
	return nil
}

// SelfService returns a rule for readers without the desk. It asks the policy first, so its refusal
// wins over every other.
func SelfService(allowed func(Circulation, time.Time) error, r Rule) Rule {
	return func(c Circulation, now time.Time) (Decision, error) {
		if err := allowed(c, now); err != nil {
			return Decision{}, err
		}
		d, err := r(c, now)
		if errors.Is(err, ErrHasIt) {
			err = ErrHasIt.with("You have a copy of this book already.")
		}
		return d, err
	}
}

// onShelf refuses to reserve a book with an available copy.
func onShelf(t Terms) error {
	if !t.SelfBorrow.Value {
		return ErrAvailable.with("A copy is available; you can borrow it at the desk.")
	}
	return ErrAvailable
}

func holdLimit(limit Ruled[int]) error {
	const text = "You may reserve %s at a time; cancel a reservation first."
	if limit.Rule != "" {
		return ruledBy(limit.Rule, ErrHoldLimit.with("By the rule %s: "+text, limit.Rule, count(limit.Value, "of these", "of these")))
	}
	return ErrHoldLimit.with(text, count(limit.Value, "book", "books"))
}

func stillWaiting(place int) error {
	if place == 1 {
		return ErrReserved.with("You are next in the queue for this book; it will be set aside for you when a copy comes back.")
	}
	return ErrReserved.with("You are number %d in the queue for this book; a copy will be set aside for you when it is your turn.", place)
}

// allLent keeps the contract's sentence for a single copy without a queue.
func allLent(s Stock, p Policy, now time.Time) error {
	switch {
	case s.Copies == 1 && s.Waiting == 0:
		return ErrBookBorrowed
	case s.Due.Before(now): // or there is no date
		return ErrBookBorrowed.with("The book is already borrowed; you can reserve it.")
	}
	return ErrBookBorrowed.with("The book is already borrowed; the next copy is due on %s. You can reserve it.", p.SayDay(s.Due))
}

func renewalLimit(l Loan, p Policy, allowed Ruled[int]) error {
	refusal := ErrRenewalLimit.with("The loan was renewed %s already; %s.", count(l.Renewals, "time", "times"), keep(l, p))
	if allowed.Value == 0 {
		refusal = ErrRenewalLimit.with("Loans are not renewed here; %s.", keep(l, p))
	}
	return ruledBy(allowed.Rule, refusal)
}

func awaited(l Loan, p Policy) error {
	people := count(l.Awaited, "person is", "people are")
	return ErrAwaited.with("%s waiting for this book; %s.", strings.ToUpper(people[:1])+people[1:], keep(l, p))
}

func tooEarly(l Loan, p Policy, now time.Time) error {
	from, rule := l.renewableFrom(p, now), l.renewed(p, now).Rule
	switch {
	case l.Due.IsZero():
		return ruledBy(rule, ErrTooEarly.with("The loan has no due date, so there is nothing to renew."))
	case from.IsZero():
		return ruledBy(rule, ErrTooEarly.with("The last day for such a loan is %s, so a renewal would not move it.", p.SayDay(l.Due)))
	}
	return ruledBy(rule, ErrTooEarly.with("Today a renewal would not move the due date, %s; it does from %s on.", p.SayDay(l.Due), p.SayDay(from)))
}

// keep returns a clause about the due date.
func keep(l Loan, p Policy) string {
	switch {
	case l.Overdue:
		return "it was due on " + p.SayDay(l.Due) + ", please return it"
	case l.Due.IsZero():
		return "please return it when you have read it"
	}
	return "you can keep it until " + p.SayDay(l.Due)
}

var numbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// count formats a number and its noun, in words up to twelve.
func count(n int, one, many string) string {
	word := many
	if n == 1 {
		word = one
	}
	if n < len(numbers) {
		return numbers[n] + " " + word
	}
	return fmt.Sprintf("%d %s", n, word)
}
