// Package validation says what is wrong with the fields of a request: in a [Detail] for
// each, with a stable code. [Problems] collects them.
package validation

import (
	"fmt"
	"strings"
)

// Detail says what is wrong with one field of a request.
type Detail struct {
	Field   string
	Code    DetailCode
	Message string // continues a sentence that begins with the field
	Limit   int    // the number that the rule names; 0 if it names none
	Least   int    // the smallest number, with CodeOutOfRange
}

// DetailCode is a stable word for programs: what is wrong with a field.
type DetailCode string

// The codes of details. Those about the form of a request, such as a member of
// the wrong type, are given by the package that reads the request.
const (
	CodeRequired         DetailCode = "required"
	CodeTooLong          DetailCode = "too_long"          // in characters
	CodeTooShort         DetailCode = "too_short"         // in characters
	CodeTooMany          DetailCode = "too_many"          // entries or words
	CodeOutOfRange       DetailCode = "out_of_range"      // a whole number from the least to the limit
	CodeControlCharacter DetailCode = "control_character" // what a line or a text may not contain
	CodeNotUTF8          DetailCode = "not_utf8"
	CodeNotText          DetailCode = "not_text" // a control character, or not UTF-8
	CodeNotEmail         DetailCode = "not_an_email"
	CodeNotISBN          DetailCode = "not_an_isbn"
	CodeNotUUID          DetailCode = "not_a_uuid"
	CodeNotIDStart       DetailCode = "not_an_identifier_start" // shorter than the limit, or not hexadecimal
	CodeNotCode          DetailCode = "not_a_code"              // a barcode or card with characters that it may not have
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
	CodeDuplicate        DetailCode = "duplicate" // a name that is there more than once
	CodeOtherThanPath    DetailCode = "differs_from_path"
	CodeOtherThanLibrary DetailCode = "differs_from_library" // import: the book in the library has another value
	CodeOtherThanRow     DetailCode = "differs_from_row"     // import: an earlier row has another value
	CodeCandidate        DetailCode = "candidate"            // import: a book that may be meant
	CodeRowsDone         DetailCode = "rows_done"            // import that broke off: how many of the first rows are done
	CodeRowsOutcome      DetailCode = "rows_outcome"         // how many of these had the outcome that the field names
	CodeRowsUnknown      DetailCode = "rows_unknown"         // how many after these may be done or not
)

// Required is about a value that is not there.
func Required(field string) Detail {
	return Detail{Field: field, Code: CodeRequired, Message: "is required"}
}

// TooLong is about text of more than limit characters.
func TooLong(field string, limit int) Detail {
	return Detail{Field: field, Code: CodeTooLong, Message: fmt.Sprintf("is longer than %d characters", limit), Limit: limit}
}

// TooShort is about text of fewer than limit characters.
func TooShort(field string, limit int) Detail {
	return Detail{Field: field, Code: CodeTooShort, Message: fmt.Sprintf("must have at least %d characters", limit), Limit: limit}
}

// TooMany is about a list of more than limit entries.
func TooMany(field string, limit int) Detail {
	return Detail{Field: field, Code: CodeTooMany, Message: fmt.Sprintf("has more than %d entries", limit), Limit: limit}
}

// OutOfRange is about a number that is not one from least to limit.
func OutOfRange(field string, least, limit int) Detail {
	return Detail{Field: field, Code: CodeOutOfRange, Message: fmt.Sprintf("must be a number from %d to %d", least, limit), Limit: limit, Least: least}
}

// NotADate is about text that is no date.
func NotADate(field string) Detail {
	return Detail{Field: field, Code: CodeNotDate, Message: "is not a date, such as 2026-12-24"}
}

// NotACode is about text that can be neither a barcode nor the number of a card.
func NotACode(field string) Detail {
	return Detail{Field: field, Code: CodeNotCode, Message: "may have printable ASCII characters, but no space and none of / ; % ? # .."}
}

// UnknownValue is about a word that is none of those there are.
func UnknownValue[W ~string](field string, words []W) Detail {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = string(w)
	}
	return Detail{Field: field, Code: CodeUnknownValue, Message: "is not one of " + strings.Join(names, ", ")}
}
