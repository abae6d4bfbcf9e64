// Package bulk imports and exports files of many records for the commands. It adds the flags
// for a file, sends rows in batches, sends a batch again if its answer is lost, reports the
// rows that need attention, and creates a file under its name only once it is complete. The
// commands decide the kind of record. Start reading at [Import] and at [Export].
package bulk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

// Limits of a batch. The service takes twice as many rows and a little more text.
// Smaller batches keep the progress bar moving, and leave little to send again.
const (
	MaxBatchRows = 500
	MaxBatchSize = 900 << 10
)

// placeLine is the unit counted in most files.
const placeLine = "line"

// Nouns name the records of a file in messages.
type Nouns struct{ One, Many string }

// Source reads a file row by row.
type Source interface {
	// Read returns the next row, encoded for sending, and its line, or io.EOF. After a
	// table.RowError it can be called again; any other error is the end.
	Read() (line int, row client.EncodedRow, err error)
	// Ignored names the parts of the file not imported, as far as it was read.
	Ignored() []string
}

// Import sends a file to the library, batch by batch.
type Import struct {
	App     *command.App
	Nouns   Nouns
	Options Options
	Name    string // of the file
	Source  Source
	Total   int // rows; -1 if unknown
	// Place is the unit counted in the file: "line" (the default) or "record".
	Place string
	// Send sends some rows and returns the result of each.
	Send func(ctx context.Context, rows []client.EncodedRow, o client.ImportOptions) ([]api.ImportResult, error)
	// Explain returns the error to show for a fault of the whole file.
	Explain func(name string, err error) error
	// Keys returns the keys shared by rows about the same record, the best first. It is nil if
	// only the identifiers in the answers show such rows.
	Keys func(client.EncodedRow) []string
	// Done is called with the service's result for each row, unless Done is nil.
	Done func(client.EncodedRow, api.ImportResult)
}

// Run imports the file and reports the outcome.
func (i Import) Run(ctx context.Context) error {
	return (&importer{
		Import: i, progress: i.App.Term.NewProgress(i.Total, "Importing"),
		report: importReport{nouns: i.Nouns, place: i.place(), term: i.App.Term, name: i.Name, options: i.Options.ImportOptions, json: i.App.JSON, say: i.App.Env.Message},
	}).run(ctx)
}

func (i Import) keys(row client.EncodedRow) []string {
	if i.Keys == nil {
		return nil
	}
	return i.Keys(row)
}

func (i Import) place() string { return cmp.Or(i.Place, placeLine) }

// importer is a running import.
type importer struct {
	Import
	progress *terminal.Progress
	report   importReport

	batch []importRow // read and not yet sent
	size  int         // of the batch, as JSON
	line  int         // the last one read
	named int         // how many ignored names have been reported
	given string      // the reason printed for sending the batch again

	unknown int // rows after the last one done, with an unknown outcome
}

// importRow is a row of the file, encoded, or the reason for not sending it.
type importRow struct {
	line    int
	row     client.EncodedRow
	problem string
}

func (i *importer) run(ctx context.Context) error {
	i.report.begin()
	i.reportIgnored()
	for {
		line, row, err := i.Source.Read()
		var bad *table.RowError
		switch {
		case ctx.Err() != nil:
			return i.stopped(ctx, ctx.Err())
		case errors.As(err, &bad):
			err = i.add(ctx, importRow{line: bad.Line, problem: bad.Reason}, 0)
		case err == nil:
			err = i.addRow(ctx, importRow{line: line, row: row})
		default:
			return i.end(ctx, err)
		}
		if err != nil {
			return i.stopped(ctx, err)
		}
	}
}

// end sends the remaining rows, reports the totals and returns the error of the import.
// The reason is io.EOF at the end of the file, or the error that ended the reading.
func (i *importer) end(ctx context.Context, reason error) error {
	if err := i.flush(ctx); err != nil {
		return i.stopped(ctx, err)
	}
	i.progress.Done()
	i.reportIgnored()
	i.report.end(errors.Is(reason, io.EOF))
	if i.line == 0 && errors.Is(reason, io.EOF) {
		if i.place() != placeLine { // a table may be empty, but a file without records is not MARC
			return command.Fail(command.ExitFailed, "%s: there are no MARC records in the file.", i.Name)
		}
		i.App.Message("%s: there are no %s in the file.", i.Name, i.Nouns.Many)
	}
	if !errors.Is(reason, io.EOF) {
		return i.Explain(i.Name, reason)
	}
	if err := i.rowsError(); err != nil {
		return RowsError{err}
	}
	return nil
}

// RowsError is the error of an import of a whole file, if some rows failed or, in a strict import,
// differ.
type RowsError struct{ error }

func (e RowsError) Unwrap() error { return e.error }

func (i *importer) rowsError() error {
	switch failed := i.report.Failed; {
	case failed == 0 && i.report.Different > 0 && i.Options.Strict:
		return differ(i.report.Different)
	case failed == 0:
		return nil
	case i.Options.DryRun:
		return command.Fail(command.ExitFailed, "%s would fail.", command.Quantity(failed, "row"))
	default:
		return command.Fail(command.ExitFailed, "%s failed. Correct what is wrong and import the file again: %s that the library already has are not added twice.", command.Quantity(failed, "row"), i.Nouns.Many)
	}
}

func differ(n int) error {
	verb := " differ"
	if n == 1 {
		verb = " differs"
	}
	return command.Fail(command.ExitConflict, "%s%s from the library. Import the file with --update to change that.", command.Quantity(n, "row"), verb)
}

// stopped reports how far the import came, and returns err or an error in its place.
func (i *importer) stopped(ctx context.Context, err error) error {
	i.progress.Done()
	i.report.end(false)
	where := fmt.Sprintf("after %s %d of %s; the %[1]ss up to it are done.", i.place(), i.line, i.Name)
	if len(i.batch) > 0 {
		where = fmt.Sprintf("at %s %d of %s; the %[1]ss before it are done.", i.place(), i.batch[0].line, i.Name)
	}
	if i.unknown > 0 {
		where += fmt.Sprintf(" Of the next %s nobody knows.", command.Quantity(i.unknown, "row"))
	}
	when := "when that is fixed"
	if ctx.Err() != nil {
		when = "to go on"
	}
	text := fmt.Sprintf("Stopped %s Run the same command again %s; nothing is added twice.", where, when)
	if i.given != "" && i.given == reasonOfError(err) {
		return command.Fail(command.ExitCode(err), "%s", text) // the reason was printed when the batch was sent again
	}
	i.App.Message("%s", text)
	return err
}

func reasonOfError(err error) string { return command.Sentence(command.Capital(err.Error())) + " " }

// addRow adds a readable row to the batch. A row too large to be sent is marked with a problem.
func (i *importer) addRow(ctx context.Context, row importRow) error {
	size := len(row.row) + len(",")
	if size > MaxBatchSize {
		row.problem = fmt.Sprintf("is too large to be sent (%d KiB; at most %d KiB)", size>>10, MaxBatchSize>>10)
		size = 0
	}
	return i.add(ctx, row, size)
}

// add adds a row to the batch. If the batch is full, add sends it first.
func (i *importer) add(ctx context.Context, row importRow, size int) error {
	if len(i.batch) == MaxBatchRows || i.size+size > MaxBatchSize {
		if err := i.flush(ctx); err != nil {
			return err
		}
	}
	i.batch = append(i.batch, row)
	i.line = row.line
	i.size += size
	return nil
}

// flush sends the batch and reports its rows in their order.
func (i *importer) flush(ctx context.Context) error {
	i.report.hide = i.progress.Hide
	var rows []client.EncodedRow
	for _, row := range i.batch {
		if row.problem == "" {
			rows = append(rows, row.row)
		}
	}
	var results []api.ImportResult
	var broken brokenBatch
	if len(rows) > 0 {
		var err error
		if results, broken, err = i.send(ctx, rows); err != nil {
			i.keepDone(broken)
			return err
		}
	}
	rest := results
	for _, row := range i.batch {
		if row.problem != "" {
			i.report.unreadable(row.line, row.problem)
			continue
		}
		i.report.result(row.line, i.keys(row.row), rest[0])
		if i.Done != nil {
			i.Done(row.row, rest[0])
		}
		rest = rest[1:]
	}
	i.report.correct(broken, results)
	i.progress.Add(len(i.batch))
	i.batch, i.size = i.batch[:0], 0
	return nil
}

// reportIgnored names the parts of the file not imported, each of them once.
func (i *importer) reportIgnored() {
	ignored := i.Source.Ignored()
	if len(ignored) > i.named {
		i.App.Message("%s: not imported: %s.", i.Name, strings.Join(ignored[i.named:], ", "))
	}
	i.named = len(ignored)
}
