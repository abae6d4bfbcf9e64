package bookfile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// plain is a heading without case and whatever is neither letter nor digit:
// ISBN-13, isbn_13 and "Isbn 13" are the same.
func plain(heading string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// FieldOf tells the field that a heading is for, "" if none. Authors may have
// numbers: author1, author2.
func FieldOf(heading string) string {
	name := plain(heading)
	if field := headings[name]; field != "" {
		return field
	}
	if field := headings[strings.TrimRight(name, "0123456789")]; field == fieldAuthors {
		return field
	}
	return ""
}

// NoTitleError says that a file has no column for the title.
type NoTitleError struct {
	Found []string // the headings that it has
}

func (e *NoTitleError) Error() string {
	return fmt.Sprintf("no column has the title; the columns are %s, and the usual headings are %s",
		quoted(e.Found), strings.Join(Fields, ", "))
}

// NoColumnError says that a column that was asked for is not there.
type NoColumnError struct {
	Wanted string
	Found  []string
}

func (e *NoColumnError) Error() string {
	return fmt.Sprintf("no column is called %s; the columns are %s", quoted([]string{e.Wanted}), quoted(e.Found))
}

func quoted(names []string) string {
	var out []string
	for _, name := range names[:min(len(names), maxIgnored)] {
		out = append(out, strconv.Quote(shortened(name)))
	}
	text := strings.Join(out, ", ")
	if more := len(names) - maxIgnored; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxIgnored is how many names of columns or members are told.
const maxIgnored = 20

// shortened keeps an untrusted heading from filling a screen.
func shortened(name string) string {
	if letters := []rune(name); len(letters) > 40 {
		return string(letters[:40]) + "…"
	}
	return name
}

// assign says for each column how it is read. The caller's own headings of a
// field replace the usual ones.
func assign(header []string, own map[string][]string) ([]column, error) {
	columns := make([]column, len(header))
	for field, wanted := range own {
		for _, heading := range wanted {
			at := slices.IndexFunc(header, func(h string) bool { return plain(h) == plain(heading) })
			if at < 0 {
				return nil, &NoColumnError{heading, header}
			}
			columns[at] = usualColumn(field)
		}
	}
	assignUsual(columns, header, own)
	dropSpares(columns)
	if !slices.ContainsFunc(columns, func(c column) bool { return c.field == fieldTitle }) {
		return nil, &NoTitleError{header}
	}
	return columns, nil
}

func assignUsual(columns []column, header []string, own map[string][]string) {
	export := exportOf(header)
	taken := map[string]int{}
	for i, heading := range header {
		found := export.columnOf(heading)
		field := found.field
		if _, replaced := own[field]; field == "" || replaced || columns[i].field != "" {
			continue
		}
		// A book has several authors, and ISBNs of different length are the
		// same. Of other fields the first column counts, or the one that has
		// the field's own name.
		if before, is := taken[field]; is && field != fieldAuthors && field != fieldISBN {
			if plain(heading) != field || plain(header[before]) == field {
				continue
			}
			columns[before] = column{}
		}
		if field == fieldIdentifier && plain(heading) == "id" {
			found.onlyOurs = true
		}
		columns[i], taken[field] = found, i
	}
}

// dropSpares leaves out the columns that say in another way what a column
// beside them says.
func dropSpares(columns []column) {
	there := map[string]bool{}
	for _, c := range columns {
		there[c.field] = there[c.field] || !c.spare
	}
	for i, c := range columns {
		if c.spare && there[c.field] {
			columns[i] = column{}
		}
	}
}

var identifier = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// bookOf makes a book of the cells of a record, or says why it cannot. Of
// several ISBNs the first that is one counts.
func bookOf(cells []string, columns []column) (b Book, bad reason) {
	var noNumber reason
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		if read := columns[i].text; read != nil {
			cell = read(cell)
		}
		switch name := columns[i].field; name {
		case fieldIdentifier:
			if !columns[i].onlyOurs || identifier.MatchString(cell) {
				b.Identifier = cell
			}
		case fieldISBN:
			if b.ISBN == "" {
				var cut reason
				b.ISBN, cut = isbnOf(cell)
				bad = cmp.Or(bad, cut)
			}
		case fieldAuthors:
			b.Authors = append(b.Authors, columns[i].authors(cell)...)
		case fieldCopies:
			b.Copies, noNumber = numberOf(cell)
		default:
			fieldNamed(name).readCell(&b, cell)
		}
	}
	if b.ISBN != "" {
		bad = reason{}
	}
	return b, cmp.Or(bad, noNumber)
}

// numberOf is a number of copies, nil if there is none.
func numberOf(cell string) (*int, reason) {
	if cell == "" {
		return nil, reason{}
	}
	n, err := strconv.Atoi(cell)
	if err != nil {
		return nil, reason{"copies_number", fmt.Sprintf("has %q for a number of copies", shortened(cell))}
	}
	return &n, reason{}
}

// splitAuthors takes the authors of a cell apart at semicolons. A backslash
// before a semicolon or another backslash takes away its meaning.
func splitAuthors(cell string) (authors []string) {
	var author strings.Builder
	end := func() {
		if name := strings.TrimSpace(author.String()); name != "" {
			authors = append(authors, name)
		}
		author.Reset()
	}
	for i := 0; i < len(cell); i++ {
		switch c := cell[i]; {
		case c == '\\' && i+1 < len(cell) && (cell[i+1] == ';' || cell[i+1] == '\\'):
			i++
			author.WriteByte(cell[i])
		case c == ';':
			end()
		default:
			author.WriteByte(c)
		}
	}
	end()
	return authors
}

var authorEscapes = strings.NewReplacer(`\`, `\\`, `;`, `\;`)

// joinAuthors is the opposite of splitAuthors.
func joinAuthors(authors []string) string {
	out := slices.Clone(authors)
	for i := range out {
		out[i] = authorEscapes.Replace(out[i])
	}
	return strings.Join(out, "; ")
}
