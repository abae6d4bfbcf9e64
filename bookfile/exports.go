package bookfile

import (
	"regexp"
	"slices"
	"strings"

	"example.org/library/internal/table"
)

// column describes how to read the cells of a column.
type column struct {
	field string                // "" if it is not read
	split func(string) []string // takes the authors or subjects of a cell apart
	text  func(string) string   // takes the value out of a cell with more in it; nil for the whole cell
	spare bool                  // only read if no other column has the field
	// onlyOurs is set for a column called id or Kennung: other programs number their books there, and such numbers are
	// not read. A column called identifier or uuid, or named by the caller, is taken at its word.
	onlyOurs bool
}

// export describes the files of a program: the heading to know them by, and the
// columns to read in a way of their own. Other columns are read as usual.
type export struct {
	name    string
	sign    string
	columns map[string]column // by heading, as table.Plain makes them
}

var exports = []export{
	{"Goodreads", "authorlf", map[string]column{
		"author":            {field: fieldAuthors, split: oneAuthor},
		"additionalauthors": {field: fieldAuthors, split: commaAuthors},
		"authorlf":          {field: fieldAuthors, split: turned(oneAuthor), spare: true},
	}},
	{"LibraryThing", "primaryauthor", map[string]column{
		"primaryauthor":    {field: fieldAuthors, split: turned(oneAuthor)},
		"secondaryauthor":  {field: fieldAuthors, split: turned(atBars)},
		"secondaryauthors": {field: fieldAuthors, split: turned(atBars)},
		"summary":          {}, // title, author and year once more
		"subjects":         {field: fieldSubjects, split: atBars},
		"publication":      {field: fieldPublisher, text: publisherOf, spare: true},
		"date":             {field: fieldPublished, text: dateOf, spare: true},
	}},
	{"Calibre", "authorsort", calibre},
	{"Calibre", "titlesort", calibre},
	{"Calibre", "libraryname", calibre},
	{"Libib", "eanisbn13", libib},
	{"Libib", "upcisbn10", libib},
}

var calibre = map[string]column{
	"authors":     {field: fieldAuthors, split: ampersandAuthors},
	"authorsort":  {field: fieldAuthors, split: turned(ampersandAuthors), spare: true},
	"isbn":        {field: fieldISBN},
	"identifiers": {field: fieldISBN, text: calibreISBN},
	"id":          {}, // Calibre's own numbers
	"uuid":        {},
}

var libib = map[string]column{
	"creators":  {field: fieldAuthors, split: commaAuthors},
	"eanisbn13": {field: fieldISBN},
	"upcisbn10": {field: fieldISBN},
}

// exportOf returns the program that wrote a header, or a zero export.
func exportOf(header []string) export {
	for _, e := range exports {
		if slices.ContainsFunc(header, func(h string) bool { return table.Plain(h) == e.sign }) {
			return e
		}
	}
	return export{}
}

// columnOf returns how to read a column with the heading.
func (e export) columnOf(heading string) column {
	if special, is := e.columns[table.Plain(heading)]; is {
		return special
	}
	return usualColumn(FieldOf(heading))
}

func usualColumn(field string) column {
	c := column{field: field}
	if field == fieldAuthors {
		c.split = splitAuthors
	}
	return c
}

func oneAuthor(cell string) []string { return authorsOf([]string{cell}) }

func atBars(cell string) []string { return authorsOf(strings.Split(cell, "|")) }

// ampersandAuthors splits a cell at single ampersands. Calibre doubles an ampersand within a name.
func ampersandAuthors(cell string) []string {
	const doubled = "\x00"
	names := strings.Split(strings.ReplaceAll(cell, "&&", doubled), "&")
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], doubled, "&")
	}
	return authorsOf(names)
}

// suffix matches the part of a name after a comma, such as Jr, that is no name of its own.
var suffix = regexp.MustCompile(`(?i)^(jr|sr|ii|iii|iv|ph\.?d|m\.?d|esq)\.?$`)

func commaAuthors(cell string) (authors []string) {
	for _, name := range authorsOf(strings.Split(cell, ",")) {
		if last := len(authors) - 1; last >= 0 && suffix.MatchString(name) {
			authors[last] += ", " + name
			continue
		}
		authors = append(authors, name)
	}
	return authors
}

// authorsOf drops empty names and superfluous spaces.
func authorsOf(names []string) (authors []string) {
	for _, name := range names {
		if name = strings.Join(strings.Fields(name), " "); name != "" {
			authors = append(authors, name)
		}
	}
	return authors
}

// turned returns a split with the names turned: "Austen, Jane" becomes "Jane Austen".
func turned(split func(string) []string) func(string) []string {
	return func(cell string) []string {
		authors := split(cell)
		for i, name := range authors {
			parts := strings.SplitN(name, ",", 3)
			if len(parts) == 1 {
				continue
			}
			parts[0], parts[1] = parts[1], parts[0]
			authors[i] = strings.Join(authorsOf(parts), " ")
		}
		return authors
	}
}

// publication matches a publication as LibraryThing writes it: Penguin Classics (2003), Paperback, 512 pages.
var publication = regexp.MustCompile(`^(.*?)\s*\([^()]*[0-9]{4}[^()]*\)`)

func publisherOf(cell string) string {
	if found := publication.FindStringSubmatch(cell); found != nil {
		return found[1]
	}
	return cell
}

// dateOf returns the cell, or "" if it has no year, only words for an unknown date.
func dateOf(cell string) string {
	if YearIn(cell) == 0 {
		return ""
	}
	return cell
}

var isbnIdentifier = regexp.MustCompile(`(?i)(?:^|,)\s*isbn:([^,]*)`)

// calibreISBN finds the ISBN in "amazon:B000,isbn:9780141439587".
func calibreISBN(cell string) string {
	if found := isbnIdentifier.FindStringSubmatch(cell); found != nil {
		return strings.TrimSpace(found[1])
	}
	return ""
}
