package service

import (
	"cmp"
	"context"
	"time"

	"example.org/library"
	"example.org/library/internal/pagination"
)

func (s *Service) show(a library.Actor, b library.Book) library.Book { return b.SeenBy(a, s.now()) }

// Book returns one book.
func (s *Service) Book(ctx context.Context, a library.Actor, id string) (library.Book, error) {
	if err := a.Authorize(library.Browse); err != nil {
		return library.Book{}, err
	}
	b, err := s.store.Book(ctx, id, a.User.ID)
	if err != nil {
		return library.Book{}, err
	}
	return s.show(a, b), nil
}

// Books lists books. It chooses the books of a page (q.Limit > 0) at once, and reads them in batches
// as the caller takes them.
func (s *Service) Books(ctx context.Context, a library.Actor, q library.BookQuery) (List[library.Book], error) {
	if err := a.Authorize(library.Browse); err != nil {
		return List[library.Book]{}, err
	}
	return s.books(ctx, a, q)
}

// BooksOf lists the actor's borrowed books.
func (s *Service) BooksOf(ctx context.Context, a library.Actor) (List[library.Book], error) {
	return s.books(ctx, a, library.BookQuery{BorrowedBy: a.User.ID})
}

// relevantAhead is the batch size of a whole list by relevance: each batch may sort all matches.
const relevantAhead = library.MaxRanked

func (s *Service) books(ctx context.Context, a library.Actor, q library.BookQuery) (List[library.Book], error) {
	if q.Order == "" {
		q.Order = library.ByTitle
	}
	q.Viewer = a.User.ID
	var total int
	ahead := 0
	if q.Order == library.ByRelevance {
		ahead = relevantAhead
	}
	books, err := pagination.Read(pager[library.Book]{
		Limit: q.Limit, After: q.After,
		Count: func() (_ int, err error) {
			total, err = s.store.CountBooks(ctx, q)
			q.Rank(total)
			return total, err
		},
		Read: func(limit, maxBytes int, after *library.Cursor) ([]library.Book, error) {
			q.Limit, q.After = limit, after
			return s.store.BooksInBatch(ctx, q, library.BookBatch{Total: total, MaxBytes: maxBytes})
		},
		Ahead: ahead,
		ReadKeys: func(limit int, after *library.Cursor) ([]library.Book, error) {
			q.Limit, q.After = limit, after
			return s.store.BooksInBatch(ctx, q, library.BookBatch{Total: total, KeysOnly: true})
		},
		ReadIDs: func(ids []string) ([]library.Book, error) {
			q := library.BookQuery{IDs: ids, Order: q.Order, Viewer: q.Viewer, Terms: q.Terms, Phrases: q.Phrases, Coarse: q.Coarse}
			return s.store.BooksInBatch(ctx, q, library.BookBatch{MaxBytes: pagination.BatchBytes})
		},
		ID:    func(b library.Book) string { return b.ID },
		Show:  func(b library.Book) library.Book { return s.show(a, b) },
		Bytes: library.Book.Weight,
		Cursor: func(b library.Book) library.Cursor {
			c := b.Cursor(q.Order)
			c.Corrected = q.Corrected
			return c
		},
	})
	if len(q.Terms) > 0 && books.Total > library.MaxCounted {
		books.Total, books.AtLeast = library.MaxCounted, true
	}
	return books, err
}

// AddBook adds a book with some copies. An empty id asks for a new one.
func (s *Service) AddBook(ctx context.Context, a library.Actor, id string, f library.BookFields, copies int) (library.Book, error) {
	if err := cmp.Or(a.Precheck(library.Curate), f.Normalize()); err != nil {
		return library.Book{}, err
	}
	if bad := library.CheckCopies(copies); len(bad) > 0 {
		return library.Book{}, library.InvalidFields(bad...)
	}
	b := library.Book{ID: orNewID(id), BookFields: f.Complete(), Created: s.now(), Version: library.NewVersion(), Stock: library.Stock{Copies: copies, Available: copies}}
	return addRecord(ctx, s, a, library.Curate, b, func(tx library.Tx) error { return tx.AddBook(ctx, b) })
}

// EditBook replaces a book's fields. It fails with ErrOutdated unless pre accepts the replaced
// version.
func (s *Service) EditBook(ctx context.Context, a library.Actor, id string, f library.BookFields, pre library.Precondition) (library.Book, error) {
	if err := cmp.Or(a.Precheck(library.Curate), f.Normalize()); err != nil {
		return library.Book{}, err
	}
	var edited library.Book
	err := s.change(ctx, a, library.Curate, scope{book: id}, func(tx library.Tx, a library.Actor, c library.Circulation) error {
		b, err := c.Edit(f, pre)
		if err != nil {
			return err
		}
		edited = s.show(a, b)
		return tx.UpdateBook(ctx, b)
	})
	return edited, err
}

// DeleteBook deletes a book without open loans and active holds, and its copies. Its past loans and
// holds stay.
func (s *Service) DeleteBook(ctx context.Context, a library.Actor, id string, pre library.Precondition) error {
	return s.change(ctx, a, library.Curate, scope{book: id}, func(tx library.Tx, _ library.Actor, c library.Circulation) error {
		_, err := s.decide(ctx, tx, c, s.now(), func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Delete(pre, now) })
		if err != nil {
			return err
		}
		return tx.DeleteBook(ctx, id)
	})
}
