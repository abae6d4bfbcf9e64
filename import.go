package library

import (
	"example.org/library/internal/isbn"
)

// MaxImport is how many books one import may have.
const MaxImport = 1000

// MaxAlike is how many books with one title, or one ISBN, an import compares. A
// library may have a hundred thousand books called "Untitled".
const MaxAlike = 100

// ImportOptions is how an import goes about its rows.
type ImportOptions struct {
	Update bool // replace what is different; otherwise report it
	DryRun bool // decide, but change nothing
}

// ImportOutcome is what became of a row.
type ImportOutcome string

const (
	ImportAdded     ImportOutcome = "added"
	ImportUpdated   ImportOutcome = "updated"
	ImportUnchanged ImportOutcome = "unchanged" // the library has all of it already
	ImportDiffers   ImportOutcome = "differs"   // the library says otherwise, and keeps that
	ImportInvalid   ImportOutcome = "invalid"
)

// ImportOutcomes is every outcome of a row.
var ImportOutcomes = []ImportOutcome{ImportAdded, ImportUpdated, ImportUnchanged, ImportDiffers, ImportInvalid}

// ImportResult is the outcome of one row.
type ImportResult struct {
	Outcome ImportOutcome
	ID      string // of the book that the row is about, where it exists
	Err     *Error // why, if the row differs or is invalid

	Replaceable bool      // the row differs, and the same import with Update would replace the book's fields
	Warnings    []Warning // what looks wrong and is kept
}

// Warning points out a value that is kept although it is likely to be wrong.
type Warning struct {
	Field, Message, Code string
}

// CheckISBN is the warning about text that cannot be an ISBN, and false if there is
// nothing wrong with it. The text is kept: old books have none,
// and people write other numbers in its place.
func CheckISBN(number string) (w Warning, doubtful bool) {
	if number == "" || isbn.Proven(number) != "" {
		return w, false
	}
	return Warning{Field: "isbn", Message: "is not a possible ISBN, because its length or its check digit is wrong; it is kept as it is", Code: "isbn_checksum"}, true
}

// BookKeys says which books the rows of an import may be about.
type BookKeys struct {
	IDs    []string
	ISBNs  []string // each the isbn.Key of an ISBN that is one
	Titles []string // each a TitleKey
}

// FoundCopies is what an import needs to know of the copies that are there.
type FoundCopies struct {
	Owner map[string]string // of which book a copy with a barcode is
	Count map[string]int    // how many copies a book has, in whatever state
}

// CopyLabel is the barcode and the shelf of one of the copies with which a book
// was added: the first has the place 1.
type CopyLabel struct {
	BookID  string
	Place   int
	Barcode string
	Shelf   string
}

// BookWrites is what is decided about some rows: the outcomes, and what is written.
type BookWrites struct {
	Results        []ImportResult
	Added, Updated []Book
	Labels         []CopyLabel       // of the copies of books that are added
	Copies         map[string][]Copy // more copies of books that are there, by book
}
