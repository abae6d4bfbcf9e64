package bulk

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// send sends rows, and sends them again if the answer may have been lost. Rows received the first
// time are not added twice. If the reason for a retry stays the same, it is printed once.
func (i *importer) send(ctx context.Context, rows []client.EncodedRow) (_ []api.ImportResult, broken brokenBatch, _ error) {
	i.given = ""
	ctx = client.WithIdempotencyKey(ctx, client.NewIdempotencyKey()) // so that the service repeats a lost answer
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

// longImport is the number of rows from which an import counts as long.
const longImport = 5000

func (i *importer) waits() []time.Duration {
	if i.report.rows() < longImport {
		return i.Options.Waits
	}
	return slices.Concat(i.Options.Waits, i.Options.LongWaits)
}

// mayPass reports whether a request may succeed if it is sent again after err.
func mayPass(err error) bool {
	if refused, is := command.AsRefusal(err); is {
		return refused.Code == library.ErrKeyInUse.Code || refused.Status == http.StatusBadGateway || refused.Status == http.StatusServiceUnavailable || refused.Status == http.StatusGatewayTimeout
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	return errors.Is(err, client.ErrUnreachable) && !certificate
}

// brokenBatch records the progress of each failed try to send a batch. A try reports
// the records added by earlier tries as unchanged.
type brokenBatch []client.Incomplete

// done returns how many rows of the batch all tries together have done, and their outcomes. A
// try counts only for the rows done by no earlier try.
func (b brokenBatch) done() (rows int, outcomes map[string]int) {
	outcomes = map[string]int{}
	for _, in := range b {
		if in.Done <= rows {
			continue
		}
		added, updated := outcomes[client.Added], outcomes[client.Updated]
		outcomes = map[string]int{
			client.Added:     in.Outcomes[client.Added] + added,
			client.Updated:   in.Outcomes[client.Updated] + updated,
			client.Unchanged: max(in.Outcomes[client.Unchanged]-added-updated, 0),
			client.Differs:   in.Outcomes[client.Differs],
			client.Invalid:   in.Outcomes[client.Invalid],
		}
		rows = in.Done
	}
	return rows, outcomes
}

// correct replaces the outcomes of rows done by earlier tries: it counts the outcomes from
// these tries instead of the ones in the results of the last try.
func (r *importReport) correct(b brokenBatch, last []api.ImportResult) {
	rows, outcomes := b.done()
	for _, result := range last[:min(rows, len(last))] {
		r.count(result.Outcome, -1)
	}
	for outcome, n := range outcomes {
		r.count(outcome, n)
	}
}

// keepDone counts the rows already done at the beginning of an abandoned batch, and
// leaves the others in it. The next import reports the rows that need attention.
func (i *importer) keepDone(b brokenBatch) {
	if len(b) == 0 {
		return
	}
	i.unknown = b[len(b)-1].Unknown
	done, _ := b.done()
	for len(i.batch) > 0 && (done > 0 || i.batch[0].problem != "") {
		if row := i.batch[0]; row.problem != "" {
			i.report.unreadable(row.line, row.problem)
		} else {
			done--
		}
		i.batch = i.batch[1:]
	}
	i.report.correct(b, nil)
}

// importTally counts rows by outcome.
type importTally struct {
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Different int `json:"different"`
	Failed    int `json:"failed"`
	LeftOut   int `json:"leftOut,omitempty"`
}

// add counts a row. The service calls a person left out of the import unchanged.
func (t *importTally) add(result api.ImportResult) {
	if IsLeftOut(result) {
		t.LeftOut++
		return
	}
	t.count(result.Outcome, 1)
}

func (t *importTally) count(outcome string, n int) {
	switch outcome {
	case client.Added:
		t.Added += n
	case client.Updated:
		t.Updated += n
	case client.Unchanged:
		t.Unchanged += n
	case client.Differs:
		t.Different += n
	default:
		t.Failed += n
	}
}

func (t importTally) rows() int {
	return t.Added + t.Updated + t.Unchanged + t.Different + t.Failed + t.LeftOut
}
