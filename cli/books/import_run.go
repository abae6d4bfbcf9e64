package books

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Limits of a batch. The service takes twice as many rows and a little more
// text; with these the bar moves, and little has to be repeated.
const (
	maxBatchRows = 500
	maxBatchSize = 900 << 10
)

// bookImporter takes a file to the library, batch by batch.
type bookImporter struct {
	app      *command.App
	client   *client.Client
	options  importOptions
	file     *bookfile.Reader
	name     string
	progress *terminal.Progress
	report   importReport

	batch []importRow // read and not yet sent
	size  int         // of the batch, as JSON
	line  int         // the last one that was read
	named int         // how many ignored names have been reported
	given string      // the reason that was given for sending the batch again

	unknown int // rows after which the import stopped, and that may be done or not
}

// importRow is a row of the file: a book, or why it is none.
type importRow struct {
	line    int
	book    client.EncodedBook
	problem string
}

func (i *bookImporter) run(ctx context.Context) error {
	i.report.begin()
	i.reportIgnored()
	for {
		row, err := i.file.Read()
		var bad *bookfile.RowError
		switch {
		case ctx.Err() != nil:
			return i.stopped(ctx, ctx.Err())
		case errors.As(err, &bad):
			err = i.add(ctx, importRow{line: bad.Line, problem: bad.Reason}, 0)
		case err == nil:
			err = i.addBook(ctx, importRow{line: row.Line, book: encodeRow(row.Book)})
		default:
			return i.end(ctx, err)
		}
		if err != nil {
			return i.stopped(ctx, err)
		}
	}
}

// end imports what is left after the last row that could be read.
func (i *bookImporter) end(ctx context.Context, reason error) error {
	if err := i.flush(ctx); err != nil {
		return i.stopped(ctx, err)
	}
	i.progress.Done()
	i.reportIgnored()
	i.report.end(errors.Is(reason, io.EOF))
	if i.line == 0 && errors.Is(reason, io.EOF) {
		i.app.Message("%s: there are no books in the file.", i.name)
	}
	switch failed := i.report.Failed; {
	case !errors.Is(reason, io.EOF):
		return explainFile(i.name, reason)
	case failed == 0 && i.report.Different > 0 && i.options.strict:
		return differ(i.report.Different)
	case failed == 0:
		return nil
	case i.options.DryRun:
		return command.Fail(command.ExitFailed, "%s would fail.", command.Quantity(failed, "row"))
	default:
		return command.Fail(command.ExitFailed, "%s failed. Correct what is wrong and import the file again: books that the library already has are not added twice.", command.Quantity(failed, "row"))
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
func (i *bookImporter) stopped(ctx context.Context, err error) error {
	i.progress.Done()
	i.report.end(false)
	where := fmt.Sprintf("after line %d of %s; the lines up to it are done.", i.line, i.name)
	if len(i.batch) > 0 {
		where = fmt.Sprintf("at line %d of %s; the lines before it are done.", i.batch[0].line, i.name)
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
	i.app.Message("%s", text)
	return err
}

// reasonOfError is an error as the beginning of a line.
func reasonOfError(err error) string { return command.Sentence(command.Capital(err.Error())) + " " }

// addBook adds a row with a book to the batch.
func (i *bookImporter) addBook(ctx context.Context, row importRow) error {
	size := len(row.book) + len(",")
	if size > maxBatchSize {
		row.problem = fmt.Sprintf("is too large to be sent (%d KiB; at most %d KiB)", size>>10, maxBatchSize>>10)
		size = 0
	}
	return i.add(ctx, row, size)
}

// add adds a row to the batch, and sends the batch before if it is full.
func (i *bookImporter) add(ctx context.Context, row importRow, size int) error {
	if len(i.batch) == maxBatchRows || i.size+size > maxBatchSize {
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
func (i *bookImporter) flush(ctx context.Context) error {
	i.report.hide = i.progress.Hide
	var books []client.EncodedBook
	for _, row := range i.batch {
		if row.problem == "" {
			books = append(books, row.book)
		}
	}
	var results []api.ImportResult
	var broken brokenBatch
	if len(books) > 0 {
		var err error
		if results, broken, err = i.send(ctx, books); err != nil {
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
		results = results[1:]
	}
	i.report.correct(broken)
	i.progress.Add(len(i.batch))
	i.batch, i.size = i.batch[:0], 0
	return nil
}

// send sends books, and again if the answer may have been lost on its way: what
// has arrived the first time is not added twice. A reason that stays the same is
// given once.
func (i *bookImporter) send(ctx context.Context, books []client.EncodedBook) (_ []api.ImportResult, broken brokenBatch, _ error) {
	i.given = ""
	ctx = client.WithIdempotencyKey(ctx, client.NewIdempotencyKey()) // so that a lost answer is given again
	for attempt := 0; ; attempt++ {
		results, err := i.client.ImportBooks(ctx, books, i.options.ImportOptions)
		if in, isIncomplete := client.ImportBrokeOff(err); isIncomplete {
			broken = append(broken, in)
		}
		if err == nil || attempt == len(i.options.waits) || !mayPass(err) {
			return results, broken, err
		}
		wait := i.options.waits[attempt]
		i.progress.Hide()
		reason := reasonOfError(err)
		if reason == i.given {
			reason = ""
		} else {
			i.given = reason
		}
		i.app.Message("%sTrying again in %s.", reason, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, broken, ctx.Err()
		}
	}
}

// mayPass reports whether a failure may be gone the next time.
func mayPass(err error) bool {
	if refused, is := command.AsRefusal(err); is {
		return refused.Code == library.ErrKeyInUse.Code || refused.Status == http.StatusBadGateway || refused.Status == http.StatusServiceUnavailable || refused.Status == http.StatusGatewayTimeout
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return errors.Is(err, client.ErrUnreachable) && !certificate
}

// reportIgnored names what the file has beside books, once.
func (i *bookImporter) reportIgnored() {
	ignored := i.file.Ignored()
	if len(ignored) > i.named {
		i.app.Message("%s: not imported: %s.", i.name, strings.Join(ignored[i.named:], ", "))
	}
	i.named = len(ignored)
}

// encodeRow makes a book of a file ready to be sent.
func encodeRow(b bookfile.Book) client.EncodedBook {
	return client.EncodeBook(client.BookFields{
		Identifier: b.Identifier, BookFields: b.BookFields,
		Copies: b.Copies, Barcodes: b.Barcodes, Shelf: b.Shelf,
	})
}
