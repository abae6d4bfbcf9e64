// Package api is the wire: the JSON that callers send and receive, and the
// OpenAPI file that describes it. It holds no behaviour. Server and client
// both speak through these types; the domain has its own.
//
// A value that is absent is omitted, never null.
package api

import _ "embed"

// OpenAPI is the contract file, openapi.yaml.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Book is a book as its readers see it.
type Book struct {
	Identifier  string   `json:"identifier"`
	ISBN        string   `json:"isbn,omitempty"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Authors     []string `json:"authors,omitempty"`
	Borrowed    bool     `json:"borrowed"`
	BorrowedBy  *Person  `json:"borrowedBy,omitempty"` // only for those whom it concerns
}

// Person is a user without what is private.
type Person struct {
	Identifier string `json:"identifier"`
	FirstName  string `json:"firstName"`
	LastName   string `json:"lastName"`
}

// User is a user as admins see one.
type User struct {
	Identifier string   `json:"identifier"`
	Email      string   `json:"email"`
	FirstName  string   `json:"firstName"`
	LastName   string   `json:"lastName"`
	Roles      []string `json:"roles,omitempty"`
}

// Me is the caller's own record and what the caller's credentials allow.
type Me struct {
	User
	Authorities []string `json:"authorities"`
	RolesFrom   string   `json:"rolesFrom"`             // RolesFromToken or RolesFromRecord
	LibraryName string   `json:"libraryName,omitempty"` // what the library calls itself
}

// Where the authorities of a caller come from. What an admin changes about the
// roles of a user has an effect only if it is the record.
const (
	RolesFromToken  = "token"
	RolesFromRecord = "record"
)

// Change is what an event says of a book: never who did it, or who has it.
type Change struct {
	Identifier string `json:"identifier"`
	Borrowed   bool   `json:"borrowed"` // after the change
}

// ImportResult is what became of one book of an import.
type ImportResult struct {
	Outcome    string    `json:"outcome"`              // added, updated, unchanged, differs or invalid
	Identifier string    `json:"identifier,omitempty"` // of the book it became or is
	Message    string    `json:"message,omitempty"`    // why it differs or is invalid
	Code       string    `json:"code,omitempty"`
	Details    []Detail  `json:"details,omitempty"`
	Warnings   []Warning `json:"warnings,omitempty"` // what looks wrong and is kept
	Line       int       `json:"line,omitempty"`     // of a CSV file
	Book       *RowBook  `json:"book,omitempty"`     // how the row of a CSV file was understood
}

// Warning points out a value that is kept although it is likely to be wrong.
type Warning struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// RowBook is a book as a row of a CSV file describes it, good or not.
type RowBook struct {
	Identifier  string   `json:"identifier,omitempty"`
	ISBN        string   `json:"isbn,omitempty"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Authors     []string `json:"authors,omitempty"`
}

// TableImport is what became of the rows of a CSV file, or of a part of one.
type TableImport struct {
	Results []ImportResult `json:"results"`
	Ignored []string       `json:"ignored,omitempty"` // columns that are no field of a book
	Charset string         `json:"charset,omitempty"` // how the file is written; absent while it is all ASCII
	Next    *NextPart      `json:"next,omitempty"`    // absent if the body was read to the end of the file
}

// NextPart says where a file goes on: the next request has the first Heading
// bytes of the body again, and then what follows the first Byte bytes.
type NextPart struct {
	Heading int `json:"heading"`
	Byte    int `json:"byte"`
	Line    int `json:"line"`
}

// Error is the body of every answer that is not a success.
type Error struct {
	Timestamp string   `json:"timestamp"` // see TimestampLayout
	Status    int      `json:"status"`
	Error     string   `json:"error"`   // the status in words
	Message   string   `json:"message"` // what happened and what to do
	Path      string   `json:"path"`    // as it was received
	Code      string   `json:"code"`    // stable word for programs
	Details   []Detail `json:"details,omitempty"`
	RequestID string   `json:"requestId"`
}

// Detail says what is wrong with one field or parameter.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	Code    string `json:"code"`            // stable word for programs
	Limit   int    `json:"limit,omitempty"` // the number that the rule names
}

// TimestampLayout is the form of Error.Timestamp, always in UTC.
const TimestampLayout = "2006-01-02T15:04:05.000-07:00"
