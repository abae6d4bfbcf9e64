package stocktake

import (
	"context"
	"time"

	"example.org/library"
)

// Query selects stocktakes, the newest first.
type Query struct {
	Limit int // 0 is no limit
	After *library.Cursor
}

// EntryQuery selects the copies or codes of one outcome.
type EntryQuery struct {
	StocktakeID string
	Outcome     Outcome // one of Listed
	Limit       int
	After       *library.Cursor
}

// Store keeps stocktakes, and finds their copies. A closed one has the numbers of its end.
type Store interface {
	Stocktake(ctx context.Context, id string) (Stocktake, error) // library.ErrStocktakeNotFound; without Swaps
	Stocktakes(ctx context.Context, q Query) ([]Stocktake, error)
	CountStocktakes(ctx context.Context) (int, error)
	// Swaps pairs each loan of a copy scanned as Lent with a lendable and Remaining copy of the same book, each once.
	// The copies have identifiers alone.
	Swaps(ctx context.Context, id string) ([]Swap, error)
	// ScannedAt returns when copies were first scanned.
	ScannedAt(ctx context.Context, id string, copyIDs []string) (map[string]time.Time, error)
	// Codes lists the codes of no copy, in their order.
	Codes(ctx context.Context, q EntryQuery) ([]Entry, error)
	CountCodes(ctx context.Context, id string) (int, error)

	// StocktakeTx returns the part for stocktakes of a transaction of the same store.
	StocktakeTx(tx library.Tx) Tx
}

// Place is a copy as a scan finds it, before anything changes.
type Place struct {
	CopyID, BookID, Barcode string
	Seq                     int64 // of the store
	Scanned                 bool  // in this stocktake
}

// Scanned is a first scan.
type Scanned struct {
	Place
	Outcome Outcome
}

// Tx reads and writes stocktakes inside a transaction.
type Tx interface {
	// Stocktake returns a stocktake without its numbers, and locks it: library.ErrStocktakeNotFound.
	Stocktake(ctx context.Context, id string) (Stocktake, error)
	// OpenStocktakes returns all open ones. The transaction has the library.StocktakeLock.
	OpenStocktakes(ctx context.Context) ([]Stocktake, error)
	// Start adds a stocktake, and fixes the expected copies and those away.
	Start(ctx context.Context, s Stocktake) (Numbers, error)

	// Find returns copies by their barcodes and identifiers, and locks their books in the order of everybody.
	Find(ctx context.Context, id string, barcodes, copyIDs []string) ([]Place, error)
	// Record writes first scans, codes of no copy, perhaps recorded before, and the number of other scans.
	Record(ctx context.Context, id string, at time.Time, first []Scanned, unknown []string, again int) error
	// Copies returns copies as [library.CopyStore.ListCopies] does, by their identifiers.
	Copies(ctx context.Context, ids []string, now time.Time) (map[string]library.Copy, error)

	// Left returns up to most remaining copies, and locks their books.
	Left(ctx context.Context, id string, most int) ([]Place, error)
	// Mark records copies as missing from now on.
	Mark(ctx context.Context, id string, left []Place) error
	// Close ends a stocktake. Its remaining copies have the outcome Remaining from now on.
	Close(ctx context.Context, id string, at time.Time) (Stocktake, error)
	Delete(ctx context.Context, id string) error
}
