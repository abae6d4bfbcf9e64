package finding

import (
	"context"

	"example.org/library"
	"example.org/library/finding"
	"example.org/library/sqlstore/engine"
)

// Catalogue finds books. It is a part of the store of package sqlstore.
type Catalogue struct {
	db      engine.Engine
	dialect *engine.Dialect // of db
	books   Records
	unseen  Transaction
	counts  *Counts

	words  wordStats
	ranges knownRanges
	known  knownWords
}

var _ finding.Store = (*Catalogue)(nil)

// Records says how whole books are read, wherever they were found.
type Records struct {
	Columns string // of a book b and its stock s
	// The same with no more in them than an order of books needs.
	BriefByCreation, BriefByTitle, BriefByYear string
	// Scan reads the columns of a row, and then what else a statement has.
	Scan func(record engine.Row, more ...any) (library.Book, error)
	// View adds to books what their viewer is to know of loans and holds.
	View func(ctx context.Context, viewer string, books []library.Book) error
}

// brief are the columns that an order needs.
func (r *Records) brief(o library.Order) string {
	switch o {
	case library.ByCreated, library.ByCreatedNewest:
		return r.BriefByCreation
	case library.ByPublished, library.ByPublishedNewest:
		return r.BriefByYear
	default:
		return r.BriefByTitle
	}
}

// Transaction runs fn in one transaction, which publishes a change that no book shows.
type Transaction func(ctx context.Context, fn func(engine.Tx) error) error

// New returns the catalogue of a database. Its counts are kept together with those of other lists.
func New(db engine.Engine, counts *Counts, books Records, unseen Transaction) *Catalogue {
	return &Catalogue{db: db, dialect: db.Dialect(), counts: counts, books: books, unseen: unseen}
}

// write runs a statement that breaks no rule of the domain. Where several are sent together, it fails later.
func write(ctx context.Context, t engine.Tx, doing, text string, args ...any) error {
	return t.Write(ctx, engine.Statement{Doing: doing, Text: text, Args: args, Explain: explain})
}

func explain(ctx context.Context, d *engine.Dialect, doing string, _, err error) error {
	return d.Error(ctx, doing, err)
}

// insert adds rows to a table.
func insert(ctx context.Context, t engine.Tx, doing, into string, types []string, rows [][]any) error {
	for text, args := range t.Dialect().Inserts(into, types, rows) {
		if err := write(ctx, t, doing, text, args...); err != nil {
			return err
		}
	}
	return nil
}
