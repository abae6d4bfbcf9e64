package userfile

import (
	"errors"
	"strings"
)

// Pattern makes e-mail addresses out of other columns: {account}@school.example. The zero pattern makes none.
type Pattern struct {
	texts   []string // before, between and after the columns
	columns []string
}

// MaxPattern is the number of bytes the text of a pattern may have.
const MaxPattern = 500

var errPattern = errors.New("must be text with the name of a column in braces, such as {account}@school.example")

// ParsePattern reads a pattern. Its text must name a column and have an @.
func ParsePattern(text string) (p Pattern, err error) {
	if len(text) > MaxPattern || !strings.Contains(text, "@") {
		return Pattern{}, errPattern
	}
	for {
		before, rest, found := strings.Cut(text, "{")
		if strings.Contains(before, "}") {
			return Pattern{}, errPattern
		}
		p.texts = append(p.texts, before)
		if !found {
			break
		}
		column, after, closed := strings.Cut(rest, "}")
		if column = strings.TrimSpace(column); !closed || column == "" || strings.Contains(column, "{") {
			return Pattern{}, errPattern
		}
		p.columns, text = append(p.columns, column), after
	}
	if len(p.columns) == 0 {
		return Pattern{}, errPattern
	}
	return p, nil
}

// Columns returns the names in braces.
func (p Pattern) Columns() []string { return p.columns }

// Email returns the address of a person with these values in the columns, or "" if one of them is empty.
func (p Pattern) Email(value func(column string) string) string {
	if len(p.columns) == 0 {
		return ""
	}
	out := p.texts[0]
	for i, column := range p.columns {
		text := strings.TrimSpace(value(column))
		if text == "" {
			return ""
		}
		out += text + p.texts[i+1]
	}
	return out
}
