// Package api is the wire: the JSON of requests and answers, and its OpenAPI file. It holds no behaviour. Server and client
// both speak through these types; the domain has its own.
//
// An absent value is omitted, never null. Instants are in UTC, in the
// form of InstantLayout; days are in the form of DateLayout.
package api

import _ "embed"

// OpenAPI is the contract file, openapi.yaml.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Error is the body of every answer but a success.
type Error struct {
	Timestamp string   `json:"timestamp"` // see TimestampLayout
	Status    int      `json:"status"`
	Error     string   `json:"error"`   // the status in words
	Message   string   `json:"message"` // the reason, and advice
	Path      string   `json:"path"`    // as it was received
	Code      string   `json:"code"`    // stable word for programs
	Details   []Detail `json:"details,omitempty"`
	RequestID string   `json:"requestId"`

	// Rule is the name of the policy's rule that decided.
	Rule string `json:"rule,omitempty"`

	// Candidates are the loans of the book to which a copy may belong, for staff.
	Candidates []Loan `json:"candidates,omitzero"`
}

// Detail describes the mistake in one field or parameter.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	Code    string `json:"code"`            // stable word for programs
	Limit   int    `json:"limit,omitempty"` // the number in the rule
	Least   *int   `json:"least,omitempty"` // of out_of_range: the smallest number
}

// TimestampLayout is the form of Error.Timestamp, always in UTC.
const TimestampLayout = "2006-01-02T15:04:05.000-07:00"

// The forms of instants, always in UTC, and of days of the library's time
// zone.
const (
	InstantLayout = "2006-01-02T15:04:05Z"
	DateLayout    = "2006-01-02"
)
