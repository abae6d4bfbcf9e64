package userfile

import (
	"fmt"
	"slices"
	"strings"

	"example.org/library/internal/table"
)

// FieldOf returns the field for a heading, or "".
func FieldOf(heading string) string {
	name := table.Plain(heading)
	if field := headings[name]; field != "" {
		return field
	}
	return spares[name]
}

// NoPeopleError reports a file without a column for e-mail addresses or names.
type NoPeopleError struct {
	Found    []string // the headings of the file
	HasNames bool     // only addresses are missing
}

func (e *NoPeopleError) Error() string {
	var usual []string
	for _, f := range fields {
		usual = append(usual, f.heading)
	}
	what := "e-mail addresses or names"
	if e.HasNames {
		what = "e-mail addresses"
	}
	return fmt.Sprintf("no column has %s; the columns are %s, and the usual headings are %s; %s", what,
		table.Quoted(e.Found), strings.Join(usual, ", "), table.LinesAbove)
}

// assign returns the field of each column, "" for none. The caller's own headings of a
// field replace the usual ones. A pattern stands for a column of addresses.
func assign(header []string, own map[string][]string, p Pattern) ([]string, error) {
	columns := make([]string, len(header))
	named, err := table.OwnColumns(header, own)
	if err != nil {
		return nil, err
	}
	for i, field := range named {
		columns[i] = field
	}
	assignUsual(columns, header, own, headings)
	if !isOneRoster(header) { // OneRoster has the roles of a school
		assignUsual(columns, header, own, spares)
	} else {
		assignUsual(columns, header, own, map[string]string{"identifier": fieldCard, "grades": fieldGroup})
	}
	who := []string{fieldEmail, fieldFirstName, fieldLastName}
	if len(p.columns) == 0 && !slices.ContainsFunc(columns, func(field string) bool { return slices.Contains(who, field) }) {
		return nil, &NoPeopleError{Found: header}
	}
	return columns, nil
}

// isOneRoster reports whether a header comes from users.csv of OneRoster.
func isOneRoster(header []string) bool {
	return table.Find(header, "sourcedId") >= 0 || table.Find(header, "enabledUser") >= 0
}

// assignUsual gives columns the fields of their headings. Of several columns for a field the first counts, or the
// column with the field's own name. Several columns may say whether a person is active.
func assignUsual(columns, header []string, own map[string][]string, known map[string]string) {
	for i, heading := range header {
		field := known[table.Plain(heading)]
		if _, replaced := own[field]; field == "" || replaced || columns[i] != "" {
			continue
		}
		if before := slices.Index(columns, field); before >= 0 && field != fieldActive {
			name := table.Plain(fieldNamed(field).heading)
			if table.Plain(heading) != name || table.Plain(header[before]) == name {
				continue
			}
			columns[before] = ""
		}
		columns[i] = field
	}
}
