package sqlstore

import (
	"context"

	"example.org/library"
)

// writer runs the statements of a change, until one fails. Where they can be
// sent together it lets them wait, and they fail later.
type writer struct {
	ctx context.Context
	tx  *tx
	err error
}

// exec runs a statement.
func (w *writer) exec(doing, text string, args ...any) { w.run(doing, nil, text, args) }

// expect runs a statement that must change one record; otherwise the error is
// notFound.
func (w *writer) expect(doing string, notFound error, text string, args ...any) {
	w.run(doing, notFound, text, args)
}

func (w *writer) run(doing string, notFound error, text string, args []any) {
	switch {
	case w.err != nil:
	case w.tx.pipeline != nil:
		w.tx.pipeline.write(w.tx.explain(w.ctx, doing, notFound), notFound != nil, text, args)
	default:
		result, err := w.tx.sql.ExecContext(w.ctx, text, args...)
		if err == nil && notFound != nil {
			err = expectOne(result, notFound)
		}
		w.err = w.tx.explain(w.ctx, doing, notFound)(err)
	}
}

// explain says what the database has against a change, in the words of the
// domain. A decision about what was loaded and locked runs into none of these,
// but for barcodes and identifiers, which belong to the whole library.
func (t *tx) explain(ctx context.Context, doing string, notFound error) func(error) error {
	return func(err error) error {
		switch d := t.dialect.diagnose(err); d.constraint {
		case copiesBarcode:
			return library.ErrBarcodeTaken
		case copiesID, loansID, holdsID:
			return library.ErrIdentifierTaken
		case loansOnePerCopy, copyIsLent:
			return library.ErrBookBorrowed
		case loansOnePerReader:
			return library.ErrHasIt
		case holdsOnePerReader:
			return library.ErrAlreadyHeld
		case holdsOnePerCopy, copyIsSetAside:
			return library.ErrReserved
		case copyOfTheBook:
			return library.ErrCopyNotFound
		case loansUser, holdsUser:
			return library.ErrUserNotFound
		case loansBook, holdsBook, copiesBook:
			return library.ErrBookNotFound
		case nothingChanged:
			return notFound
		}
		return dbError(ctx, doing, err)
	}
}
