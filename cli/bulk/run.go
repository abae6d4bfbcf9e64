package bulk

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/table"
	"example.org/library/terminal"
)

// Limits of a batch. The service takes twice as many rows and a little more
// text; with these the bar moves, and little has to be repeated.
const (
	MaxBatchRows = 500
	MaxBatchSize = 900 << 10
)

// placeLine is what is counted in most files.
const placeLine = "line"

// Nouns are what a file is about, for messages.
type Nouns struct{ One, Many string }

// Source is a file that is read row by row.
type Source interface {
	// Read returns the next row as it is sent, with its line, or io.EOF. After a
	// table.RowError it can be called again; any other error is the end.
	Read() (line int, row client.EncodedRow, err error)
	// Ignored names what the file has that is not imported, as far as it was read.
	Ignored() []string
}

// Import takes a file to the library, batch by batch.
type Import struct {
	App     *command.App
	Nouns   Nouns
	Options Options
	Name    string // of the file
	Source  Source
	Total   int // rows; -1 if that is not known
	// Place is what is counted in the file: "line", which "" stands for, or "record".
	Place string
	// Send sends some rows and returns what became of each.
	Send func(ctx context.Context, rows []client.EncodedRow, o client.ImportOptions) ([]api.ImportResult, error)
	// Explain says what is wrong with a whole file.
	Explain func(name string, err error) error
	// Done is called for each row that the service has judged; nil for nothing.
	Done func(client.EncodedRow, api.ImportResult)
}

// Run imports the file and says what came of it.
func (i Import) Run(ctx context.Context) error {
	return (&importer{
		Import: i, progress: i.App.Term.NewProgress(i.Total, "Importing"),
		report: importReport{nouns: i.Nouns, place: i.place(), term: i.App.Term, name: i.Name, options: i.Options.ImportOptions, json: i.App.JSON, say: i.App.Env.Message},
	}).run(ctx)
}

func (i Import) place() string { return cmp.Or(i.Place, placeLine) }

// importer is an import at work.
type importer struct {
	Import
	progress *terminal.Progress
	report   importReport

	batch []importRow // read and not yet sent
	size  int         // of the batch, as JSON
	line  int         // the last one that was read
	named int         // how many ignored names have been reported
	given string      // the reason that was given for sending the batch again

	unknown int // rows after which the import stopped, and that may be done or not
}

// importRow is a row of the file: what is sent, or why it cannot be.
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

// end imports what is left after the last row that could be read.
func (i *importer) end(ctx context.Context, reason error) error {
	if err := i.flush(ctx); err != nil {
		return i.stopped(ctx, err)
	}
	i.progress.Done()
	i.reportIgnored()
	i.report.end(errors.Is(reason, io.EOF))
	if i.line == 0 && errors.Is(reason, io.EOF) {
		i.App.Message("%s: there are no %s in the file.", i.Name, i.Nouns.Many)
	}
	switch failed := i.report.Failed; {
	case !errors.Is(reason, io.EOF):
		return i.Explain(i.Name, reason)
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

// differ is what a strict import fails with.
func differ(n int) error {
	verb := " differ"
	if n == 1 {
		verb = " differs"
	}
	return command.Fail(command.ExitConflict, "%s%s from the library. Import the file with --update to change that.", command.Quantity(n, "row"), verb)
}

// stopped says how far the import came.
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
		return command.Fail(command.ExitCode(err), "%s", text) // the reason was given when the batch was sent again
	}
	i.App.Message("%s", text)
	return err
}

// reasonOfError is an error as the beginning of a line.
func reasonOfError(err error) string { return command.Sentence(command.Capital(err.Error())) + " " }

// addRow adds a row that could be read to the batch.
func (i *importer) addRow(ctx context.Context, row importRow) error {
	size := len(row.row) + len(",")
	if size > MaxBatchSize {
		row.problem = fmt.Sprintf("is too large to be sent (%d KiB; at most %d KiB)", size>>10, MaxBatchSize>>10)
		size = 0
	}
	return i.add(ctx, row, size)
}

// add adds a row to the batch, and sends the batch before if it is full.
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
	for _, row := range i.batch {
		if row.problem != "" {
			i.report.unreadable(row.line, row.problem)
			continue
		}
		i.report.result(row.line, results[0])
		if i.Done != nil {
			i.Done(row.row, results[0])
		}
		results = results[1:]
	}
	i.report.correct(broken)
	i.progress.Add(len(i.batch))
	i.batch, i.size = i.batch[:0], 0
	return nil
}

// send sends rows, and again if the answer may have been lost on its way: what
// has arrived the first time is not added twice. A reason that stays the same is
// given once.
func (i *importer) send(ctx context.Context, rows []client.EncodedRow) (_ []api.ImportResult, broken brokenBatch, _ error) {
	i.given = ""
	ctx = client.WithIdempotencyKey(ctx, client.NewIdempotencyKey()) // so that a lost answer is given again
	waits := i.waits()
	for attempt := 0; ; attempt++ {
		results, err := i.Send(ctx, rows, i.Options.ImportOptions)
		if in, isIncomplete := client.ImportBrokeOff(err); isIncomplete {
			broken = append(broken, in)
		}
		if err == nil || attempt == len(waits) || !mayPass(err) {
			return results, broken, err
		}
		wait := waits[attempt]
		i.progress.Hide()
		reason := reasonOfError(err)
		if reason == i.given {
			reason = ""
		} else {
			i.given = reason
		}
		i.App.Message("%sTrying again in %s.", reason, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, broken, ctx.Err()
		}
	}
}

// longImport is how many rows make an import a long one.
const longImport = 5000

// waits are those before the batch is sent again.
func (i *importer) waits() []time.Duration {
	if i.report.rows() < longImport {
		return i.Options.Waits
	}
	return slices.Concat(i.Options.Waits, i.Options.LongWaits)
}

// mayPass reports whether a failure may be gone the next time.
func mayPass(err error) bool {
	if refused, is := command.AsRefusal(err); is {
		return refused.Code == library.ErrKeyInUse.Code || refused.Status == http.StatusBadGateway || refused.Status == http.StatusServiceUnavailable || refused.Status == http.StatusGatewayTimeout
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return errors.Is(err, client.ErrUnreachable) && !certificate
}

// reportIgnored names what the file has beside that, once.
func (i *importer) reportIgnored() {
	ignored := i.Source.Ignored()
	if len(ignored) > i.named {
		i.App.Message("%s: not imported: %s.", i.Name, strings.Join(ignored[i.named:], ", "))
	}
	i.named = len(ignored)
}
