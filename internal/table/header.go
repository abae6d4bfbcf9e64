package table

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Plain is a heading without case and whatever is neither letter nor digit:
// ISBN-13, isbn_13 and "Isbn 13" are the same.
func Plain(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// Find is where a heading is in a header, -1 if it is not there.
func Find(header []string, heading string) int {
	return slices.IndexFunc(header, func(h string) bool { return Plain(h) == Plain(heading) })
}

// NoColumnError says that a column that was asked for is not there.
type NoColumnError struct {
	Wanted string
	Found  []string
}

func (e *NoColumnError) Error() string {
	return fmt.Sprintf("no column is called %s; the columns are %s", Quoted([]string{e.Wanted}), Quoted(e.Found))
}

// OwnColumns is the field of each column for which the caller has named the heading,
// by the column's place.
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

// Quoted names untrusted headings in a message.
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

// maxIgnored is how many names of columns or members are told.
const maxIgnored = 20

// Shortened keeps an untrusted text from filling a screen.
func Shortened(name string) string {
	if letters := []rune(name); len(letters) > 40 {
		return string(letters[:40]) + "…"
	}
	return name
}
