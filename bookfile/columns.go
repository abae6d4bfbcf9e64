package bookfile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/library/internal/table"
)

// FieldOf tells the field that a heading is for, "" if none. Authors may have
// numbers: author1, author2.
func FieldOf(heading string) string {
	name := table.Plain(heading)
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
		table.Quoted(e.Found), strings.Join(Fields, ", "))
}

// assign says for each column how it is read. The caller's own headings of a
// field replace the usual ones.
func assign(header []string, own map[string][]string) ([]column, error) {
	columns := make([]column, len(header))
	named, err := table.OwnColumns(header, own)
	if err != nil {
		return nil, err
	}
	for i, field := range named {
		columns[i] = usualColumn(field)
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
			if table.Plain(heading) != field || table.Plain(header[before]) == field {
				continue
			}
			columns[before] = column{}
		}
		if field == fieldIdentifier && table.Plain(heading) == "id" {
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
		return nil, reason{Code: "copies_number", Text: fmt.Sprintf("has %q for a number of copies", table.Shortened(cell))}
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
