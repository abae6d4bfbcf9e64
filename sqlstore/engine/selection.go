package engine

import "strings"

// Selection is the middle of a SELECT: which records, found how. The first
// table in From is the one that both databases begin with; CROSS JOIN makes
// SQLite keep to that.
type Selection struct {
	With  string
	From  string
	Where []string
}

// Text is the whole statement.
func (s Selection) Text(columns, tail string) string {
	text := s.With + `SELECT ` + columns + ` FROM ` + s.From
	if len(s.Where) > 0 {
		text += ` WHERE ` + strings.Join(s.Where, ` AND `)
	}
	return text + tail
}

// Ordering is an order of records, by columns that end in the identifier, so
// that no two records have the same place. An index leads through it.
type Ordering struct {
	Columns    []string
	Descending bool
}

// Page limits a selection to the records after a place and returns the rest of
// the statement.
func (o Ordering) Page(a *Arguments, sel *Selection, after []any, limit int) string {
	if after != nil {
		sel.Where = append(sel.Where, o.row()+o.pick(` > `, ` < `)+places(a, after))
	}
	direction := o.pick(``, ` DESC`)
	tail := ` ORDER BY ` + strings.Join(o.Columns, direction+`, `) + direction
	if limit > 0 {
		tail += ` LIMIT ` + a.Add(limit)
	}
	return tail
}

// UpTo is the condition that a record is not after a place.
func (o Ordering) UpTo(a *Arguments, end []any) string {
	return o.row() + o.pick(` <= `, ` >= `) + places(a, end)
}

func (o Ordering) row() string { return `(` + strings.Join(o.Columns, `, `) + `)` }

func (o Ordering) pick(ascending, descending string) string {
	if o.Descending {
		return descending
	}
	return ascending
}

func places(a *Arguments, values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = a.Add(v)
	}
	return `(` + strings.Join(names, `, `) + `)`
}
