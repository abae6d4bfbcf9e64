package sqlstore

import (
	"context"

	"example.org/library"
)

// revisions tells the revision of the store, and notes in its journal what has
// changed from one to the next.
type revisions interface {
	// current is the revision now: not older than the call.
	current(ctx context.Context) (library.Revision, error)
	Close() error
}

// What the database tells of a change instead of a book: see the migrations.
const (
	everyBook = "*"
	noBook    = "-" // nothing that is shown with a book
)
