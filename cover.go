package library

import "context"

// CoverSize chooses one of the two pictures of a cover.
type CoverSize string

const (
	LargeCover CoverSize = "large" // for the page of a book
	SmallCover CoverSize = "small" // for lists
)

// CoverPictures are the JPEGs of a cover, as package cover makes them.
type CoverPictures struct{ Large, Small []byte }

// Cover is one picture of a book's cover.
type Cover struct {
	Version string // unique, the value of [Book.Cover]
	JPEG    []byte // nil if the caller has this version already
}

// CoverStore reads covers.
type CoverStore interface {
	// Cover returns a picture of a book's cover, without its bytes if the caller has this version.
	// ErrBookNotFound, ErrNoCover
	Cover(ctx context.Context, bookID string, size CoverSize, have string) (Cover, error)
}

// CoverTx writes covers inside a transaction. Both methods are edits of the book: they also write its
// Version and Cover.
type CoverTx interface {
	SetCover(ctx context.Context, b Book, pictures CoverPictures) error
	RemoveCover(ctx context.Context, b Book) error
}

// WithCover returns the book with a new version, and a cover named after it.
func (c Circulation) WithCover() Book {
	b := c.shown()
	b.Version = NewVersion()
	b.Cover = b.Version
	return b
}
