package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"example.org/library"
)

// A caller who gets no response does not know whether the change has happened. With
// an idempotency key the same request can be sent again: the first response is saved
// under the key, in the transaction of the change, and is given again. Only the
// responses to changes are saved. A refusal has changed nothing, so the same request
// is decided anew.
//
// This is here, and not at the edge of HTTP, because the key and the change share a
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
	Key         string         // the caller's name for it
	Fingerprint library.Digest // of all that makes it this request and no other

	// Response encodes the result of the change for the caller. It is called in the
	// transaction, before the change is certain, and perhaps repeatedly.
	Response func(result any) ([]byte, error)

	caller library.User // as the change has loaded the record
}

type idempotencyKey struct{}

// DoIdempotent does what a caller may repeat, unless it was done before: then it
// returns the response of that time. The changes that do makes must have its context.
//
// A change looks for the key as soon as it knows the caller. The rules may refuse
// before that, because of what the first request did: a loan that was returned is not
// open. So a refusal counts only if no response is saved under the key, unless the
// caller lacks the role by now.
func (s *Service) DoIdempotent(ctx context.Context, a library.Actor, r *IdempotentRequest, do func(context.Context) error) ([]byte, error) {
	running := r.digest(library.EmailKey(a.User.Email))
	if _, isRunning := s.running.LoadOrStore(running, nil); isRunning {
		return nil, library.ErrKeyInUse
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
func (s *Service) callerOf(ctx context.Context, a library.Actor, r *IdempotentRequest) (library.Actor, error) {
	if r.caller.ID == "" {
		u, _, err := s.Caller(ctx, a.User.Email)
		if err != nil {
			return library.Actor{}, callerError(err)
		}
		passOn(ctx, a, u)
	}
	return a.Again(r.caller, library.Read)
}

// isRuled reports whether an error is a refusal by the rules, other than for a missing
// role.
func isRuled(err error) bool {
	refused, ok := errors.AsType[*library.Error](err)
	return ok && refused.Kind != library.Unavailable && refused.Role == ""
}

// replay is the response for a caller who repeats the request.
func replay(k *library.SavedResponse, a library.Actor, r *IdempotentRequest) ([]byte, error) {
	isForgotten := len(k.Response) == 0
	if k.Fingerprint != r.Fingerprint && !isForgotten {
		return nil, library.ErrKeyReused
	}
	if k.Role != "" && !a.Has(k.Role) {
		return nil, library.MissingRole(k.Role)
	}
	if k.ForStaff && !a.IsStaff() {
		return nil, library.ErrForbidden
	}
	if isForgotten {
		return nil, library.ErrAnswerForgotten
	}
	return k.Response, nil
}

// digest is the key of a caller. Two callers never have the same.
func (r *IdempotentRequest) digest(caller string) library.Digest {
	return sha256.Sum256([]byte(caller + "\x00" + r.Key))
}

// idempotent is the request that a context belongs to, nil if it has no key.
func idempotent(ctx context.Context) *IdempotentRequest {
	r, _ := ctx.Value(idempotencyKey{}).(*IdempotentRequest)
	return r
}

// claimKey makes sure that nobody else makes a change under the key of the request,
// if it has one.
func (s *Service) claimKey(ctx context.Context, tx library.Tx, a library.Actor) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	return tx.ClaimKey(ctx, r.digest(a.User.ID), s.now().Add(-ResponseRetention))
}

// checkKey fails with ErrKeyInUse if a response is saved under the key of a request
// that changes nothing.
func (s *Service) checkKey(ctx context.Context, a library.Actor) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	saved, err := s.store.SavedResponse(ctx, r.digest(a.User.ID), s.now().Add(-ResponseRetention))
	if err == nil && saved != nil {
		err = library.ErrKeyInUse
	}
	return err
}

// saveResponse saves the response to a change, if the request has a key. Of a
// forgotten result it saves only that there was one.
func (s *Service) saveResponse(ctx context.Context, tx library.Tx, a library.Actor, p library.Permission, result any, about ...string) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	now, key := s.now(), r.digest(a.User.ID)
	k := library.SavedResponse{Key: key, Caller: a.User.ID, Role: p.Role(), ForStaff: a.IsStaff(), At: now, About: about}
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
func responsesToKeep(key library.Digest) int {
	if key[0]%8 != 0 {
		return 0
	}
	return MaxResponsesPerCaller - 128
}

// deleteAtOnce is how many responses one transaction deletes.
const deleteAtOnce = 500

// deleteResponses deletes the responses that are too old to be given again.
func (s *Service) deleteResponses(ctx context.Context, done *Housekeeping) error {
	return s.inBatches(ctx, deleteAtOnce, &done.Dropped, func(tx library.Tx) (int, error) {
		return tx.DeleteResponses(ctx, s.now().Add(-ResponseRetention), deleteAtOnce)
	})
}
