package main

import (
	"fmt"
	"regexp"
	"strings"
)

// drill asks how many files a new thing of some kind would touch. The answer is taken
// from a thing of that kind that is there already: the files that name it. Tests,
// documents, samples and what programs write (schema.d.ts, schema.sql) do not count.
type drill struct {
	name    string
	pattern *regexp.Regexp
	within  *regexp.Regexp // a file counts only if it has this, too; nil for every file
}

var drills = []drill{
	// The description of a book where code names it, in files that know another field
	// of a book: the word alone is also in help texts and comments, and what OpenAPI and
	// OAuth call their explanations. It has a place of its own on the page and on the
	// sheet of the terminal, which a field among the facts has not.
	{
		"a field of a book (description)",
		regexp.MustCompile(`["'.]description\b|\.Description\b|\bfieldDescription\b|\bdescription: ['{0-9]|\bdescription +(?i:text)\b`),
		regexp.MustCompile(`(?i)\b(isbn|authors)\b`),
	},
	{"a refusal code (renewal_limit)", regexp.MustCompile(`renewal_limit|ErrRenewalLimit`), nil},
	{"a claim for roles (groups)", regexp.MustCompile(`ModeGroups|"groups"|\bgroups, local\b|\bgroups\|local\b`), nil},
	{"a notice (hold_expired)", regexp.MustCompile(`NoticeHoldExpired|\bhold_expired\b`), nil},
}

// files is what the drill touches, by language.
func (d drill) files(t tree) (golang, browser, data []string) {
	for _, f := range t.files {
		if f.kind == test || f.kind == tool || strings.HasPrefix(f.path, "e2e/") || strings.HasPrefix(f.path, "bench/") || strings.Contains(f.path, "sample") {
			continue
		}
		text := strings.Join(f.lines, "\n")
		if !d.pattern.MatchString(text) || d.within != nil && !d.within.MatchString(text) {
			continue
		}
		switch {
		case f.browser:
			browser = append(browser, f.path)
		case f.syntax != nil:
			golang = append(golang, f.path)
		default:
			data = append(data, f.path)
		}
	}
	return golang, browser, data
}

func (d drill) count(t tree) string {
	golang, browser, data := d.files(t)
	return fmt.Sprintf("%d (Go %d, browser %d, SQL and YAML %d)", len(golang)+len(browser)+len(data), len(golang), len(browser), len(data))
}

func printDrills(t tree) {
	for _, d := range drills {
		golang, browser, data := d.files(t)
		fmt.Printf("%s\n  Go: %s\n  browser: %s\n  SQL and YAML: %s\n", d.name,
			strings.Join(golang, " "), strings.Join(browser, " "), strings.Join(data, " "))
	}
}
