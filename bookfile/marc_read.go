package bookfile

import (
	"regexp"
	"strings"

	"example.org/library/internal/isbn"
	"example.org/library/internal/marc"
)

// OfMARC is the book that a record describes. Which field is what: docs/formats.md. Values
// may be too long for a book, or more than it can have.
func OfMARC(r marc.Record) Book {
	m := marcReader{r}
	var b Book
	if id := strings.TrimSpace(r.Control("001")); identifier.MatchString(id) { // as we write it
		b.Identifier = id
	}
	b.ISBN, b.Authors, b.Description = m.isbn(), m.authors(), m.description()
	if titles := r.All("245"); len(titles) > 0 {
		b.Title = m.joined(titles[0], "anp")
	}
	b.Items = m.copies()
	return b
}

type marcReader struct{ marc.Record }

// isPunctuated reports whether values end with the punctuation of ISBD.
func (m marcReader) isPunctuated() bool { return m.LeaderAt(18) == 'a' || m.LeaderAt(18) == 'i' }

// value is the first value of a subfield that has one, without punctuation at its end.
func (m marcReader) value(f marc.Field, code byte) string {
	for _, s := range f.Subfields {
		if text := m.cut(s.Value); s.Code == code && text != "" {
			return text
		}
	}
	return ""
}

// joined are the values of some subfields in their order, with spaces between.
func (m marcReader) joined(f marc.Field, codes string) string {
	var parts []string
	for _, s := range f.Subfields {
		if text := m.cut(s.Value); strings.IndexByte(codes, s.Code) >= 0 && text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

func (m marcReader) cut(text string) string {
	if text = oneLine(text); m.isPunctuated() {
		return withoutPunctuation(text)
	}
	return text
}

// heading is a name or a subject. Before dates and the like it ends with a comma, in
// records without the punctuation of ISBD as well, unless these say that all is left out.
func (m marcReader) heading(f marc.Field) string {
	text := m.value(f, 'a')
	if last := f.Subfields[len(f.Subfields)-1]; last.Code != 'a' && f.Ind1 != '0' && m.LeaderAt(18) != 'c' && m.LeaderAt(18) != 'n' {
		text = strings.TrimSpace(strings.TrimSuffix(text, ","))
	}
	return text
}

// isbnInText finds what may be an ISBN: digits with hyphens or spaces between.
var isbnInText = regexp.MustCompile(`[0-9](?:[-‐‑–— ]?[0-9]){8,11}[-‐‑–— ]?[0-9Xx]`)

// isbn is the first number that is one.
func (m marcReader) isbn() string {
	for _, f := range m.All("020") {
		for _, s := range f.Subfields {
			if s.Code != 'a' {
				continue
			}
			for _, found := range isbnInText.FindAllString(s.Value, -1) {
				if number := provenPart(found); number != "" {
					return number
				}
			}
		}
	}
	return ""
}

// provenPart is the ISBN with which a text begins, "" if none does.
func provenPart(text string) string {
	if isbn.Proven(text) != "" {
		return text
	}
	for end := len(text) - 1; end >= 10; end-- { // a number and the beginning of another
		if part := text[:end]; isbn.Proven(part) != "" {
			return strings.TrimSpace(part)
		}
	}
	return ""
}

// description is every summary, as it is written.
func (m marcReader) description() string {
	var parts []string
	for _, f := range m.All("520") {
		if text := strings.TrimSpace(f.First('a')); text != "" {
			parts = append(parts, strings.Map(withoutControls, text))
		}
	}
	return strings.Join(parts, "\n")
}

// copies are what a record says of copies, in the field of the standard and in that of
// Koha. A barcode that is in both is one copy.
func (m marcReader) copies() (items []Item) {
	seen := map[string]bool{}
	for _, f := range m.All("852", "952") {
		item := Item{Barcode: oneLine(f.First('p'))}
		if f.Tag == "852" {
			item.Shelf = strings.TrimSpace(oneLine(f.First('h')) + " " + oneLine(f.First('i')))
			item.Reference = strings.EqualFold(oneLine(f.First('z')), referenceNote)
		} else {
			item.Shelf = oneLine(f.First('o'))
			notForLoan := oneLine(f.First('7'))
			item.Reference = notForLoan != "" && notForLoan != "0"
		}
		if item.Barcode == "" || !seen[item.Barcode] {
			items = append(items, item)
		}
		seen[item.Barcode] = true
	}
	return items
}
