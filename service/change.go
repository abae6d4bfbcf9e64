package service

import (
	"context"

	"example.org/library"
)

// Changes returns up to limit changes right after a position, in their order,
// or ErrPositionLost.
func (s *Service) Changes(ctx context.Context, after library.Position, limit int) ([]library.Change, error) {
	return s.store.Changes(ctx, after, limit)
}

// LastChange returns the position of the newest change.
func (s *Service) LastChange(ctx context.Context) (library.Position, error) {
	return s.store.LastChange(ctx)
}
