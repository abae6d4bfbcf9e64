package service

import (
	"context"

	"example.org/library"
)

// WithMaxLogouts replaces the highest number of logouts that are kept.
func WithMaxLogouts(most int) Option { return func(s *Service) { s.logouts = most } }

// EndSession stores a logout of the identity provider, which has proved itself. It fails with
// ErrLogoutTaken for a logout token taken before, and with ErrTooManyLogouts.
func (s *Service) EndSession(ctx context.Context, l library.Logout) error {
	return s.store.Tx(ctx, func(tx library.Tx) error {
		if err := tx.Lock(ctx, library.LogoutLock); err != nil {
			return err
		}
		if err := tx.AddLogout(ctx, l); err != nil {
			return err
		}
		n, err := tx.CountLogouts(ctx, s.now())
		if err == nil && n > s.logouts {
			err = library.ErrTooManyLogouts
		}
		return err
	})
}

// Logouts returns up to most ended sessions after a number, in order.
func (s *Service) Logouts(ctx context.Context, after int64, most int) ([]library.Logout, error) {
	return s.store.Logouts(ctx, after, most)
}

// deleteLogouts deletes the logouts whose tokens have all expired.
func (s *Service) deleteLogouts(ctx context.Context) error {
	var deleted int
	return s.inBatches(ctx, deleteAtOnce, &deleted, func(tx library.Tx) (int, error) {
		return tx.DeleteLogouts(ctx, s.now(), deleteAtOnce)
	})
}
