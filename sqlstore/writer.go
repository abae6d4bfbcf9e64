package sqlstore

import (
	"context"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// writer runs the statements of a change, until one fails. Where they are sent
// together, they fail later.
type writer struct {
	ctx context.Context
	tx  engine.Tx
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
	if w.err == nil {
		w.err = w.tx.Write(w.ctx, engine.Statement{Doing: doing, Text: text, Args: args, NotFound: notFound, Explain: explain})
	}
}

// then goes on with a change of another package, unless a statement has failed.
func (w *writer) then(write func() error) {
	if w.err == nil {
		w.err = write()
	}
}

// explain puts the complaint of the database in the words of the
// domain. A decision about locked records runs into none of these,
// except barcodes and identifiers, unique in the whole library.
func explain(ctx context.Context, dialect *engine.Dialect, doing string, notFound, err error) error {
	switch d := dialect.Diagnose(err); d.Constraint {
	case engine.CopiesBarcode:
		return library.ErrBarcodeTaken
	case engine.CopiesID, engine.LoansID, engine.HoldsID:
		return library.ErrIdentifierTaken
	case engine.LoansOnePerCopy, engine.CopyIsLent:
		return library.ErrBookBorrowed
	case engine.LoansOnePerReader:
		return library.ErrHasIt
	case engine.HoldsOnePerReader:
		return library.ErrAlreadyHeld
	case engine.HoldsOnePerCopy, engine.CopyIsSetAside:
		return library.ErrReserved
	case engine.CopyOfTheBook:
		return library.ErrCopyNotFound
	case engine.LoansUser, engine.HoldsUser:
		return library.ErrUserNotFound
	case engine.LoansBook, engine.HoldsBook, engine.CopiesBook:
		return library.ErrBookNotFound
	case engine.NothingChanged:
		return notFound
	}
	return dialect.Error(ctx, doing, err)
}
