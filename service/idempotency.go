package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"example.org/library"
)

// A caller without a response does not know whether the change has happened. With an idempotency key
// the same request can be sent again: the transaction of the change saves its response under the key,
// and a repetition gets it. Only responses to changes are saved. A refusal has changed nothing, so a
// repetition is decided anew.
//
// This is here, and not at the edge of HTTP, because the key and the change share a transaction, and
// because the rules of forgetting people hold for responses, too.

// Limits of idempotency.
const (
	MaxIdempotencyKey     = 255            // characters
	ResponseRetention     = 24 * time.Hour // until a response is deleted
	MaxResponsesPerCaller = 1000           // the oldest are deleted first
	MaxSavedResponse      = 1 << 20        // bytes; 500 scans of a stocktake have fewer
)

// IdempotentRequest is a request with an idempotency key.
type IdempotentRequest struct {
	Key         string         // chosen by the caller
	Fingerprint library.Digest // of the method, path and body

	// Response encodes the result of the change for the caller. It is called in the transaction,
	// before the commit, and perhaps repeatedly.
	Response func(result any) ([]byte, error)

	caller library.User // as loaded by the change
}

type idempotencyKey struct{}

// DoIdempotent calls do, unless the request was done before: then it returns the saved response.
// Changes in do must use its context.
//
// A change looks for the key as soon as it has loaded the caller. Before that, a rule may refuse
// because of the first request: a returned loan is not open. So a refusal counts only if no response
// is saved under the key, or if the caller has lost the role.
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

// callerOf returns the actor with the record loaded by the change, or with the present one if the
// request was refused before.
func (s *Service) callerOf(ctx context.Context, a library.Actor, r *IdempotentRequest) (library.Actor, error) {
	if r.caller.ID == "" {
		u, _, err := s.Caller(ctx, a.User.Email)
		if err != nil {
			return library.Actor{}, callerError(err)
		}
		announceCaller(ctx, a, u)
	}
	return a.Reauthorize(r.caller, library.Begin)
}

// isRuled reports whether an error is a refusal by the rules, except a missing role.
func isRuled(err error) bool {
	refused, ok := errors.AsType[*library.Error](err)
	return ok && refused.Kind != library.Unavailable && refused.Role == ""
}

// replay returns the saved response of a repeated request.
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

// digest returns the stored form of a key, different for each caller.
func (r *IdempotentRequest) digest(caller string) library.Digest {
	return sha256.Sum256([]byte(caller + "\x00" + r.Key))
}

// idempotent returns the request of a context, nil if it has no key.
func idempotent(ctx context.Context) *IdempotentRequest {
	r, _ := ctx.Value(idempotencyKey{}).(*IdempotentRequest)
	return r
}

// withoutKey returns a context for a change that is not the request's.
func withoutKey(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, (*IdempotentRequest)(nil))
}

// claimKey reserves the key of the request, if it has one, for this transaction.
func (s *Service) claimKey(ctx context.Context, tx library.Tx, a library.Actor) error {
	r := idempotent(ctx)
	if r == nil {
		return nil
	}
	return tx.ClaimKey(ctx, r.digest(a.User.ID), s.now().Add(-ResponseRetention))
}

// checkKey fails with ErrKeyInUse if a response is saved under the key of a request without changes.
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

// saveResponse saves the response to a change, if the request has a key. A forgotten result is saved
// without its content.
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

// forgotten replaces a result about the caller's own past, if the policy keeps no history.
type forgotten struct{}

// responsesToKeep returns the limit of a caller's responses after saving one under a key; 0 for all.
// Counting a thousand of them takes as long as a loan. So only one key in eight, by its digest, counts
// them and leaves room for 128 more: practically never do more come before the next such key.
func responsesToKeep(key library.Digest) int {
	if key[0]%8 != 0 {
		return 0
	}
	return MaxResponsesPerCaller - 128
}

// deleteAtOnce limits the responses deleted by one transaction.
const deleteAtOnce = 500

// deleteResponses deletes the responses older than ResponseRetention.
func (s *Service) deleteResponses(ctx context.Context, done *Housekeeping) error {
	return s.inBatches(ctx, deleteAtOnce, &done.Dropped, func(tx library.Tx) (int, error) {
		return tx.DeleteResponses(ctx, s.now().Add(-ResponseRetention), deleteAtOnce)
	})
}
