package bookfile

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.org/library"
	"example.org/library/internal/isbn"
	"example.org/library/internal/language"
	"example.org/library/internal/marc"
)

// OfMARC returns the book described by a record. For the fields see docs/formats.md. Values
// may be too long for a book, or more than it can have.
func OfMARC(r marc.Record) Book {
	m := marcReader{r}
	var b Book
	if id := strings.TrimSpace(r.Control("001")); identifier.MatchString(id) { // as we write it
		b.Identifier = id
	}
	b.ISBN, b.Authors, b.Subjects = m.isbn(), m.authors(), m.subjects()
	b.Language, b.Description, b.Kind = m.language(), m.description(), m.kind()
	if titles := r.All("245"); len(titles) > 0 {
		b.Title, b.Subtitle = m.joined(titles[0], "anp"), m.value(titles[0], 'b')
	}
	b.Publisher, b.Published = m.imprint()
	b.Series, b.Volume = m.series()
	if b.Items = m.copies(); len(b.Items) == 0 && m.saysNoCopies() {
		b.Copies = new(int)
	}
	return b
}

type marcReader struct{ marc.Record }

// isPunctuated reports whether values end with the punctuation of ISBD.
func (m marcReader) isPunctuated() bool { return m.LeaderAt(18) == 'a' || m.LeaderAt(18) == 'i' }

// value returns the first nonempty value of a subfield, without punctuation at its end.
func (m marcReader) value(f marc.Field, code byte) string {
	for _, s := range f.Subfields {
		if text := m.cut(s.Value); s.Code == code && text != "" {
			return text
		}
	}
	return ""
}

// joined returns the values of some subfields in their order, with spaces between.
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

// isbnInText matches a possible ISBN, and a number before or behind it: digits with single hyphens or spaces between.
var isbnInText = regexp.MustCompile(`[0-9]+(?:[-‐‑–— ][0-9]+)*(?:[-‐‑–— ]?[Xx])?`)

// isbn returns the first ISBN of the record, or "".
func (m marcReader) isbn() string {
	for number := range ISBNsOfMARC(m.Record) {
		return number
	}
	return ""
}

// ISBNsOfMARC yields the ISBNs of a record, as written there.
func ISBNsOfMARC(r marc.Record) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range r.All("020") {
			for _, s := range f.Subfields {
				if s.Code != 'a' {
					continue
				}
				for _, found := range isbnInText.FindAllString(s.Value, -1) {
					if number := provenPart(found); number != "" && !yield(number) {
						return
					}
				}
			}
		}
	}
}

// runOfDigits matches digits without anything between.
var runOfDigits = regexp.MustCompile(`[0-9]+[Xx]?|[Xx]`)

// maxRuns bounds the runs of a text to try with each other.
const maxRuns = 40

// provenPart returns the first ISBN in a text of digits and separators, or "". A run of digits is never cut: a part of
// a long number may look like an ISBN. An ISBN of one run comes before an ISBN of several.
func provenPart(text string) string {
	runs := runOfDigits.FindAllStringIndex(text, maxRuns)
	for _, run := range runs {
		if part := text[run[0]:run[1]]; isbn.Proven(part) != "" {
			return part
		}
	}
	for i := range runs {
		for last := min(len(runs), i+13) - 1; last > i; last-- {
			if part := text[runs[i][0]:runs[last][1]]; isbn.Proven(part) != "" {
				return part
			}
		}
	}
	return ""
}

// imprint returns the publisher and the year of publication.
func (m marcReader) imprint() (publisher string, year int) {
	var from marc.Field
	for _, f := range append(m.All("264"), m.All("260")...) {
		if f.Tag == "260" || f.Ind2 == '1' {
			from = f
			break
		}
	}
	if fixed := m.Control("008"); len(fixed) >= 11 {
		year = pastYear(fixed[7:11])
	}
	for _, s := range from.Subfields {
		if s.Code == 'c' && year == 0 {
			year = pastYear(s.Value)
		}
	}
	return m.value(from, 'b'), year
}

// pastYear returns the year in a text, or 0 if it is more than two years ahead: a book may
// be announced, but 9999 stands for an unknown year.
func pastYear(text string) int {
	year := YearIn(text)
	if year > time.Now().Year()+2 {
		return 0
	}
	return year
}

// noLanguage holds the codes for no language: undetermined, several, none.
var noLanguage = map[string]bool{"und": true, "mul": true, "zxx": true}

func (m marcReader) language() string {
	var codes []string
	if fixed := m.Control("008"); len(fixed) >= 38 {
		codes = append(codes, fixed[35:38])
	}
	for _, f := range m.All("041") {
		if text := f.First('a'); len(text) >= 3 {
			codes = append(codes, text[:3])
			break
		}
	}
	for _, code := range codes {
		if code = strings.ToLower(code); !noLanguage[code] && language.Code(code) != "" {
			return language.Code(code)
		}
	}
	return ""
}

// kind returns the kind of the material, or "" for a book: the record of a film may call it one.
func (m marcReader) kind() string {
	switch m.LeaderAt(6) {
	case 'a', 't':
		if strings.IndexByte("bis", m.LeaderAt(7)) >= 0 {
			return library.KindMagazine
		}
		return ""
	case 'c', 'd', 'j':
		return library.KindMusic
	case 'i':
		return library.KindAudio
	case 'e', 'f':
		return library.KindMap
	case 'g':
		return library.KindFilm
	case 'r':
		if fixed := m.Control("008"); len(fixed) > objectType && fixed[objectType] == 'g' {
			return library.KindGame
		} else if len(fixed) > objectType && fixed[objectType] == 'r' {
			return library.KindDevice
		}
	}
	return library.KindOther
}

func (m marcReader) subjects() (subjects []string) {
	for _, f := range m.All("600", "650", "651", "653", "655") {
		for _, s := range f.Subfields {
			if subject := m.cut(s.Value); s.Code == 'a' && subject != "" {
				subjects = append(subjects, subject)
			}
		}
	}
	return subjects
}

func (m marcReader) series() (name, volume string) {
	for _, f := range append(m.All("490"), m.All("830")...) {
		if name := m.value(f, 'a'); name != "" {
			return name, m.value(f, 'v')
		}
	}
	return "", ""
}

// description returns all summaries, as they are written, a line each.
func (m marcReader) description() string {
	var parts []string
	for _, f := range m.All("520") {
		if text := strings.TrimSpace(f.First('a')); text != "" {
			parts = append(parts, strings.Map(withoutControls, text))
		}
	}
	return strings.Join(parts, "\n")
}

// copies returns the copies of a record, from the field of the standard and the field of
// Koha. A barcode in both is one copy.
func (m marcReader) copies() (items []Item) {
	seen := map[string]bool{}
	for _, f := range m.All("852", "952") {
		if isNoCopies(f) {
			continue
		}
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

// isNoCopies reports whether a field has the note of a book without copies, as we write it.
func isNoCopies(f marc.Field) bool {
	return f.Tag == "852" && len(f.Subfields) == 1 && strings.EqualFold(oneLine(f.First('z')), noCopiesNote)
}

func (m marcReader) saysNoCopies() bool { return slices.ContainsFunc(m.All("852"), isNoCopies) }
