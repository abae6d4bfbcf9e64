package bulk

import (
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

// importReport counts what became of the rows of a file, and reports those
// that need attention: a line each to a person, an object each as JSON. It
// writes as it goes, whatever the length of the file.
type importReport struct {
	importTally
	nouns   Nouns
	place   string // "line" or "record"
	term    *terminal.Terminal
	name    string // of the file
	options client.ImportOptions
	json    bool
	hide    func() // takes the bar out of the way
	say     func(string)

	objects int               // written so far
	lines   map[uuid.UUID]int // where the file has spoken of a record first
}

// importTally is how many rows had which outcome.
type importTally struct {
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Different int `json:"different"`
	Failed    int `json:"failed"`
}

// rows is how many there were.
func (t importTally) rows() int {
	return t.Added + t.Updated + t.Unchanged + t.Different + t.Failed
}

// reportedRow is a row that needs attention.
type reportedRow struct {
	Line       int          `json:"line,omitempty"`
	Record     int          `json:"record,omitempty"` // in a file without lines
	Outcome    string       `json:"outcome"`
	Identifier string       `json:"identifier,omitempty"`
	SameAsLine int          `json:"sameAsLine,omitempty"` // which line spoke of the record before
	SameAs     int          `json:"sameAsRecord,omitempty"`
	Message    string       `json:"message,omitempty"`
	Code       string       `json:"code,omitempty"`
	Details    []api.Detail `json:"details,omitempty"`

	Warnings []api.Warning `json:"warnings,omitempty"`
}

// maxLines is how many records are remembered with their lines. In a longer file
// a row that repeats a late one is not named.
const maxLines = 1 << 20

func (r *importReport) begin() {
	if r.json {
		fmt.Fprint(r.term.Out, `{"rows":[`)
	}
}

// unreadable reports a row that could not be read.
func (r *importReport) unreadable(line int, reason string) {
	r.Failed++
	r.report(line, reportedRow{Outcome: client.Invalid, Message: reason, Code: "unreadable_row"}, reason)
}

// result reports a row that the service has judged.
func (r *importReport) result(line int, result api.ImportResult) {
	same := r.repeats(line, result.Identifier)
	row := reportedRow{
		Outcome: result.Outcome, Identifier: result.Identifier,
		Message: result.Message, Code: result.Code, Details: result.Details, Warnings: result.Warnings,
	}
	switch result.Outcome {
	case client.Added:
		r.Added++
	case client.Updated:
		r.Updated++
	case client.Unchanged:
		r.Unchanged++
	case client.Differs:
		r.Different++
	default:
		r.Failed++
	}
	if same > 0 && r.place == placeLine {
		row.SameAsLine = same
	} else {
		row.SameAs = same
	}
	if text := describe(row, r.nouns); text != "" {
		r.report(line, row, text)
	}
}

// repeats returns the line that spoke of the same record before, 0 if none did.
func (r *importReport) repeats(line int, identifier string) int {
	id, err := uuid.Parse(identifier)
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

// describe says what is to be known of a row, "" if nothing is.
func describe(row reportedRow, nouns Nouns) string {
	parts := []string{describeOutcome(row, nouns)}
	for _, w := range row.Warnings {
		parts = append(parts, w.Field+" "+w.Message)
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

// differentFields names the fields that differ, "" if it is not about that.
func differentFields(details []api.Detail) string {
	var names []string
	for _, d := range details {
		if d.Code == string(validation.CodeCandidate) {
			return "" // there are several that may be meant
		}
		names = append(names, d.Field)
	}
	return strings.Join(names, ", ")
}

// reasonOf is what the service says: of the fields, and of the whole unless
// that is only that the fields are wrong.
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
	}
	return row.Message + " (" + text + ")"
}

// report says something of a row.
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

// end says what came of it all. Complete is whether the file was read to its end.
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
	format := "Added %s, updated %s, unchanged %s, different %s%s, failed %s.\n"
	if r.options.DryRun {
		format = "Dry run, nothing was changed. To add: %s, to update: %s, unchanged: %s, different: %s%s, failed: %s.\n"
	}
	fmt.Fprintf(r.term.Out, format, command.Thousands(r.Added), command.Thousands(r.Updated), command.Thousands(r.Unchanged), command.Thousands(r.Different), hint, command.Thousands(r.Failed))
}

// oneLine is a value as JSON. It holds nothing that cannot be one.
func oneLine(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
