package service

import (
	"context"

	"example.org/library"
	"example.org/library/internal/pagination"
)

// User returns one user.
func (s *Service) User(ctx context.Context, a library.Actor, id string) (library.User, error) {
	if err := a.Authorize(library.Administer); err != nil {
		return library.User{}, err
	}
	u, err := s.store.User(ctx, id)
	if err != nil {
		return library.User{}, err
	}
	users, err := s.withMailProblems(ctx, []library.User{u})
	if err != nil {
		return library.User{}, err
	}
	return users[0], nil
}

// Users lists users like Books, but reads a page at once: users are small.
func (s *Service) Users(ctx context.Context, a library.Actor, q library.UserQuery) (List[library.User], error) {
	if err := a.Authorize(library.Administer); err != nil {
		return List[library.User]{}, err
	}
	return pagination.Read(pager[library.User]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountUsers(ctx, q) },
		Read: func(limit, _ int, after *library.Cursor) ([]library.User, error) {
			q.Limit, q.After = limit, after
			users, err := s.store.Users(ctx, q)
			if err != nil {
				return nil, err
			}
			return s.withMailProblems(ctx, users)
		},
		Show:   func(u library.User) library.User { return u },
		Bytes:  library.User.Weight,
		Cursor: library.User.Cursor,
	})
}
