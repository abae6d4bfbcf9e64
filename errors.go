package library

import "fmt"

// Kind groups errors by what the caller can do about them. The edge of the
// program (HTTP status, exit code) is chosen by kind, never by message.
type Kind int

const (
	Invalid     Kind = iota + 1 // the request can never succeed as it is
	Forbidden                   // this caller may not do it
	NotFound                    // there is no such thing
	Conflict                    // the state of the library is against it
	Busy                        // it is being done; a moment later the answer will be there
	Mismatch                    // it is not what it claims to be a repetition of
	Outdated                    // the record has changed since the caller read it
	Unavailable                 // it cannot be done now; later it may be
)

// Error is the only kind of error that reaches a caller with its message.
// Anything else is an error of the program and is reported without detail.
type Error struct {
	Kind    Kind
	Code    string // stable word for programs, such as already_borrowed
	Message string // sentence for people
	Details []Detail
	Role    Role // the role that was missing, when that is the reason
}

func (e *Error) Error() string { return e.Message }

// Is makes errors.Is compare by code, so that an error with details still is
// its sentinel.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// The sentinels. Compare with errors.Is.
var (
	ErrInvalid         = &Error{Kind: Invalid, Code: "invalid", Message: "The request is not valid."}
	ErrForbidden       = &Error{Kind: Forbidden, Code: "role_missing", Message: "You do not have the role that this needs."}
	ErrNotYourLoan     = &Error{Kind: Forbidden, Code: "not_your_loan", Message: "Somebody else has borrowed this book; only they can return it."}
	ErrBookNotFound    = &Error{Kind: NotFound, Code: "book_not_found", Message: "There is no book with this identifier."}
	ErrNoCover         = &Error{Kind: NotFound, Code: "no_cover", Message: "The book has no cover."}
	ErrCopyNotFound    = &Error{Kind: NotFound, Code: "copy_not_found", Message: "There is no copy with this identifier or barcode."}
	ErrLoanNotFound    = &Error{Kind: NotFound, Code: "loan_not_found", Message: "There is no loan with this identifier."}
	ErrHoldNotFound    = &Error{Kind: NotFound, Code: "hold_not_found", Message: "There is no reservation with this identifier."}
	ErrNoticeNotFound  = &Error{Kind: NotFound, Code: "notice_not_found", Message: "There is no notice with this identifier."}
	ErrUnknownCode     = &Error{Kind: NotFound, Code: "unknown_code", Message: "There is no copy, reader or book with this code."}
	ErrUserNotFound    = &Error{Kind: NotFound, Code: "user_not_found", Message: "There is no user with this identifier."}
	ErrBookBorrowed    = &Error{Kind: Conflict, Code: "already_borrowed", Message: "The book is already borrowed."}
	ErrReserved        = &Error{Kind: Conflict, Code: "reserved", Message: "All copies in the library are set aside for other readers; you can reserve the book."}
	ErrNotLendable     = &Error{Kind: Conflict, Code: "not_lendable", Message: "The library has no copy of this book that can be lent; ask at the desk."}
	ErrLoanLimit       = &Error{Kind: Conflict, Code: "loan_limit", Message: "You have reached the limit of loans; return a book first."}
	ErrHasOverdue      = &Error{Kind: Conflict, Code: "has_overdue", Message: "A loan is overdue; return it first."}
	ErrHasIt           = &Error{Kind: Conflict, Code: "has_it", Message: "The reader already has a copy of this book."}
	ErrRenewalLimit    = &Error{Kind: Conflict, Code: "renewal_limit", Message: "The loan cannot be renewed again."}
	ErrAwaited         = &Error{Kind: Conflict, Code: "awaited", Message: "Somebody is waiting for this book, so the loan cannot be renewed."}
	ErrDeskOnly        = &Error{Kind: Conflict, Code: "desk_only", Message: "Readers cannot do this by themselves here; please come to the desk."}
	ErrTooEarly        = &Error{Kind: Conflict, Code: "too_early", Message: "A renewal would not move the due date yet."}
	ErrNotOpen         = &Error{Kind: Conflict, Code: "not_open", Message: "The copy has been returned already."}
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
	ErrBookOnLoan      = &Error{Kind: Conflict, Code: "book_on_loan", Message: "The book is borrowed; it can be deleted once it has been returned."}
	ErrUserHasBooks    = &Error{Kind: Conflict, Code: "user_has_books", Message: "The user still has borrowed books; they must be returned first."}
	ErrOwnAccount      = &Error{Kind: Conflict, Code: "own_account", Message: "You cannot remove your own account; another admin can."}
	ErrSelf            = &Error{Kind: Conflict, Code: "self", Message: "You cannot switch off your own account; another admin can."}
	ErrLastAdmin       = &Error{Kind: Conflict, Code: "last_admin", Message: "This is the only admin; give the role to somebody else first."}
	ErrIdentifierTaken = &Error{Kind: Conflict, Code: "identifier_taken", Message: "The identifier is already in use."}
	ErrEmailTaken      = &Error{Kind: Conflict, Code: "email_taken", Message: "A user with this e-mail address exists already."}
	ErrBookDiffers     = &Error{Kind: Conflict, Code: "book_differs", Message: "The library says otherwise about this book."}
	ErrBookAmbiguous   = &Error{Kind: Conflict, Code: "ambiguous_book", Message: "Several books of the library may be meant, and none is equal; give the identifier of one."}
	ErrImportSize      = &Error{Kind: Invalid, Code: "import_size", Message: fmt.Sprintf("An import has 1 to %d books; send more of them in several requests.", MaxImport)}
	ErrUserImportSize  = &Error{Kind: Invalid, Code: ErrImportSize.Code, Message: fmt.Sprintf("An import has 1 to %d people; send more of them in several requests.", MaxImport)}
	ErrUserDiffers     = &Error{Kind: Conflict, Code: "user_differs", Message: "The library says otherwise about this person."}
	ErrUserAmbiguous   = &Error{Kind: Conflict, Code: "ambiguous_user", Message: "An earlier row of this import is about the same person and says otherwise; keep one of them."}
	ErrNoAddress       = &Error{Kind: Invalid, Code: "required", Message: "The person has no e-mail address, by which the library knows people."}
	ErrKeyInUse        = &Error{Kind: Busy, Code: "idempotency_key_in_use", Message: "A request with this Idempotency-Key is being worked on; repeat it in a moment."}
	ErrAnswerForgotten = &Error{Kind: Conflict, Code: "answer_forgotten", Message: "This request was done when it came first, and is not done again. Its answer is not kept any more, because it told of a person who was forgotten or changed since; look at the record as it is now."}
	ErrKeyReused       = &Error{Kind: Mismatch, Code: "idempotency_key_reused", Message: "This Idempotency-Key was used for another request; a new request needs a new key."}
	ErrUnavailable     = &Error{Kind: Unavailable, Code: "unavailable", Message: "The library cannot reach or change its records at the moment; try again later."}
	ErrImportBrokeOff  = &Error{Kind: Unavailable, Code: "import_incomplete", Message: "The import broke off; send the same request again to do the rest."}
	ErrOverloaded      = &Error{Kind: Unavailable, Code: "overloaded", Message: "The library is busy at the moment; try again in a second."}
	ErrOutcomeUnknown  = &Error{Kind: Unavailable, Code: "outcome_unknown", Message: "The connection to the database was lost while the change was being confirmed; look whether it happened before you repeat it, or repeat it with the same Idempotency-Key."}
	ErrOutdated        = &Error{Kind: Outdated, Code: "outdated", Message: "The record has changed since you read it; read it again and repeat the change."}
)

// InvalidFields is ErrInvalid with what is wrong with which fields.
func InvalidFields(details ...Detail) error {
	return &Error{Kind: Invalid, Code: ErrInvalid.Code, Message: ErrInvalid.Message, Details: details}
}
