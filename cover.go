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

// WithCover is the book with another cover, which is named by the version of the book that
// had it first.
func (c Circulation) WithCover() Book {
	b := c.shown()
	b.Version = NewVersion()
	b.Cover = b.Version
	return b
}
