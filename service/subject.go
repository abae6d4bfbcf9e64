package service

import (
	"context"

	"example.org/library"
)

// UnbindUser unties a user from the subject: the next login with the user's address gets the record.
func (s *Service) UnbindUser(ctx context.Context, a library.Actor, id string) error {
	return s.change(ctx, a, library.Administer, scope{lock: library.UserLock}, func(tx library.Tx, _ library.Actor, _ library.Circulation) error {
		u, err := tx.User(ctx, id)
		if err != nil || u.Subject == "" {
			return err
		}
		return tx.BindUser(ctx, id, "")
	})
}
