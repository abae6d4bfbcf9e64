package bulk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/validation"
	"example.org/library/terminal"
)

// importReport counts the outcomes of the rows of a file, and reports each row that
// needs attention: as a line for people, or as a JSON object. It writes as it goes,
// however long the file is.
type importReport struct {
	importTally
	nouns   Nouns
	place   string // "line" or "record"
	term    *terminal.Terminal
	name    string // of the file
	options client.ImportOptions
	json    bool
	hide    func() // takes the progress bar off the screen
	say     func(string)

	objects int               // written so far
	lines   map[uuid.UUID]int // first line of the file about each record
	keys    map[string]int    // first line of the file with each key
}

// reportedRow is a row that needs attention.
type reportedRow struct {
	Line       int          `json:"line,omitempty"`
	Record     int          `json:"record,omitempty"` // in a file without lines
	Outcome    string       `json:"outcome"`
	Identifier string       `json:"identifier,omitempty"`
	SameAsLine int          `json:"sameAsLine,omitempty"` // an earlier line about the same record
	SameAs     int          `json:"sameAsRecord,omitempty"`
	Message    string       `json:"message,omitempty"`
	Code       string       `json:"code,omitempty"`
	Details    []api.Detail `json:"details,omitempty"`

	Warnings []api.Warning `json:"warnings,omitempty"`
}

// CardKey is the prefix of the key of a card.
const CardKey = "card "

// leftOut is the code of the warning about a row left out of the import.
const leftOut = "left_out"

// IsLeftOut reports whether a row was left out of the import.
func IsLeftOut(result api.ImportResult) bool {
	return slices.ContainsFunc(result.Warnings, func(w api.Warning) bool { return w.Code == leftOut })
}

// maxLines limits how many records and keys are remembered with their lines. In a
// longer file, repetitions of later rows are not reported.
const maxLines = 1 << 20

func (r *importReport) begin() {
	if r.json {
		fmt.Fprint(r.term.Out, `{"rows":[`)
	}
}

// unreadable reports a row that could not be read, or is too large to be sent.
func (r *importReport) unreadable(line int, reason string) {
	r.Failed++
	r.report(line, reportedRow{Outcome: client.Invalid, Message: reason, Code: "unreadable_row"}, reason)
}

// result reports the service's result for a row.
func (r *importReport) result(line int, keys []string, result api.ImportResult) {
	before := r.seen(line, keys)
	same := r.repeats(line, cmp.Or(before...), result)
	row := reportedRow{
		Outcome: result.Outcome, Identifier: result.Identifier,
		Message: result.Message, Code: result.Code, Details: result.Details, Warnings: result.Warnings,
	}
	for i, key := range keys {
		if strings.HasPrefix(key, CardKey) && result.Code == library.ErrCardTaken.Code && before[i] > 0 {
			row.Message = fmt.Sprintf("This card is also in %s %d.", r.place, before[i])
		}
	}
	r.add(result)
	if same > 0 && r.place == placeLine {
		row.SameAsLine = same
	} else {
		row.SameAs = same
	}
	if text := describe(row, r.nouns); text != "" || r.json && len(row.Warnings) > 0 {
		r.report(line, row, text)
	}
}

// seen returns, for each key, the first earlier line with it, or 0 if there is none. It
// records the keys of this line.
func (r *importReport) seen(line int, keys []string) (before []int) {
	if r.keys == nil {
		r.keys = map[string]int{}
	}
	for _, key := range keys {
		first := r.keys[key]
		if before = append(before, first); first == 0 && len(r.keys) < maxLines {
			r.keys[key] = line
		}
	}
	return before
}

// repeats returns the earlier line about the same record, or 0 if there is none. In a dry
// run a record to be added by an earlier row has no identifier, and is recognized by its keys.
func (r *importReport) repeats(line, before int, result api.ImportResult) int {
	id, err := uuid.Parse(result.Identifier)
	if err != nil && (result.Outcome == client.Unchanged || result.Outcome == client.Differs || result.Outcome == client.Updated) {
		return before
	}
	if err != nil {
		return 0
	}
	if before := r.lines[id]; before > 0 {
		return before
	}
	if r.lines == nil {
		r.lines = map[uuid.UUID]int{}
	}
	if len(r.lines) < maxLines {
		r.lines[id] = line
	}
	return 0
}

// describe returns a message about a row, or "" if there is nothing to report.
func describe(row reportedRow, nouns Nouns) string {
	parts := []string{describeOutcome(row, nouns)}
	for _, w := range row.Warnings {
		if w.Code != leftOut { // counted instead
			parts = append(parts, w.Field+" "+w.Message)
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

func describeOutcome(row reportedRow, nouns Nouns) string {
	var same string
	switch {
	case row.SameAsLine > 0:
		same = fmt.Sprintf("is the same %s as line %d", nouns.One, row.SameAsLine)
	case row.SameAs > 0:
		same = fmt.Sprintf("is the same %s as record %d", nouns.One, row.SameAs)
	}
	switch row.Outcome {
	case client.Added:
		return ""
	case client.Unchanged:
		return same
	case client.Updated:
		if same != "" {
			same += ", and has replaced what that says"
		}
		return same
	case client.Differs:
		if fields := differentFields(row.Details); fields != "" && same != "" {
			return same + ", and differs in " + fields
		} else if fields != "" {
			return "differs from the library in " + fields
		}
	}
	return reasonOf(row)
}

// differentFields returns the names of the fields that differ, or "" if the details list
// candidates instead.
func differentFields(details []api.Detail) string {
	var names []string
	for _, d := range details {
		if d.Code == string(validation.CodeCandidate) {
			return "" // several records match
		}
		names = append(names, d.Field)
	}
	return strings.Join(names, ", ")
}

// reasonOf returns the service's messages about the fields and about the whole row. It
// leaves out the latter if it says only that fields are invalid.
func reasonOf(row reportedRow) string {
	var parts []string
	for _, d := range row.Details {
		parts = append(parts, d.Field+" "+d.Message)
	}
	text := strings.Join(parts, "; ")
	switch {
	case text == "":
		return row.Message
	case row.Code == library.ErrInvalid.Code:
		return text
	case row.Code == library.ErrCardTaken.Code, row.Code == library.ErrNoAddress.Code:
		return row.Message // complete without the details
	}
	return row.Message + " (" + text + ")"
}

// report writes the text about a row, or the row as JSON.
func (r *importReport) report(line int, row reportedRow, text string) {
	if r.hide != nil {
		r.hide()
	}
	if !r.json {
		r.say(fmt.Sprintf("%s:%d: %s", r.name, line, terminal.Clean(text)))
		return
	}
	if r.place == placeLine {
		row.Line = line
	} else {
		row.Record = line
	}
	comma := "\n"
	if r.objects++; r.objects > 1 {
		comma = ",\n"
	}
	fmt.Fprint(r.term.Out, comma, oneLine(row))
}

// end writes the totals of the import. The argument complete says whether the file was
// read to its end.
func (r *importReport) end(complete bool) {
	if r.json {
		rest := oneLine(struct {
			importTally
			DryRun   bool `json:"dryRun"`
			Complete bool `json:"complete"`
		}{r.importTally, r.options.DryRun, complete})
		fmt.Fprintln(r.term.Out, "\n],"+strings.TrimPrefix(rest, "{"))
		return
	}
	hint := ""
	if r.Different > 0 {
		hint = " (use --update to change them)"
	}
	format, left := "Added %s, updated %s, unchanged %s, different %s%s, failed %s%s.\n", ", left out "
	if r.options.DryRun {
		format, left = "Dry run, nothing was changed. To add: %s, to update: %s, unchanged: %s, different: %s%s, failed: %s%s.\n", ", left out: "
	}
	if left += command.Thousands(r.LeftOut); r.LeftOut == 0 {
		left = ""
	}
	fmt.Fprintf(r.term.Out, format, command.Thousands(r.Added), command.Thousands(r.Updated), command.Thousands(r.Unchanged), command.Thousands(r.Different), hint, command.Thousands(r.Failed), left)
}

// oneLine returns a value as JSON on one line. It panics if the value cannot be encoded.
func oneLine(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
