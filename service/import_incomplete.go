package service

import (
	"context"
	"errors"
	"fmt"

	"example.org/library"
	"example.org/library/internal/validation"
)

// incomplete returns the error of an import broken off by a failure of the database. If no row was
// written, it is that failure.
func (p *importProgress) incomplete(tried int, err error) error {
	known, ok := errors.AsType[*library.Error](err)
	isDatabase := ok && known.Kind == library.Unavailable || errors.Is(err, context.DeadlineExceeded)
	done := len(p.results)
	if done == 0 || !isDatabase {
		return err
	}
	e := *library.ErrImportBrokeOff
	e.Message = fmt.Sprintf("The import broke off: %d of %d rows are done. Send the same request again to do the rest; nothing is added twice.", done, p.total)
	e.Details = append(e.Details, library.Detail{Field: "rows", Code: validation.CodeRowsDone, Limit: done, Message: fmt.Sprintf("are done up to number %d", done)})
	rows := map[library.ImportOutcome]int{}
	for _, r := range p.results {
		rows[r.Outcome]++
	}
	for _, outcome := range library.ImportOutcomes {
		if n := rows[outcome]; n > 0 {
			e.Details = append(e.Details, library.Detail{Field: string(outcome), Code: validation.CodeRowsOutcome, Limit: n, Message: fmt.Sprintf("is the outcome of %d of them", n)})
		}
	}
	if errors.Is(err, library.ErrOutcomeUnknown) && tried > 0 {
		e.Details = append(e.Details, library.Detail{Field: "rows", Code: validation.CodeRowsUnknown, Limit: tried,
			Message: fmt.Sprintf("that follow, %d of them, may be done or not: the connection to the database was lost", tried)})
	}
	return fmt.Errorf("%w: %v", &e, err)
}
