package sqlstore

import (
	"context"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// queues lists the active holds of everybody, which are whole queues, one after the
// other: first the rest of the one in which q.After is. Nothing is counted for each hold,
// which would take as long as the square of a queue.
func (s *Store) queues(ctx context.Context, q library.HoldQuery) ([]library.Hold, error) {
	var rest []library.Hold
	if c := q.After; c != nil && (q.BookID == "" || q.BookID == c.BookID) {
		var err error
		if rest, err = s.restOfQueue(ctx, q); err != nil || q.BookID != "" || q.Limit > 0 && len(rest) == q.Limit {
			return rest, err
		}
		q.Limit = max(q.Limit-len(rest), 0)
	}
	var a engine.Arguments
	sel := engine.Selection{From: holdsWithPeople, Where: holdConditions(&a, q)}
	if q.After != nil {
		sel.Where = append(sel.Where, `h.book_id > `+a.Add(q.After.BookID))
	}
	tail := holdsByPlace.Page(&a, &sel, nil, q.Limit)
	others, err := s.numbered(ctx, sel.Text(holdOnlyColumns+`, 0`, tail), a)
	return append(rest, others...), err
}

// restOfQueue counts once how many wait before its page: all before it, except
// people with a copy on the shelf of holds. Both numbers are in indexes.
func (s *Store) restOfQueue(ctx context.Context, q library.HoldQuery) ([]library.Hold, error) {
	a := engine.Arguments{q.After.BookID, q.After.Seq}
	sel := engine.Selection{From: holdsWithPeople, Where: []string{`h.ended_at IS NULL`, `h.book_id = $1`, `h.seq > $2`}}
	before := `(SELECT count(*) FROM holds w WHERE w.book_id = $1 AND w.ended_at IS NULL AND w.seq <= $2) - (
		SELECT count(*) FROM copies s JOIN holds r ON r.copy_id = s.id WHERE s.book_id = $1 AND r.seq <= $2)`
	tail := holdsByPlace.Page(&a, &sel, nil, q.Limit)
	return s.numbered(ctx, sel.Text(holdOnlyColumns+`, `+before, tail), a)
}

// numbered reads holds of whole queues, in order, and gives them their positions. Each is
// read with how many wait before the first of its queue.
//
// The plan is made once, and never looks at more of a queue than the page has.
func (s *Store) numbered(ctx context.Context, text string, a engine.Arguments) (holds []library.Hold, err error) {
	err = s.db.ReadPlanned(ctx, engine.Reading{Doing: "list holds", Text: text, Args: a, Scan: engine.AllOf(&holds, scanHold)})
	waiting := 0
	for i := range holds {
		h := &holds[i]
		if i == 0 || h.Book.ID != holds[i-1].Book.ID {
			waiting = h.Position
		}
		h.Position = 0
		if h.State == library.Waiting {
			waiting++
			h.Position = waiting
		}
	}
	return holds, err
}
