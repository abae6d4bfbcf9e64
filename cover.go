package library

import "context"

// CoverSize is which picture of a cover is meant.
type CoverSize string

const (
	LargeCover CoverSize = "large" // for the page of a book
	SmallCover CoverSize = "small" // for lists
)

// CoverPictures are the JPEGs of a cover, as package cover makes them.
type CoverPictures struct{ Large, Small []byte }

// Cover is one picture of a book's cover.
type Cover struct {
	Version string // another one for each cover, that of [Book.Cover]
	JPEG    []byte // nil if the caller has this version already
}

// CoverStore is what a store does with covers.
type CoverStore interface {
	// Cover returns a picture of a book's cover, without its bytes if it is of the
	// version that the caller has. ErrBookNotFound, ErrNoCover
	Cover(ctx context.Context, bookID string, size CoverSize, have string) (Cover, error)
}

// CoverTx is what a store does with covers inside a transaction. Both are edits of the book:
// they also write its Version, and Cover.
type CoverTx interface {
	SetCover(ctx context.Context, b Book, pictures CoverPictures) error
	RemoveCover(ctx context.Context, b Book) error
}

// Cover returns a picture of a book's cover, without its bytes if it is of the version that
// the caller has.
func (s *Service) Cover(ctx context.Context, a Actor, bookID string, size CoverSize, have string) (Cover, error) {
	if err := a.Authorize(Browse); err != nil {
		return Cover{}, err
	}
	return s.store.Cover(ctx, bookID, size, have)
}

// SetCover gives a book a cover, instead of the one that it had.
func (s *Service) SetCover(ctx context.Context, a Actor, bookID string, pictures CoverPictures) (Book, error) {
	return changeTo(ctx, s, a, Curate, scope{book: bookID}, func(tx Tx, caller Actor, c Circulation) (Book, error) {
		b := s.show(caller, c.WithCover())
		if err := tx.SetCover(ctx, b, pictures); err != nil {
			return Book{}, err
		}
		return b, s.saveResponse(ctx, tx, caller, Curate, b)
	})
}

// RemoveCover takes the cover away from a book.
func (s *Service) RemoveCover(ctx context.Context, a Actor, bookID string) error {
	return s.change(ctx, a, Curate, scope{book: bookID}, func(tx Tx, _ Actor, c Circulation) error {
		if c.Book.Cover == "" {
			return ErrNoCover
		}
		b := c.WithCover()
		b.Cover = ""
		return tx.RemoveCover(ctx, b)
	})
}

// WithCover is the book with another cover, which is named by the version of the book that
// had it first.
func (c Circulation) WithCover() Book {
	b := c.shown()
	b.Version = NewVersion()
	b.Cover = b.Version
	return b
}
