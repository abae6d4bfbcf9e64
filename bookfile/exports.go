package bookfile

import (
	"regexp"
	"slices"
	"strings"

	"example.org/library/internal/table"
)

// column is how the cells of a column are read.
type column struct {
	field   string                // "" if it is not read
	authors func(string) []string // takes the authors of a cell apart
	text    func(string) string   // takes what is meant out of a cell of another field; nil if all of it is
	spare   bool                  // only read if no other column has the field
	// onlyOurs is for a column called id: in other programs that is a number
	// which they give their books, and not read. A column that is called
	// identifier or uuid, or that is asked for, is taken at its word.
	onlyOurs bool
}

// export is a program whose files are known by one of their headings, and the
// columns in which it has habits of its own. Other columns are read as usual.
type export struct {
	name    string
	sign    string
	columns map[string]column // by heading, as plain makes them
}

var exports = []export{
	{"Goodreads", "authorlf", map[string]column{
		"author":            {field: fieldAuthors, authors: oneAuthor},
		"additionalauthors": {field: fieldAuthors, authors: commaAuthors},
		"authorlf":          {field: fieldAuthors, authors: turned(oneAuthor), spare: true},
	}},
	{"LibraryThing", "primaryauthor", map[string]column{
		"primaryauthor":    {field: fieldAuthors, authors: turned(oneAuthor)},
		"secondaryauthor":  {field: fieldAuthors, authors: turned(barAuthors)},
		"secondaryauthors": {field: fieldAuthors, authors: turned(barAuthors)},
		"summary":          {}, // title, author and year once more
	}},
	{"Calibre", "authorsort", calibre},
	{"Calibre", "titlesort", calibre},
	{"Calibre", "libraryname", calibre},
	{"Libib", "eanisbn13", libib},
	{"Libib", "upcisbn10", libib},
}

var calibre = map[string]column{
	"authors":     {field: fieldAuthors, authors: ampersandAuthors},
	"authorsort":  {field: fieldAuthors, authors: turned(ampersandAuthors), spare: true},
	"isbn":        {field: fieldISBN},
	"identifiers": {field: fieldISBN, text: calibreISBN},
	"id":          {}, // Calibre's own numbers
	"uuid":        {},
}

var libib = map[string]column{
	"creators":  {field: fieldAuthors, authors: commaAuthors},
	"eanisbn13": {field: fieldISBN},
	"upcisbn10": {field: fieldISBN},
}

// exportOf finds out which program has written a heading.
func exportOf(header []string) export {
	for _, e := range exports {
		if slices.ContainsFunc(header, func(h string) bool { return table.Plain(h) == e.sign }) {
			return e
		}
	}
	return export{}
}

// columnOf says how a column with the heading is read.
func (e export) columnOf(heading string) column {
	if special, is := e.columns[table.Plain(heading)]; is {
		return special
	}
	return usualColumn(FieldOf(heading))
}

func usualColumn(field string) column {
	c := column{field: field}
	if field == fieldAuthors {
		c.authors = splitAuthors
	}
	return c
}

func oneAuthor(cell string) []string { return authorsOf([]string{cell}) }

func barAuthors(cell string) []string { return authorsOf(strings.Split(cell, "|")) }

// ampersandAuthors takes apart at single ampersands; Calibre writes one that
// belongs to a name twice.
func ampersandAuthors(cell string) []string {
	const doubled = "\x00"
	names := strings.Split(strings.ReplaceAll(cell, "&&", doubled), "&")
	for i := range names {
		names[i] = strings.ReplaceAll(names[i], doubled, "&")
	}
	return authorsOf(names)
}

// suffix is what follows a comma and is no name of its own.
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

// authorsOf drops names that are empty and spaces that are too many.
func authorsOf(names []string) (authors []string) {
	for _, name := range names {
		if name = strings.Join(strings.Fields(name), " "); name != "" {
			authors = append(authors, name)
		}
	}
	return authors
}

// turned makes "Jane Austen" of "Austen, Jane".
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

var isbnIdentifier = regexp.MustCompile(`(?i)(?:^|,)\s*isbn:([^,]*)`)

// calibreISBN finds the ISBN in "amazon:B000,isbn:9780141439587".
func calibreISBN(cell string) string {
	if found := isbnIdentifier.FindStringSubmatch(cell); found != nil {
		return strings.TrimSpace(found[1])
	}
	return ""
}
