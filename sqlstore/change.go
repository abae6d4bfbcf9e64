package sqlstore

import (
	"context"
	"sync"

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

// Changes returns what is right after a position. It is asked several times a
// second; where the revision costs less than a statement, nothing else is asked
// while nothing has happened.
func (s *Store) Changes(ctx context.Context, after library.Position, limit int) ([]library.Change, error) {
	at, isLocal, err := s.db.LocalRevision(ctx)
	switch {
	case err != nil:
		return nil, err
	case !isLocal:
		return s.changes(ctx, after, limit)
	}
	if s.quiet.isQuiet(at, after) {
		return nil, nil
	}
	changes, err := s.changes(ctx, after, limit)
	if err == nil && len(changes) == 0 {
		s.quiet.note(at, after)
	}
	return changes, err
}

// quietPlaces are the positions after which nothing had happened at a revision.
// They go by its name: the history itself may be changed by hand.
type quietPlaces struct {
	mu     sync.Mutex
	name   string
	places map[library.Position]bool
}

// maxQuiet bounds them. Those who follow the history are all at its end.
const maxQuiet = 1024

func (q *quietPlaces) isQuiet(at library.Revision, place library.Position) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.name == at.Name && q.places[place]
}

func (q *quietPlaces) note(at library.Revision, place library.Position) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.name != at.Name || len(q.places) >= maxQuiet {
		q.name, q.places = at.Name, make(map[library.Position]bool)
	}
	q.places[place] = true
}

// changes reads from the change at the position itself, which proves that all
// that came after it is still there.
func (s *Store) changes(ctx context.Context, after library.Position, limit int) ([]library.Change, error) {
	changes, err := engine.Collect(ctx, s.db, "read changes", func(r engine.Row) (c library.Change, err error) {
		p := &c.Position
		err = r.Scan(&p.TxID, &p.Seq, &p.Nonce, &c.Kind, &c.ID, &c.Borrowed, &c.Available, &c.Person)
		if c.Kind == library.LoanChanged || c.Kind == library.HoldChanged {
			c.Available, c.Step = 0, library.Step(c.Available) // see [changes.eventRows]
		}
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
