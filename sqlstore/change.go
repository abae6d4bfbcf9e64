package sqlstore

import (
	"context"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// LastChange is the position of the newest change.
func (s *Store) LastChange(ctx context.Context) (library.Position, error) {
	return engine.ReadOne(ctx, s.db, "read last change", func(r engine.Row) (p library.Position, err error) {
		err = r.Scan(&p.TxID, &p.Seq, &p.Nonce)
		return p, err
	}, s.dialect.LastChange)
}

// Changes returns the changes right after a position. It reads from the change at the position itself, as a proof that
// all later ones are still there.
func (s *Store) Changes(ctx context.Context, after library.Position, limit int) ([]library.Change, error) {
	changes, err := engine.Collect(ctx, s.db, "read changes", func(r engine.Row) (c library.Change, err error) {
		p := &c.Position
		err = r.Scan(&p.TxID, &p.Seq, &p.Nonce, &c.Kind, &c.ID, &c.Borrowed, &c.Available, &c.Step, &c.Person)
		return c, err
	}, s.dialect.ChangesFrom, after.TxID, after.Seq, limit+1)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 || changes[0].Position != after {
		return nil, library.ErrPositionLost
	}
	return changes[1:], nil
}
