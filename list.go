package library

import (
	"context"
	"iter"
)

// A long list is read in batches. Between two of them nothing of the database
// is held, so a slow reader holds up nobody. The first batch is small; the next
// ones are as large as the records allow, so that a thousand slow readers of a
// list of long books do not fill the memory.
const (
	firstBatch  = 32
	largeBatch  = 250
	batchWeight = 64 << 10 // bytes of text, about
)

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
		weigh:  func(b Book) int { return len(b.Description) + len(b.Title) + 256 },
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
		weigh:  func(User) int { return 256 },
		cursor: User.cursor,
	})
}

// pager knows how to walk one list.
type pager[T any] struct {
	limit  int
	count  func() (int, error)
	read   func(limit int, after *Cursor) ([]T, error)
	show   func(T) T
	weigh  func(T) int
	cursor func(T) Cursor
}

func list[T any](p pager[T]) (List[T], error) {
	total, err := p.count()
	if err != nil {
		return List[T]{}, err
	}
	ask := p.firstBatch()
	first, err := p.read(ask, nil)
	if err != nil {
		return List[T]{}, err
	}
	l := List[T]{Total: total}
	if p.limit > 0 && len(first) > p.limit {
		first = first[:p.limit]
		l.Next = p.cursor(first[p.limit-1]).String()
	}
	l.All = p.walk(first, ask)
	return l, nil
}

// firstBatch asks for one record more than a page has, to see whether there is
// a next page.
func (p pager[T]) firstBatch() int {
	if p.limit > 0 {
		return p.limit + 1
	}
	return firstBatch
}

// walk hands out the records and, if this is no page, reads on behind the last
// one for as long as a batch is as large as was asked for.
func (p pager[T]) walk(records []T, asked int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for records, asked := records, asked; ; {
			for _, r := range records {
				if !yield(p.show(r), nil) {
					return
				}
			}
			if p.limit > 0 || len(records) < asked {
				return
			}
			last := p.cursor(records[len(records)-1])
			asked = p.nextBatch(records)
			var err error
			if records, err = p.read(asked, &last); err != nil {
				var none T
				yield(none, err)
				return
			}
		}
	}
}

// nextBatch is how many records like these make a batch of the right weight.
func (p pager[T]) nextBatch(records []T) int {
	weight := 1
	for _, r := range records {
		weight += p.weigh(r)
	}
	return min(max(batchWeight*len(records)/weight, 1), largeBatch)
}
