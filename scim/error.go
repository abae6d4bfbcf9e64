package scim

import "fmt"

// Error is a refusal in the words of RFC 7644, table 9.
type Error struct {
	Status int
	Type   string // scimType
	Detail string // a sentence
}

func (e *Error) Error() string { return e.Detail }

// The values of scimType.
const (
	InvalidSyntax = "invalidSyntax"
	InvalidValue  = "invalidValue"
	InvalidFilter = "invalidFilter"
	InvalidPath   = "invalidPath"
	NoTarget      = "noTarget"
	Mutability    = "mutability"
	Uniqueness    = "uniqueness"
)

func refuse(scimType, format string, args ...any) error {
	return &Error{Status: 400, Type: scimType, Detail: fmt.Sprintf(format, args...)}
}
