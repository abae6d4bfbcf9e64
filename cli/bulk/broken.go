package bulk

import "example.org/library/client"

// brokenBatch is how far each try to send a batch came that broke off. A try finds
// what those before it have added, and calls it unchanged.
type brokenBatch []client.Incomplete

// changed is how many rows all tries together have added and updated.
func (b brokenBatch) changed() (added, updated int) {
	for _, in := range b {
		added += in.Outcomes[client.Added]
		updated += in.Outcomes[client.Updated]
	}
	return added, updated
}

// correct counts what earlier tries have done to a batch whose rows were then
// reported as unchanged.
func (r *importReport) correct(b brokenBatch) {
	added, updated := b.changed()
	r.Added += added
	r.Updated += updated
	r.Unchanged = max(r.Unchanged-added-updated, 0)
}

// keepDone counts the first rows of a batch that is given up, as far as they are
// done, and leaves the others in it. The next import names those that need
// attention.
func (i *importer) keepDone(b brokenBatch) {
	if len(b) == 0 {
		return
	}
	last := b[len(b)-1]
	i.unknown = last.Unknown
	done := last.Done
	for len(i.batch) > 0 && (done > 0 || i.batch[0].problem != "") {
		if row := i.batch[0]; row.problem != "" {
			i.report.unreadable(row.line, row.problem)
		} else {
			done--
		}
		i.batch = i.batch[1:]
	}
	i.report.Added += last.Outcomes[client.Added]
	i.report.Updated += last.Outcomes[client.Updated]
	i.report.Unchanged += last.Outcomes[client.Unchanged]
	i.report.Different += last.Outcomes[client.Differs]
	i.report.Failed += last.Outcomes[client.Invalid]
	i.report.correct(b[:len(b)-1])
}
