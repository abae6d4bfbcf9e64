package library

import "context"

// PolicyStore is what a store does with the policy. There always is one.
type PolicyStore interface {
	Policy(ctx context.Context) (Policy, error)
}

// PolicyTx is what a store does with the policy inside a transaction.
type PolicyTx interface {
	Policy(ctx context.Context) (Policy, error) // locked
	SavePolicy(ctx context.Context, p Policy) error
}

// Policy returns the rules of the library.
func (s *Service) Policy(ctx context.Context, a Actor) (Policy, error) {
	if err := a.Authorize(Read); err != nil {
		return Policy{}, err
	}
	return s.store.Policy(ctx)
}

// SetPolicy replaces the rules, for new loans and renewals. It fails with
// ErrOutdated unless pre accepts the version that is being replaced.
func (s *Service) SetPolicy(ctx context.Context, a Actor, p Policy, pre Precondition) (Policy, error) {
	if err := a.Authorize(Administer); err != nil {
		return Policy{}, err
	}
	if err := p.normalize(); err != nil {
		return Policy{}, err
	}
	err := s.change(ctx, a, Administer, scope{}, func(tx Tx, _ Actor, _ Circulation) error {
		old, err := tx.Policy(ctx)
		if err != nil {
			return err
		}
		if !pre.accepts(old.Version) {
			return ErrOutdated
		}
		p.Version = newVersion()
		return tx.SavePolicy(ctx, p)
	})
	return p, err
}
