package userfile

import (
	"fmt"
	"slices"
	"strings"

	"example.org/library/internal/table"
)

// FieldOf tells the field that a heading is for, "" if none.
func FieldOf(heading string) string {
	name := table.Plain(heading)
	if field := headings[name]; field != "" {
		return field
	}
	return spares[name]
}

// NoPeopleError says that a file has no column for an e-mail address or a name.
type NoPeopleError struct {
	Found    []string // the headings that it has
	HasNames bool     // it lacks addresses alone
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
	return fmt.Sprintf("no column has %s; the columns are %s, and the usual headings are %s", what,
		table.Quoted(e.Found), strings.Join(usual, ", "))
}

// assign says for each column which field it has, "" for none. The caller's own headings
// of a field replace the usual ones. A pattern stands for a column of addresses.
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
	if !isOneRoster(header) { // whose roles are those of a school
		assignUsual(columns, header, own, spares)
	} else {
		assignUsual(columns, header, own, map[string]string{"identifier": fieldCard})
	}
	who := []string{fieldEmail, fieldFirstName, fieldLastName}
	if len(p.columns) == 0 && !slices.ContainsFunc(columns, func(field string) bool { return slices.Contains(who, field) }) {
		return nil, &NoPeopleError{Found: header}
	}
	return columns, nil
}

// isOneRoster reports whether a header is that of users.csv of OneRoster.
func isOneRoster(header []string) bool {
	return table.Find(header, "sourcedId") >= 0 || table.Find(header, "enabledUser") >= 0
}

// assignUsual gives columns the fields that their headings say. Of several columns for a
// field the first counts, or the one that has the field's own name. Whether a person is
// active may be said by several.
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
