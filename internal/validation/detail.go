// Package validation reports faults of the fields of a request: in a [Detail] for each, with a stable
// code. [Problems] collects them.
package validation

import (
	"fmt"
	"strings"
)

// Detail is a fault of one field of a request.
type Detail struct {
	Field   string
	Code    DetailCode
	Message string // continues a sentence beginning with the field
	Limit   int    // the number of the rule; 0 for none
	Least   int    // the smallest number, with CodeOutOfRange
}

// DetailCode is a stable word for programs: the kind of a fault.
type DetailCode string

// The codes of details. Those about the form of a request, such as a member of
// the wrong type, are given by the package that reads the request.
const (
	CodeRequired         DetailCode = "required"
	CodeTooLong          DetailCode = "too_long"          // in characters
	CodeTooShort         DetailCode = "too_short"         // in characters
	CodeTooMany          DetailCode = "too_many"          // entries or words
	CodeOutOfRange       DetailCode = "out_of_range"      // a whole number from the least to the limit
	CodeControlCharacter DetailCode = "control_character" // a forbidden character in a line or a text
	CodeNotUTF8          DetailCode = "not_utf8"
	CodeNotText          DetailCode = "not_text" // a control character, or not UTF-8
	CodeNotEmail         DetailCode = "not_an_email"
	CodeNotISBN          DetailCode = "not_an_isbn"
	CodeNotUUID          DetailCode = "not_a_uuid"
	CodeNotIDStart       DetailCode = "not_an_identifier_start" // shorter than the limit, or not hexadecimal
	CodeNotCode          DetailCode = "not_a_code"              // a barcode or card with forbidden characters
	CodeBeforeFrom       DetailCode = "before_from"             // the end of a time is before its beginning
	CodeNotCursor        DetailCode = "not_a_cursor"
	CodeNotString        DetailCode = "not_a_string"
	CodeNotStrings       DetailCode = "not_an_array_of_strings"
	CodeNotBoolean       DetailCode = "not_a_boolean"
	CodeNotNumber        DetailCode = "not_a_number" // a whole one
	CodeNotNumbers       DetailCode = "not_an_array_of_numbers"
	CodeNotDate          DetailCode = "not_a_date"
	CodeNotTimeZone      DetailCode = "not_a_time_zone"
	CodeNotTime          DetailCode = "not_a_time"    // of the day
	CodeUnknownValue     DetailCode = "unknown_value" // none of the values there are
	CodeUnknownParameter DetailCode = "unknown_parameter"
	CodeMalformed        DetailCode = "malformed"
	CodeDuplicate        DetailCode = "duplicate" // a repeated name
	CodeOtherThanPath    DetailCode = "differs_from_path"
	CodeOtherThanLibrary DetailCode = "differs_from_library" // import: the book in the library has another value
	CodeOtherThanRow     DetailCode = "differs_from_row"     // import: an earlier row has another value
	CodeCandidate        DetailCode = "candidate"            // import: a possible match
	CodeRowsDone         DetailCode = "rows_done"            // import that broke off: the number of rows done
	CodeRowsOutcome      DetailCode = "rows_outcome"         // the number of these with the outcome in the field
	CodeUnknownCode      DetailCode = "unknown_code"         // batch: there is no such copy
	CodeNotLendable      DetailCode = "not_lendable"         // batch: the copy is not lent
	CodeCopyOnLoan       DetailCode = "copy_on_loan"         // batch: somebody has the copy
	CodeReserved         DetailCode = "reserved"             // batch: the copy is set aside
	CodeOtherBook        DetailCode = "other_book"           // batch: the copy is of another book
	CodeRowsUnknown      DetailCode = "rows_unknown"         // how many after these may be done or not
)

// Required returns the fault of a missing value.
func Required(field string) Detail {
	return Detail{Field: field, Code: CodeRequired, Message: "is required"}
}

// TooLong returns the fault of a text of more than limit characters.
func TooLong(field string, limit int) Detail {
	return Detail{Field: field, Code: CodeTooLong, Message: fmt.Sprintf("is longer than %d characters", limit), Limit: limit}
}

// TooShort returns the fault of a text of fewer than limit characters.
func TooShort(field string, limit int) Detail {
	return Detail{Field: field, Code: CodeTooShort, Message: fmt.Sprintf("must have at least %d characters", limit), Limit: limit}
}

// TooMany returns the fault of a list of more than limit entries.
func TooMany(field string, limit int) Detail {
	return Detail{Field: field, Code: CodeTooMany, Message: fmt.Sprintf("has more than %d entries", limit), Limit: limit}
}

// OutOfRange returns the fault of a number outside of least to limit.
func OutOfRange(field string, least, limit int) Detail {
	return Detail{Field: field, Code: CodeOutOfRange, Message: fmt.Sprintf("must be a number from %d to %d", least, limit), Limit: limit, Least: least}
}

// NotADate returns the fault of a text in place of a date.
func NotADate(field string) Detail {
	return Detail{Field: field, Code: CodeNotDate, Message: "is not a date, such as 2026-12-24"}
}

// NotACode returns the fault of an impossible barcode or card number.
func NotACode(field string) Detail {
	return Detail{Field: field, Code: CodeNotCode, Message: "may have printable ASCII characters, but no space and none of / ; % ? # .."}
}

// UnknownValue returns the fault of a word outside of a list.
func UnknownValue[W ~string](field string, words []W) Detail {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return Detail{Field: field, Code: CodeUnknownValue, Message: "is not one of " + strings.Join(names, ", ")}
}
