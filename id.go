package library

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"
)

// NewID returns a new identifier. It begins with the time, so new records lie side by side in the
// database's indexes.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// ParseID accepts a UUID in its 36-character form, in either case, and returns
// it in lower case. No other spelling is an identifier.
func ParseID(s string) (string, bool) {
	if len(s) != 36 {
		return "", false
	}
	if _, err := uuid.Parse(s); err != nil {
		return "", false
	}
	return strings.ToLower(s), true
}

// MinIDStart is the shortest accepted beginning of an identifier.
const MinIDStart = 4

// ParseIDStart accepts the beginning of a UUID in its 36-character form, in
// either case, and returns it in lower case.
func ParseIDStart(s string) (string, bool) {
	const form = "00000000-0000-0000-0000-000000000000"
	if len(s) < MinIDStart || len(s) > len(form) {
		return "", false
	}
	_, fits := ParseID(s + form[len(s):])
	return strings.ToLower(s), fits
}

// NewVersion returns a mark for one state of a record. It is random, not counted, so a record deleted
// and added again never looks like its former self.
func NewVersion() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
