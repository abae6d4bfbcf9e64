package library

import (
	"context"
	"crypto/sha256"
	"time"
)

// Digest is a SHA-256 sum.
type Digest [sha256.Size]byte

// SavedResponse is the response to a request, saved for its caller.
type SavedResponse struct {
	Key         Digest // of the caller and the key
	Caller      string // identifier of the user
	Fingerprint Digest
	Role        Role   // that the change needed; "" for none
	ForStaff    bool   // the caller saw what only staff may see
	Response    []byte // empty if it was forgotten: only that the request was done is known
	At          time.Time

	// About is the identifiers of the loans, holds and users that the response
	// names. It is for the store alone: see IdempotencyTx.
	About []string
}

// IdempotencyStore is what a store does with saved responses.
type IdempotencyStore interface {
	// SavedResponse returns the response under a key, nil if there is none that is
	// younger than an instant.
	SavedResponse(ctx context.Context, key Digest, after time.Time) (*SavedResponse, error)
}

// IdempotencyTx is what a store does with saved responses inside a transaction.
type IdempotencyTx interface {
	// ClaimKey fails with ErrKeyInUse if there is a response under the key that is
	// younger than an instant, or if another transaction has claimed it. It never
	// waits for the other, but may fail only with the next statement.
	ClaimKey(ctx context.Context, key Digest, after time.Time) error
	// SaveResponse adds a response. It fails as ClaimKey does, and replaces one that
	// is older. Of the caller's other responses the newest stay, at most as many as
	// most; 0 leaves them as they are.
	//
	// When a loan or a hold that the response is about forgets its person, or the
	// person is removed or gets another name, address or card, the store forgets
	// the response and the fingerprint in the same transaction.
	SaveResponse(ctx context.Context, k SavedResponse, after time.Time, most int) error
	// DeleteResponses deletes up to most responses that are not younger than an
	// instant, and returns how many.
	DeleteResponses(ctx context.Context, after time.Time, most int) (int, error)
}
