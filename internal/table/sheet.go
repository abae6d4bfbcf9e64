package table

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Sheet writes records of one struct type as CSV for spreadsheets (RFC 4180): with the mark by which they know UTF-8, a column
// for each member of the JSON, and an apostrophe before each cell that they would take for a formula.
//
// The columns are those of the type, whatever a record has: members of a nested struct with a dot, no column for a member
// with the tag csv:"-". What JSON leaves out is an empty cell. Instants are in members called dueAt, until and the like.
type Sheet struct {
	comma   byte
	zone    *time.Location // of the instants
	columns []column
}

type column struct {
	name      string
	path      []int
	omits     bool // JSON omits its zero value
	isInstant bool // or another text
}

var instants = regexp.MustCompile(`(?:At|Since|From|Until|since|until)$`)

// The forms of instants in JSON, and in a cell.
const (
	wireInstant = "2006-01-02T15:04:05Z"
	cellInstant = time.DateTime
)

// NewSheet returns a sheet of records of a struct type.
func NewSheet(records reflect.Type, comma byte, zone *time.Location) *Sheet {
	return &Sheet{comma: comma, zone: zone, columns: columnsOf(records, "", nil)}
}

func columnsOf(t reflect.Type, prefix string, path []int) (columns []column) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("csv") == "-" {
			continue
		}
		inner, at := f.Type, append(path[:len(path):len(path)], i)
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case inner.Kind() != reflect.Struct:
			columns = append(columns, column{prefix + name, at, strings.Contains(options, "omit"), instants.MatchString(name)})
		case f.Anonymous:
			columns = append(columns, columnsOf(inner, prefix, at)...)
		default:
			columns = append(columns, columnsOf(inner, prefix+name+".", at)...)
		}
	}
	return columns
}

// AppendHeader appends the mark and the line with the names of the columns.
func (s *Sheet) AppendHeader(line []byte) []byte {
	line = append(line, byteOrderMark...)
	return s.appendLine(line, func(c column) string { return c.name })
}

// Append appends the line of a record.
func (s *Sheet) Append(line []byte, record any) []byte {
	v := reflect.ValueOf(record)
	return s.appendLine(line, func(c column) string { return guarded(s.cell(v, c)) })
}

func (s *Sheet) appendLine(line []byte, cell func(column) string) []byte {
	for i, c := range s.columns {
		if i > 0 {
			line = append(line, s.comma)
		}
		if text := cell(c); strings.ContainsAny(text, "\"\r\n"+string(s.comma)) {
			line = append(append(append(line, '"'), strings.ReplaceAll(text, `"`, `""`)...), '"')
		} else {
			line = append(line, text...)
		}
	}
	return append(line, "\r\n"...)
}

// cell returns the text of a member, "" if it is absent.
func (s *Sheet) cell(record reflect.Value, c column) string {
	v, err := record.FieldByIndexErr(c.path)
	if err != nil || c.omits && v.IsZero() {
		return "" // of a struct that is absent, or absent itself
	}
	switch v = reflect.Indirect(v); v.Kind() {
	case reflect.String:
		if at, err := time.Parse(wireInstant, v.String()); c.isInstant && err == nil {
			return at.In(s.zone).Format(cellInstant)
		}
		return v.String()
	case reflect.Slice:
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = v.Index(i).String()
		}
		return strings.Join(texts, "; ")
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	panic(fmt.Sprintf("no cell for a %s in column %s", v.Type(), c.name))
}

// formulaSigns begin a cell that spreadsheets run as a formula, or whose beginning they drop.
const formulaSigns = "=+-@\t\r"

// guarded returns a cell that no spreadsheet runs.
func guarded(cell string) string {
	if cell != "" && strings.IndexByte(formulaSigns, cell[0]) >= 0 {
		return "'" + cell
	}
	return cell
}

// unguarded returns the cell of before guarded.
func unguarded(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.IndexByte(formulaSigns, cell[1]) >= 0 {
		return cell[1:]
	}
	return cell
}
