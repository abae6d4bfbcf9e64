package bookfile

import (
	"cmp"
	"fmt"
	"strings"

	"example.org/library"
	"example.org/library/internal/language"
	"example.org/library/internal/marc"
)

// leader marks a record in UTF-8, without punctuation at the end of values. It has a place for the
// material.
const leader = "00000n%s a2200000 c 4500"

// materials are positions 06 and 07 of the leader by the kind of a book.
var materials = map[string]string{
	library.KindMagazine: "as", library.KindMusic: "jm", library.KindAudio: "im", library.KindMap: "em", library.KindFilm: "gm",
	library.KindGame: "rm", library.KindDevice: "rm", library.KindOther: "om",
}

// objectType is the position of field 008 that tells what an object is.
const objectType = 33

// referenceNote is the note of a copy for use in the library only.
const referenceNote = "reference"

// noCopiesNote is the note of a book without copies. A record with neither copies nor this note means one copy.
const noCopiesNote = "no copies"

// ToMARC returns a book as a record. OfMARC makes the same book of it.
func ToMARC(b Book) marc.Record {
	w := marcWriter{marc.Record{Leader: fmt.Sprintf(leader, cmp.Or(materials[b.Kind], "am"))}}
	w.control("001", b.Identifier)
	w.control("008", fixedData(b))
	w.data("020", "  ", 'a', b.ISBN)
	for _, author := range b.Authors[:min(len(b.Authors), 1)] {
		w.data("100", "0 ", 'a', author)
	}
	w.data("245", titleIndicators(b), 'a', b.Title, 'b', b.Subtitle)
	year := ""
	if b.Published > 0 {
		year = fmt.Sprintf("%04d", b.Published)
	}
	w.data("264", " 1", 'b', b.Publisher, 'c', year)
	w.data("490", "0 ", 'a', b.Series, 'v', b.Volume)
	w.data("520", "  ", 'a', b.Description)
	for _, subject := range b.Subjects {
		w.data("653", "  ", 'a', subject)
	}
	for _, author := range b.Authors[min(len(b.Authors), 1):] {
		w.data("700", "0 ", 'a', author)
	}
	for i, item := range b.Items {
		w.copy(i, item)
	}
	if len(b.Items) == 0 && b.Copies != nil && *b.Copies == 0 {
		w.data("852", "  ", 'z', noCopiesNote)
	}
	return w.Record
}

type marcWriter struct{ marc.Record }

func (w *marcWriter) control(tag, value string) {
	if value != "" {
		w.Fields = append(w.Fields, marc.Field{Tag: tag, Value: value})
	}
}

// data adds a field with its nonempty subfields, or none if all are empty.
func (w *marcWriter) data(tag, indicators string, codesAndValues ...any) {
	f := marc.Field{Tag: tag, Ind1: indicators[0], Ind2: indicators[1]}
	for i := 0; i < len(codesAndValues); i += 2 {
		if value := codesAndValues[i+1].(string); value != "" {
			f.Subfields = append(f.Subfields, marc.Subfield{Code: byte(codesAndValues[i].(rune)), Value: value})
		}
	}
	if len(f.Subfields) > 0 {
		w.Fields = append(w.Fields, f)
	}
}

func (w *marcWriter) copy(i int, item Item) {
	note, number := "", ""
	if item.Reference {
		note = referenceNote
	}
	if item.Shelf == "" && item.Barcode == "" && note == "" {
		number = fmt.Sprint(i + 1) // a field has to have something in it
	}
	w.data("852", "  ", 'h', item.Shelf, 'p', item.Barcode, 't', number, 'z', note)
}

// fixedData returns field 008: year and language, and marks for unknown values.
func fixedData(b Book) string {
	kind, year := "n", "uuuu"
	if b.Published > 0 {
		kind, year = "s", fmt.Sprintf("%04d", b.Published)
	}
	code := language.Bibliographic(b.Language)
	if len(code) != 3 {
		code = "und"
	}
	object := map[string]string{library.KindGame: "g", library.KindDevice: "r"}[b.Kind]
	return "||||||" + kind + year + "    xx " + strings.Repeat("|", 15) + cmp.Or(object, "|") + "|" + code + "||"
}

// articles are the words to skip at the beginning of a title when sorting.
var articles = strings.Fields("the a an der die das ein eine le la les un une el los las")

// titleIndicators returns whether there is an author, and the length of the article.
func titleIndicators(b Book) string {
	entry, skipped := "0", 0
	if len(b.Authors) > 0 {
		entry = "1"
	}
	first, rest, _ := strings.Cut(b.Title, " ")
	for _, article := range articles {
		if strings.EqualFold(first, article) && strings.TrimSpace(rest) != "" {
			skipped = len(article) + 1
		}
	}
	return fmt.Sprint(entry, skipped)
}
