package library

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// Whoever hears no answer does not know whether the change has happened. A caller
// who names a request with a key can send it again: what was answered the first
// time is kept under the key, in the transaction of the change, and is given
// again. Only changes are kept. A refusal has changed nothing, so the same request
// is judged anew.

// Limits of what is kept for callers who repeat a request.
const (
	MaxKey        = 255            // characters of a key
	KeptFor       = 24 * time.Hour // an answer
	KeptPerCaller = 1000           // answers at most; the oldest go first
	MaxKeptAnswer = 256 << 10      // bytes; no answer about one record has as many
)

// Once is a request that its caller may repeat.
type Once struct {
	Key         string // the caller's name for it
	Fingerprint Digest // of all that makes it this request and no other

	// Answer is what the caller is told of what the change came to. It is called
	// in the transaction, before the change is certain, and perhaps repeatedly.
	Answer func(result any) ([]byte, error)
}

// Digest is a SHA-256 sum.
type Digest [sha256.Size]byte

// KeptAnswer is the answer to a request, kept for its caller.
type KeptAnswer struct {
	Key         Digest // of the caller and the key
	Caller      string // identifier of the user
	Fingerprint Digest
	Role        Role   // that the change needed; "" for none
	ForStaff    bool   // the caller saw what only staff may see
	Answer      []byte // empty if it was forgotten: only that the request was done is known
	At          time.Time

	// About is the identifiers of the loans, holds and users that the answer tells
	// of. It is for the store alone: see OnceTx.
	About []string
}

// OnceStore is what a store does with the answers that are kept.
type OnceStore interface {
	// KeptAnswer returns the answer under a key, nil if there is none that is
	// younger than an instant.
	KeptAnswer(ctx context.Context, key Digest, after time.Time) (*KeptAnswer, error)
}

// OnceTx is what a store does with the answers that are kept, inside a
// transaction.
type OnceTx interface {
	// ClaimKey fails with ErrKeyInUse if there is an answer under the key that is
	// younger than an instant, or if another transaction has claimed it. It never
	// waits for the other, but may fail only with the next statement.
	ClaimKey(ctx context.Context, key Digest, after time.Time) error
	// KeepAnswer adds an answer. It fails as ClaimKey does, and replaces one that
	// is older. Of the caller's other answers the newest stay, so that there are
	// at most so many; 0 leaves them as they are.
	//
	// When a loan or a hold that the answer is about forgets its person, or the
	// person is removed or gets another name, address or card, the store forgets
	// the answer and the fingerprint in the same transaction.
	KeepAnswer(ctx context.Context, k KeptAnswer, after time.Time, most int) error
	// DropAnswers removes up to most answers that are not younger than an instant,
	// and returns how many.
	DropAnswers(ctx context.Context, after time.Time, most int) (int, error)
}

type onceKey struct{}

// Once does what a caller may repeat, unless it was done before: then it returns
// the answer of that time. The changes that do makes must have its context.
//
// Changes look for the key first. Others refuse before they begin, because of what
// the first request did: a loan that was returned is not open. So the key decides
// about every refusal, but that the caller may not do it any more.
func (s *Service) Once(ctx context.Context, a Actor, o *Once, do func(context.Context) error) ([]byte, error) {
	key := o.of(a)
	if _, isRunning := s.running.LoadOrStore(key, nil); isRunning {
		return nil, ErrKeyInUse
	}
	defer s.running.Delete(key)
	err := do(context.WithValue(ctx, onceKey{}, o))
	if !isRuled(err) {
		return nil, err
	}
	kept, failed := s.store.KeptAnswer(ctx, key, s.now().Add(-KeptFor))
	switch {
	case failed != nil:
		return nil, failed
	case kept == nil:
		return nil, err
	}
	return kept.again(a, o)
}

// isRuled reports whether an error is a refusal by the rules, and not for want of
// a role.
func isRuled(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Kind != Unavailable && refused.Role == ""
}

// again is the answer for a caller who repeats the request.
func (k *KeptAnswer) again(a Actor, o *Once) ([]byte, error) {
	isForgotten := len(k.Answer) == 0
	if k.Fingerprint != o.Fingerprint && !isForgotten {
		return nil, ErrKeyReused
	}
	if k.Role != "" && !a.Has(k.Role) {
		return nil, roleMissing(k.Role)
	}
	if k.ForStaff && !a.IsStaff() {
		return nil, ErrForbidden
	}
	if isForgotten {
		return nil, ErrAnswerForgotten
	}
	return k.Answer, nil
}

// of is the key of a caller. Two callers never have the same.
func (o *Once) of(a Actor) Digest { return sha256.Sum256([]byte(a.User.ID + "\x00" + o.Key)) }

// claim makes sure that nobody else makes a change under the key of the request,
// if it has one.
func (s *Service) claim(ctx context.Context, tx Tx, a Actor) error {
	o, _ := ctx.Value(onceKey{}).(*Once)
	if o == nil {
		return nil
	}
	return tx.ClaimKey(ctx, o.of(a), s.now().Add(-KeptFor))
}

// checkKey fails with ErrKeyInUse if there is an answer under the key of a request
// that changes nothing.
func (s *Service) checkKey(ctx context.Context, a Actor) error {
	o, _ := ctx.Value(onceKey{}).(*Once)
	if o == nil {
		return nil
	}
	kept, err := s.store.KeptAnswer(ctx, o.of(a), s.now().Add(-KeptFor))
	if err == nil && kept != nil {
		err = ErrKeyInUse
	}
	return err
}

// keep keeps what the caller will be told of what a change came to, if the request
// has a key; of a forgotten result, that there was one.
func (s *Service) keep(ctx context.Context, tx Tx, a Actor, p Permission, result any, about ...string) error {
	o, _ := ctx.Value(onceKey{}).(*Once)
	if o == nil {
		return nil
	}
	now, key := s.now(), o.of(a)
	k := KeptAnswer{Key: key, Caller: a.User.ID, Role: p.Role(), ForStaff: a.IsStaff(), At: now, About: about}
	if _, isForgotten := result.(forgotten); !isForgotten {
		var err error
		if k.Answer, err = o.Answer(result); err != nil || len(k.Answer) > MaxKeptAnswer {
			return err
		}
		k.Fingerprint = o.Fingerprint
	}
	return tx.KeepAnswer(ctx, k, now.Add(-KeptFor), room(key))
}

// forgotten stands for a result that tells of the caller's own past, where the
// policy keeps no history.
type forgotten struct{}

// room is to how many answers those of a caller are cut when one is kept under a
// key; 0 if they are not. To count a thousand of them takes as long as a loan. So
// one key in eight, by its digest, makes room for 128: that more than so many come
// before the next such key is as good as impossible.
func room(key Digest) int {
	if key[0]%8 != 0 {
		return 0
	}
	return KeptPerCaller - 128
}

// dropAtOnce is how many answers one transaction removes.
const dropAtOnce = 500

// dropAnswers removes the answers that are too old to be given again.
func (s *Service) dropAnswers(ctx context.Context, done *Housekeeping) error {
	for {
		var n int
		err := s.store.Tx(ctx, func(tx Tx) (err error) {
			n, err = tx.DropAnswers(ctx, s.now().Add(-KeptFor), dropAtOnce)
			return err
		})
		done.Dropped += n
		if err != nil || n < dropAtOnce {
			return err
		}
	}
}
