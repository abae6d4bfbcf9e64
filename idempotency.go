package library

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// A caller who gets no response does not know whether the change has happened. With
// an idempotency key the same request can be sent again: the first response is saved
// under the key, in the transaction of the change, and is given again. Only the
// responses to changes are saved. A refusal has changed nothing, so the same request
// is decided anew.
//
// This is in the domain, and not at its edge, because the key and the change share a
// transaction, and because the rules of forgetting people hold for responses, too.

// Limits of idempotency.
const (
	MaxIdempotencyKey     = 255            // characters
	ResponseRetention     = 24 * time.Hour // how long a response is saved
	MaxResponsesPerCaller = 1000           // the oldest are deleted first
	MaxSavedResponse      = 256 << 10      // bytes; no response about one record has as many
)

// IdempotentRequest is a request that its caller may repeat.
type IdempotentRequest struct {
	Key         string // the caller's name for it
	Fingerprint Digest // of all that makes it this request and no other

	// Response encodes the result of the change for the caller. It is called in the
	// transaction, before the change is certain, and perhaps repeatedly.
	Response func(result any) ([]byte, error)

	caller User // as the change has loaded the record
}

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

type idempotencyKey struct{}

// DoIdempotent does what a caller may repeat, unless it was done before: then it
// returns the response of that time. The changes that do makes must have its context.
//
// A change looks for the key as soon as it knows the caller. The rules may refuse
// before that, because of what the first request did: a loan that was returned is not
// open. So a refusal counts only if no response is saved under the key, unless the
// caller lacks the role by now.
func (s *Service) DoIdempotent(ctx context.Context, a Actor, r *IdempotentRequest, do func(context.Context) error) ([]byte, error) {
	running := r.digest(EmailKey(a.User.Email))
	if _, isRunning := s.running.LoadOrStore(running, nil); isRunning {
		return nil, ErrKeyInUse
	}
	defer s.running.Delete(running)
	ctx = context.WithValue(ctx, idempotencyKey{}, r)
	err := do(ctx)
	if !isRuled(err) {
		return nil, err
	}
	a, failed := s.callerOf(ctx, a, r)
	if failed != nil {
		return nil, failed
	}
	saved, failed := s.store.SavedResponse(ctx, r.digest(a.User.ID), s.now().Add(-ResponseRetention))
	switch {
	case failed != nil:
		return nil, failed
	case saved == nil:
		return nil, err
	}
	return replay(saved, a, r)
}

// callerOf is the actor with the record that the change has loaded, or with the
// present one if the request was refused before that.
func (s *Service) callerOf(ctx context.Context, a Actor, r *IdempotentRequest) (Actor, error) {
	if r.caller.ID == "" {
		u, _, err := s.Caller(ctx, a.User.Email)
		if err != nil {
			return Actor{}, callerError(err)
		}
		passOn(ctx, a, u)
	}
	return again(a, r.caller, Read)
}

// isRuled reports whether an error is a refusal by the rules, other than for a missing
// role.
func isRuled(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Kind != Unavailable && refused.Role == ""
}

// replay is the response for a caller who repeats the request.
func replay(k *SavedResponse, a Actor, r *IdempotentRequest) ([]byte, error) {
	isForgotten := len(k.Response) == 0
	if k.Fingerprint != r.Fingerprint && !isForgotten {
		return nil, ErrKeyReused
	}
	if k.Role != "" && !a.Has(k.Role) {
		return nil, MissingRole(k.Role)
	}
	if k.ForStaff && !a.IsStaff() {
		return nil, ErrForbidden
	}
	if isForgotten {
		return nil, ErrAnswerForgotten
	}
	return k.Response, nil
}

// digest is the key of a caller. Two callers never have the same.
func (r *IdempotentRequest) digest(caller string) Digest {
	return sha256.Sum256([]byte(caller + "\x00" + r.Key))
}

// idempotent is the request that a context belongs to, nil if it has no key.
func idempotent(ctx context.Context) *IdempotentRequest {
	r, _ := ctx.Value(idempotencyKey{}).(*IdempotentRequest)
	return r
}

// claimKey makes sure that nobody else makes a change under the key of the request,
// if it has one.
func (s *Service) claimKey(ctx context.Context, tx Tx, a Actor) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	return tx.ClaimKey(ctx, r.digest(a.User.ID), s.now().Add(-ResponseRetention))
}

// checkKey fails with ErrKeyInUse if a response is saved under the key of a request
// that changes nothing.
func (s *Service) checkKey(ctx context.Context, a Actor) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	saved, err := s.store.SavedResponse(ctx, r.digest(a.User.ID), s.now().Add(-ResponseRetention))
	if err == nil && saved != nil {
		err = ErrKeyInUse
	}
	return err
}

// saveResponse saves the response to a change, if the request has a key. Of a
// forgotten result it saves only that there was one.
func (s *Service) saveResponse(ctx context.Context, tx Tx, a Actor, p Permission, result any, about ...string) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	now, key := s.now(), r.digest(a.User.ID)
	k := SavedResponse{Key: key, Caller: a.User.ID, Role: p.Role(), ForStaff: a.IsStaff(), At: now, About: about}
	if _, isForgotten := result.(forgotten); !isForgotten {
		var err error
		if k.Response, err = r.Response(result); err != nil || len(k.Response) > MaxSavedResponse {
			return err
		}
		k.Fingerprint = r.Fingerprint
	}
	return tx.SaveResponse(ctx, k, now.Add(-ResponseRetention), responsesToKeep(key))
}

// forgotten stands for a result about the caller's own past, where the policy keeps
// no history.
type forgotten struct{}

// responsesToKeep is how many of a caller's responses stay when one is saved under a
// key; 0 for all. To count a thousand of them takes as long as a loan. So one key in
// eight, by its digest, leaves room for 128: that more than that come before the next such key
// is practically impossible.
func responsesToKeep(key Digest) int {
	if key[0]%8 != 0 {
		return 0
	}
	return MaxResponsesPerCaller - 128
}

// deleteAtOnce is how many responses one transaction deletes.
const deleteAtOnce = 500

// deleteResponses deletes the responses that are too old to be given again.
func (s *Service) deleteResponses(ctx context.Context, done *Housekeeping) error {
	return s.inBatches(ctx, deleteAtOnce, &done.Dropped, func(tx Tx) (int, error) {
		return tx.DeleteResponses(ctx, s.now().Add(-ResponseRetention), deleteAtOnce)
	})
}
