package library

import (
	"example.org/library/internal/isbn"
)

// MaxImport is the limit of books in one import.
const MaxImport = 1000

// MaxAlike is the limit of books with one title, or one ISBN, compared by an import. A library may
// have a hundred thousand books called "Untitled".
const MaxAlike = 100

// ImportOptions are the options of an import.
type ImportOptions struct {
	Update bool // replace differing records; otherwise report them
	DryRun bool // decide, but change nothing
}

// ImportOutcome is the outcome of a row.
type ImportOutcome string

const (
	ImportAdded     ImportOutcome = "added"
	ImportUpdated   ImportOutcome = "updated"
	ImportUnchanged ImportOutcome = "unchanged" // equal to the library's record
	ImportDiffers   ImportOutcome = "differs"   // differs from the library's record, which stays
	ImportInvalid   ImportOutcome = "invalid"
)

// ImportOutcomes lists the outcomes.
var ImportOutcomes = []ImportOutcome{ImportAdded, ImportUpdated, ImportUnchanged, ImportDiffers, ImportInvalid}

// ImportResult is the outcome of one row.
type ImportResult struct {
	Outcome ImportOutcome
	ID      string // of the row's book, if it exists
	Err     *Error // why, if the row differs or is invalid

	Replaceable bool      // the row differs, and an import with Update would replace the record
	Warnings    []Warning // doubtful values, kept
	Named       string    // the identifier of another user, named in Err
}

// Warning is about a value likely to be wrong but kept.
type Warning struct {
	Field, Message, Code string
}

// CheckISBN returns a warning about an impossible ISBN. The text is kept: old books have no ISBN, and
// people write other numbers in its place.
func CheckISBN(number string) (w Warning, doubtful bool) {
	if number == "" || isbn.Proven(number) != "" {
		return w, false
	}
	return Warning{Field: "isbn", Message: "is not a possible ISBN, because its length or its check digit is wrong; it is kept as it is", Code: "isbn_checksum"}, true
}

// BookKeys identifies the books that may match the rows of an import.
type BookKeys struct {
	IDs    []string
	ISBNs  []string // each the isbn.Key of a valid ISBN
	Titles []string // each a TitleKey
}

// FoundCopies are the facts about existing copies for an import.
type FoundCopies struct {
	Owner map[string]string // the book, by barcode
	Count map[string]int    // the number of copies in any state, by book
}

// CopyLabel is the barcode and the shelf of a new book's copy: the first has the place 1.
type CopyLabel struct {
	BookID  string
	Place   int
	Barcode string
	Shelf   string
}

// BookWrites are the decisions about some rows: outcomes and records to write.
type BookWrites struct {
	Results        []ImportResult
	Added, Updated []Book
	Labels         []CopyLabel       // of the copies of added books
	Copies         map[string][]Copy // more copies of existing books, by book
}

// UserKeys identifies the users that may match the rows of an import.
type UserKeys struct {
	Emails []string // each an EmailKey
	Cards  []string
}

// FoundUsers are the users with one of some keys.
type FoundUsers struct {
	Users      []User
	OtherAdmin bool // somebody else has RoleAdmin and is active; only set if one of Users has the role
}

// UserWrite is a user to add, or to replace.
type UserWrite struct {
	User
	Added bool
}

// Normalized returns the trimmed fields and all their faults.
func (f UserFields) Normalized() (UserFields, []Detail) {
	bad := details(f.Normalize())
	return f, bad
}
