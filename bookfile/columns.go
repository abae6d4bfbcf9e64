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

// FieldOf returns the field for a heading, or "". Headings of authors may have numbers: author1, author2.
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

// NoTitleError reports a file without a column for the title.
type NoTitleError struct {
	Found []string // the headings of the file
}

func (e *NoTitleError) Error() string {
	return fmt.Sprintf("no column has the title; the columns are %s, and the usual headings are %s; %s",
		table.Quoted(e.Found), strings.Join(Fields, ", "), table.LinesAbove)
}

// assign returns how to read each column. The caller's own headings of a field replace the usual ones.
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
		// A book has several authors, and ISBNs of different length are the same. For other fields the first column
		// counts, or the column with the field's own name.
		if before, is := taken[field]; is && field != fieldAuthors && field != fieldISBN {
			if table.Plain(heading) != field || table.Plain(header[before]) == field {
				continue
			}
			columns[before] = column{}
		}
		if plain := table.Plain(heading); field == fieldIdentifier && (plain == "id" || plain == "kennung") {
			found.onlyOurs = true
		}
		columns[i], taken[field] = found, i
	}
}

// dropSpares drops each spare column if another column has the same field in its usual form.
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

// bookOf makes a book of the cells of a record, or returns why it cannot. Of several ISBNs the first usable one counts.
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
		case fieldCopies:
			b.Copies, noNumber = numberOf(cell)
		default:
			fieldNamed(name).readCell(&b, cell, columns[i].split)
		}
	}
	if b.ISBN != "" {
		bad = reason{}
	}
	return b, cmp.Or(bad, noNumber)
}

// numberOf returns the number of copies in a cell, nil if the cell is empty.
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
