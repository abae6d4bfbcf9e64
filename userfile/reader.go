package userfile

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"example.org/library/internal/table"
)

// Options describes a file to a reader.
type Options struct {
	table.Options
	Pattern Pattern // of the addresses of people without one in their row
}

// Row is a person and the line where the record begins, counted from 1.
type Row struct {
	Line int
	User User
}

// Reader reads the people of a file. Its memory does not grow with the file.
//
// Ignored names the unused columns of a CSV file, or the unused members in the JSON read so far.
type Reader struct {
	*table.Reader
	columns []string // of a CSV file, the field of each
	pattern Pattern
	sources map[string]int // the columns of the pattern

	fullNames bool // the column of last names has the first names, too
	locale    bool // a value that is no language of the library has been reported
}

// NewReader looks at the beginning of a file. An error is about the whole file.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	in, err := table.NewReader(r, o.Options, nouns, func([]string) func(string) bool {
		return func(heading string) bool {
			return FieldOf(heading) != "" || table.Find(o.Pattern.Columns(), heading) >= 0
		}
	})
	if err != nil {
		return nil, err
	}
	out := &Reader{Reader: in, pattern: o.Pattern, sources: map[string]int{}}
	if o.Format != table.CSV {
		return out, nil
	}
	if out.columns, err = assign(in.Header(), o.Columns, o.Pattern); err != nil {
		return nil, err
	}
	last := slices.Index(out.columns, fieldLastName)
	out.fullNames = last >= 0 && table.Plain(in.Header()[last]) == "name" && !slices.Contains(out.columns, fieldFirstName)
	for _, name := range o.Pattern.Columns() {
		if out.sources[name] = out.find(name); out.sources[name] < 0 {
			return nil, &table.NoColumnError{Wanted: name, Found: in.Header()}
		}
	}
	for i, field := range out.columns {
		if field == "" && !slices.Contains(slices.Collect(maps.Values(out.sources)), i) {
			out.Ignore(in.Header()[i])
		}
	}
	return out, nil
}

// find returns the index of the column with a heading, or else of the column for the field
// of that heading; -1 if there is none.
func (r *Reader) find(name string) int {
	if at := table.Find(r.Header(), name); at >= 0 {
		return at
	}
	field := FieldOf(name)
	return slices.IndexFunc(r.columns, func(f string) bool { return f == field && f != "" })
}

// HasAddresses reports whether the file can have addresses: in a column of their own, or
// by a pattern. It is true for JSON, because its members are unknown before it is read.
func (r *Reader) HasAddresses() bool {
	return r.columns == nil || len(r.sources) > 0 || slices.Contains(r.columns, fieldEmail)
}

// HasRoles reports whether a CSV file has a column for roles.
func (r *Reader) HasRoles() bool { return slices.Contains(r.columns, fieldRoles) }

// IsOneRoster reports whether the file is the users.csv of OneRoster. Such a file also has people who have left.
func (r *Reader) IsOneRoster() bool { return r.columns != nil && isOneRoster(r.Header()) }

// Read returns the next person, or io.EOF. With a [table.RowError] it returns the readable
// cells, and can be called again; any other error is the end.
func (r *Reader) Read() (Row, error) {
	record, err := r.Reader.Read()
	if err != nil {
		return Row{}, err
	}
	read := r.cells
	if r.columns == nil {
		read = r.object
	}
	user, bad := read(record)
	row := Row{record.Line, user}
	if bad.Is() {
		return row, bad.At(record.Line)
	}
	return row, nil
}

// cells makes a person of the cells of a record.
func (r *Reader) cells(record table.Record) (u User, bad reason) {
	cell := func(i int) string { return table.Unwrapped(strings.TrimSpace(record.Cells[i])) }
	for i, name := range r.columns {
		if wrong := fieldNamed(name).readCell(&u, cell(i)); !bad.Is() {
			bad = wrong
		}
		if name == fieldLocale && u.Locale == "" && cell(i) != "" {
			r.ignoreLocale(i, cell(i))
		}
	}
	if r.fullNames {
		u.FirstName, u.LastName = fullName(u.LastName)
	}
	if u.Email == "" {
		u.Email = r.pattern.Email(func(column string) string { return cell(r.sources[column]) })
	}
	return u, bad
}

// ignoreLocale adds the first value that is no language of the library to the ignored names.
func (r *Reader) ignoreLocale(column int, value string) {
	if !r.locale {
		r.locale = true
		r.Ignore(fmt.Sprintf("%s %q (only en and de)", r.Header()[column], value))
	}
}

// object makes a person of a JSON object.
func (r *Reader) object(record table.Record) (u User, bad reason) {
	members, wrong := table.Object(record.Object)
	if wrong != "" {
		return u, notAPerson(wrong)
	}
	for i := range fields {
		if value, is := members[fields[i].name]; is && !bad.Is() {
			bad = fields[i].readJSON(&u, value)
		}
	}
	if u.Email == "" {
		u.Email = r.pattern.Email(func(name string) string { return MemberText(members, name) })
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool {
		return fieldNamed(name) != nil || slices.Contains(r.pattern.Columns(), name)
	})
	r.Ignore(slices.Sorted(maps.Keys(members))...)
	return u, bad
}

// MemberText returns the text of a member of a JSON object, or its number; else "".
func MemberText(members map[string]json.RawMessage, name string) string {
	value := members[name]
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String()
	}
	return ""
}
