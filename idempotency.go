package library

import (
	"context"
	"crypto/sha256"
	"time"
)

// Digest is a SHA-256 sum.
type Digest [sha256.Size]byte

// SavedResponse is the response to a request, saved for its repetition.
type SavedResponse struct {
	Key         Digest // of the caller and the key
	Caller      string // identifier of the user
	Fingerprint Digest
	Role        Role   // needed for the change; "" for none
	ForStaff    bool   // the response contains fields for staff
	Response    []byte // empty if forgotten: the request was done, but its response is gone
	At          time.Time

	// About has the identifiers of the loans, holds and users in the response, for the store alone:
	// see IdempotencyTx.
	About []string
}

// IdempotencyStore reads saved responses.
type IdempotencyStore interface {
	// SavedResponse returns the response under a key, nil if none is younger than an instant.
	SavedResponse(ctx context.Context, key Digest, after time.Time) (*SavedResponse, error)
}

// IdempotencyTx writes saved responses inside a transaction.
type IdempotencyTx interface {
	// ClaimKey fails with ErrKeyInUse if a response under the key is younger than an instant, or if
	// another transaction has claimed it. It never waits for the other, but may fail only with the
	// next statement.
	ClaimKey(ctx context.Context, key Digest, after time.Time) error
	// SaveResponse adds a response. It fails as ClaimKey does, and replaces an older one. It keeps the
	// newest of the caller's other responses, up to most; 0 keeps all.
	//
	// When a loan or a hold in About forgets its person, or the person is removed or gets another
	// name, address or card, the store forgets the response and the fingerprint in the same
	// transaction.
	SaveResponse(ctx context.Context, k SavedResponse, after time.Time, most int) error
	// DeleteResponses deletes up to most responses not younger than an instant, and returns their
	// number.
	DeleteResponses(ctx context.Context, after time.Time, most int) (int, error)
}
