// Package input reads what callers send: the parameters of a query string ([Query]) and the
// members of a JSON object ([Fields]). A handler takes what it knows, by name and kind, and
// asks for the error once, at the end: it names everything that is wrong, not only the first.
package input

import "example.org/library"

// Error is about a request that cannot be read. The caller gets 400, and all of it.
type Error struct {
	Code    string
	Message string
	Details []library.Detail
}

func (e *Error) Error() string { return e.Message }

const codeBadQuery = "bad_query"
