package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Plain returns the letters and digits of a heading in lower case: ISBN-13, isbn_13 and "Isbn 13" are the same.
func Plain(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// Find returns the index of a heading in a header, -1 if it is not there.
func Find(header []string, heading string) int {
	return slices.IndexFunc(header, func(h string) bool { return Plain(h) == Plain(heading) })
}

// NoColumnError says that a column wanted by the caller is missing.
type NoColumnError struct {
	Wanted string
	Found  []string
}

func (e *NoColumnError) Error() string {
	return fmt.Sprintf("no column is called %s; the columns are %s", Quoted([]string{e.Wanted}), Quoted(e.Found))
}

// LinesAbove is advice for a title above the headings. It ends a message about a missing column.
const LinesAbove = "if there are lines above the headings, delete them"

// OwnColumns returns the fields of the columns with headings named by the caller, by
// the column's index. It returns a [NoColumnError] if there is no such column.
func OwnColumns(header []string, own map[string][]string) (map[int]string, error) {
	fields := map[int]string{}
	for field, wanted := range own {
		for _, heading := range wanted {
			at := Find(header, heading)
			if at < 0 {
				return nil, &NoColumnError{heading, header}
			}
			fields[at] = field
		}
	}
	return fields, nil
}

func isOwn(heading string, own map[string][]string) bool {
	for _, wanted := range own {
		if Find(wanted, heading) >= 0 {
			return true
		}
	}
	return false
}

// Quoted lists untrusted headings for a message.
func Quoted(names []string) string {
	var out []string
	for _, name := range names[:min(len(names), maxIgnored)] {
		out = append(out, strconv.Quote(Shortened(name)))
	}
	text := strings.Join(out, ", ")
	if more := len(names) - maxIgnored; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxIgnored is the largest number of columns or members named to the caller.
const maxIgnored = 20

// Shortened keeps an untrusted text from filling a screen.
func Shortened(name string) string {
	if letters := []rune(name); len(letters) > 40 {
		return string(letters[:40]) + "…"
	}
	return name
}
