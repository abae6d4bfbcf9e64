package library

import (
	"context"
	"iter"
)

// batch is how many records are read at a time. Between two batches nothing of
// the database is held, so a slow reader of a long list holds up nobody.
const batch = 250

// List is an answer of any length. Its records are read while All is ranged
// over; an error ends the sequence.
type List[T any] struct {
	Total int    // how many records match, on all pages
	Next  string // the cursor of the next page, "" on the last one
	All   iter.Seq2[T, error]
}

// Books lists books. A page (q.Limit > 0) is complete when Books returns; a
// whole list is read in batches as the caller takes it.
func (s *Service) Books(ctx context.Context, a Actor, q BookQuery) (List[Book], error) {
	if err := a.Authorize(Read); err != nil {
		return List[Book]{}, err
	}
	return s.books(ctx, a, q)
}

// BooksOf lists the books that the actor has now.
func (s *Service) BooksOf(ctx context.Context, a Actor) (List[Book], error) {
	return s.books(ctx, a, BookQuery{HeldBy: a.User.ID})
}

func (s *Service) books(ctx context.Context, a Actor, q BookQuery) (List[Book], error) {
	if q.Order == "" {
		q.Order = ByTitle
	}
	return list(pager[Book]{
		limit: q.Limit,
		count: func() (int, error) { return s.store.CountBooks(ctx, q) },
		read: func(limit int, after *Cursor) ([]Book, error) {
			q := q
			q.Limit = limit
			if after != nil {
				q.After = after
			}
			return s.store.Books(ctx, q)
		},
		show:   func(b Book) Book { return b.seenBy(a) },
		cursor: func(b Book) Cursor { return b.cursor(q.Order) },
	})
}

// Users lists users, in the way of Books.
func (s *Service) Users(ctx context.Context, a Actor, q UserQuery) (List[User], error) {
	if err := a.Authorize(Administer); err != nil {
		return List[User]{}, err
	}
	return list(pager[User]{
		limit: q.Limit,
		count: func() (int, error) { return s.store.CountUsers(ctx, q) },
		read: func(limit int, after *Cursor) ([]User, error) {
			q := q
			q.Limit = limit
			if after != nil {
				q.After = after
			}
			return s.store.Users(ctx, q)
		},
		show:   func(u User) User { return u },
		cursor: User.cursor,
	})
}

// pager knows how to walk one list.
type pager[T any] struct {
	limit  int
	count  func() (int, error)
	read   func(limit int, after *Cursor) ([]T, error)
	show   func(T) T
	cursor func(T) Cursor
}

func list[T any](p pager[T]) (List[T], error) {
	total, err := p.count()
	if err != nil {
		return List[T]{}, err
	}
	first, err := p.read(p.firstBatch(), nil)
	if err != nil {
		return List[T]{}, err
	}
	l := List[T]{Total: total}
	if p.limit > 0 && len(first) > p.limit {
		first = first[:p.limit]
		l.Next = p.cursor(first[p.limit-1]).String()
	}
	l.All = p.walk(first)
	return l, nil
}

// firstBatch asks for one record more than a page has, to see whether there is
// a next page.
func (p pager[T]) firstBatch() int {
	if p.limit > 0 {
		return p.limit + 1
	}
	return batch
}

func (p pager[T]) walk(records []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for records := records; ; {
			for _, r := range records {
				if !yield(p.show(r), nil) {
					return
				}
			}
			if p.limit > 0 || len(records) < batch {
				return
			}
			last := p.cursor(records[len(records)-1])
			var err error
			if records, err = p.read(batch, &last); err != nil {
				var none T
				yield(none, err)
				return
			}
		}
	}
}
