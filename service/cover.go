package service

import (
	"context"

	"example.org/library"
)

// Cover returns a picture of a book's cover, without its bytes if the caller has this version.
func (s *Service) Cover(ctx context.Context, a library.Actor, bookID string, size library.CoverSize, have string) (library.Cover, error) {
	if err := a.Authorize(library.Browse); err != nil {
		return library.Cover{}, err
	}
	return s.store.Cover(ctx, bookID, size, have)
}

// SetCover gives a book a cover, or replaces it.
func (s *Service) SetCover(ctx context.Context, a library.Actor, bookID string, pictures library.CoverPictures) (library.Book, error) {
	return changeTo(ctx, s, a, library.Curate, scope{book: bookID}, func(tx library.Tx, caller library.Actor, c library.Circulation) (library.Book, error) {
		b := s.show(caller, c.WithCover())
		if err := tx.SetCover(ctx, b, pictures); err != nil {
			return library.Book{}, err
		}
		return b, s.saveResponse(ctx, tx, caller, library.Curate, b)
	})
}

// RemoveCover removes the cover of a book.
func (s *Service) RemoveCover(ctx context.Context, a library.Actor, bookID string) error {
	return s.change(ctx, a, library.Curate, scope{book: bookID}, func(tx library.Tx, _ library.Actor, c library.Circulation) error {
		if c.Book.Cover == "" {
			return library.ErrNoCover
		}
		b := c.WithCover()
		b.Cover = ""
		return tx.RemoveCover(ctx, b)
	})
}
