package bookfile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/marc"
)

// marcRecord makes a record of lines as "245 10 $a Emma $b a novel". The leader has the
// character that says what is done with punctuation.
func marcRecord(punctuation, text string) marc.Record {
	r := marc.Record{Leader: "00000nam a2200000 " + punctuation + " 4500"}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line = strings.TrimLeft(line, "\t")
		f := marc.Field{Tag: line[:3]}
		if marc.IsControl(f.Tag) {
			f.Value = line[4:]
			r.Fields = append(r.Fields, f)
			continue
		}
		f.Ind1, f.Ind2 = line[4], line[5]
		for _, part := range strings.Split(line[6:], " $")[1:] {
			f.Subfields = append(f.Subfields, marc.Subfield{Code: part[0], Value: strings.TrimPrefix(part[1:], " ")})
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

func TestWhichFieldOfARecordIsWhatOfABook(t *testing.T) {
	t.Parallel()
	fixed := func(year, language string) string {
		return "008 ||||||s" + year + "    xx |||||||||||||||||" + language + "||\n"
	}
	yearIn := func(years int) string { return fmt.Sprint(time.Now().Year() + years) }
	for _, c := range []struct {
		rule, punctuation, record string
		want                      func(*Book)
	}{
		{"the whole of a title", "a", "245 10 $a Faust : $n Erster Teil. $p Der Tragödie / $c Goethe", func(b *Book) { b.Title = "Faust Erster Teil Der Tragödie" }},
		{"title and subtitle", "a", "245 10 $a Clean code : $b a handbook / $c Robert C. Martin.", func(b *Book) { b.Title, b.Subtitle = "Clean code", "a handbook" }},
		{"a parallel title", "i", "245 10 $a Titel = $b Title", func(b *Book) { b.Title, b.Subtitle = "Titel", "Title" }},
		{"no punctuation is cut that is not said to be there", "c", "245 10 $a What next / $b Who knows.", func(b *Book) { b.Title, b.Subtitle = "What next /", "Who knows." }},
		{"nor where nothing is said", " ", "245 10 $a What next / $b Who knows.", func(b *Book) { b.Title, b.Subtitle = "What next /", "Who knows." }},
		{"an initial keeps its full stop", "a", "245 10 $a Life of J. S. / $b by R.", func(b *Book) { b.Title, b.Subtitle = "Life of J. S.", "by R." }},
		{"an ellipsis stays", "a", "245 10 $a And then ...", func(b *Book) { b.Title = "And then ..." }},
		{"other marks stay", "a", "245 10 $a Who? / $b Me!", func(b *Book) { b.Title, b.Subtitle = "Who?", "Me!" }},

		{"an ISBN", "a", "020    $a 0471383147 (paper/cd-rom : alk. paper)", func(b *Book) { b.ISBN = "0471383147" }},
		{"an ISBN with hyphens and a price", "a", "020    $a 978-0-13-235088-4 : $c EUR 10", func(b *Book) { b.ISBN = "978-0-13-235088-4" }},
		{"an ISBN behind a word", "a", "020    $a ISBN 0-8044-2957-X.", func(b *Book) { b.ISBN = "0-8044-2957-X" }},
		{"the first ISBN that is valid", "a", "020    $z 0132350882\n020    $a 0132350883\n020    $a 0132350882\n020    $a 0471383147", func(b *Book) { b.ISBN = "0132350882" }},
		{"an ISBN behind its name", "a", "020    $a ISBN-13 9783161484100", func(b *Book) { b.ISBN = "9783161484100" }},
		{"an ISBN with hyphens behind its name", "a", "020    $a ISBN-13 978-3-16-148410-0", func(b *Book) { b.ISBN = "978-3-16-148410-0" }},
		{"an ISBN before a number", "a", "020    $a 0306406152-1", func(b *Book) { b.ISBN = "0306406152" }},
		{"an ISBN with spaces", "a", "020    $a 0 306 40615 2 : 10 EUR", func(b *Book) { b.ISBN = "0 306 40615 2" }},
		{"two ISBNs", "a", "020    $a 0306406152 9783161484100", func(b *Book) { b.ISBN = "0306406152" }},
		{"an X of its own", "a", "020    $a 0-8044-2957-x (pbk)", func(b *Book) { b.ISBN = "0-8044-2957-x" }},
		{"a part of a longer number is no ISBN", "a", "020    $a 9780000003004\n020    $a 97831614841001", func(*Book) {}},
		{"no ISBN", "a", "020    $a 1234567890\n020    $c 10 EUR", func(*Book) {}},

		{"authors in their order", "a", "700 1  $a Zwei, B.\n100 1  $a Kafka, Franz, $d 1883-1924.\n110 2  $a Verein.\n710 2  $a Bund", func(b *Book) { b.Authors = []string{"Franz Kafka", "B. Zwei", "Verein", "Bund"} }},
		{"a name that is no surname", "a", "100 0  $a Homer,\n700 0  $a Thomas, von Aquin", func(b *Book) { b.Authors = []string{"Homer", "Thomas, von Aquin"} }},
		{"two commas", "a", "100 1  $a King, Martin Luther, Jr., $d 1929-1968.", func(b *Book) { b.Authors = []string{"King, Martin Luther, Jr"} }},
		{"initials", "a", "100 1  $a Tolkien, J. R. R., $d 1892-1973", func(b *Book) { b.Authors = []string{"J. R. R. Tolkien"} }},
		{"a comma behind a name is cut where no punctuation is said to be there, and no other", " ", "100 1  $a Aurand, Samuel Herbert, $d 1854-\n710 2  $a Bund , $b Amt.\n650  0 $a Law, $x x", func(b *Book) {
			b.Authors, b.Subjects = []string{"Samuel Herbert Aurand", "Bund"}, []string{"Law,"}
		}},
		{"works are not authors", "a", "700 1  $a Mann, Thomas. $t Der Zauberberg", func(*Book) {}},
		{"institutions are, with a work too", "a", "710 2  $a Bund. $t Bericht", func(b *Book) { b.Authors = []string{"Bund"} }},
		{"two roles in one", "a", "700 1  $a A, A, $e author and illustrator.\n700 1  $a B, B $e printer, editor\n700 1  $a C, C $e printer and publisher\n700 1  $a D, D $e Drucker/Hrsg.", func(b *Book) {
			b.Authors = []string{"A A", "B B", "D D"}
		}},
		{"a role that is not said", "a", "100 1  $a A, A, $e\n700 1  $a B, B $4  $e .", func(b *Book) { b.Authors = []string{"A A", "B B"} }},
		{"those who made the book", "a", "100 1  $a A, A $4 aut\n700 1  $a B, B $e editor.\n700 1  $a C, C $e Illustrator $4 ill\n700 1  $a D, D $4 http://id.loc.gov/vocabulary/relators/trl\n700 1  $a E, E $e joint author.", func(b *Book) { b.Authors = []string{"A A", "B B", "C C", "D D", "E E"} }},
		{"roles that several share, or with more words", "a", "700 1  $a A, A $e editor of compilation.\n700 1  $a B, B $e co-editor\n700 1  $a C, C $e general editor.\n700 1  $a D, D $e trad.\n700 1  $a E, E $e Mitverf.\n700 1  $a F, F $e Hrsg. u. Übers.\n700 1  $a G, G $e author (expression)\n700 1  $a H, H $e coauthor\n700 1  $a I, I $e auteur du texte\n700 1  $a J, J $e author of introduction, etc.\n700 1  $a K, K $e Mitarb.", func(b *Book) {
			b.Authors = []string{"A A", "B B", "C C", "D D", "E E", "F F", "G G", "H H", "I I"}
		}},
		{"and no others", "a", "100 1  $a A, A $4 prt\n700 1  $a B, B $e former owner.\n710 2  $a C $4 pbl\n700 1  $a D, D $e narrator $4 edt", func(b *Book) { b.Authors = []string{"D D"} }},

		{"publisher and year", "a", "260    $a Berlin : $b Alt, $c 1999\n264  0 $b Maker, $c 1998\n264  1 $a Köln : $b Neu, $c c2001.", func(b *Book) { b.Publisher, b.Published = "Neu", 2001 }},
		{"an older record", "a", "260    $a Berlin : $b Alt, $c [1999?]", func(b *Book) { b.Publisher, b.Published = "Alt", 1999 }},
		{"the fixed field before the text", "a", fixed("1987", "und") + "260    $b Alt, $c 1999", func(b *Book) { b.Publisher, b.Published = "Alt", 1987 }},
		{"a decade is no year", "a", fixed("198u", "   ") + "260    $b Alt, $c 1999", func(b *Book) { b.Publisher, b.Published = "Alt", 1999 }},

		{"a year that is not yet is none", "a", fixed("9999", "und") + "260    $c 1999", func(b *Book) { b.Published = 1999 }},
		{"in both places", "a", fixed(yearIn(3), "und") + "260    $c " + yearIn(3), func(*Book) {}},
		{"two years ahead", "a", fixed(yearIn(2), "und"), func(b *Book) { b.Published = time.Now().Year() + 2 }},

		{"language", "a", fixed("uuuu", "ger") + "041 1  $a eng", func(b *Book) { b.Language = "de" }},
		{"several languages", "a", fixed("uuuu", "mul") + "041 1  $a freeng", func(b *Book) { b.Language = "fr" }},
		{"an undetermined one", "a", fixed("uuuu", "und") + "041 0  $a zxx", func(*Book) {}},
		{"an unknown one", "a", fixed("uuuu", "|||"), func(*Book) {}},

		{"subjects", "a", "600 10 $a Kafka, Franz, $d 1883-1924 $x Criticism.\n650  0 $a Law $v Fiction.\n651  0 $a Prague.\n653    $a one $a two\n655  7 $a Novels. $2 lcgft", func(b *Book) {
			b.Subjects = []string{"Kafka, Franz", "Law", "Prague", "one", "two", "Novels"}
		}},
		{"subjects without a text", "a", "653    $a $a  $a two $a $x x", func(b *Book) { b.Subjects = []string{"two"} }},
		{"series", "a", "490 1  $a Reclam ; $v Bd. 12\n830  0 $a Other ; $v 3", func(b *Book) { b.Series, b.Volume = "Reclam", "Bd. 12" }},
		{"a series of another field", "a", "830  0 $a Other ; $v 3.", func(b *Book) { b.Series, b.Volume = "Other", "3" }},
		{"a volume of nothing", "a", "490 0  $v 3", func(*Book) {}},
		{"a summary keeps what it ends with", "a", "520    $a All about A.", func(b *Book) { b.Description = "All about A." }},
		{"several summaries", "a", "520    $a One.\n520    $a Two.", func(b *Book) { b.Description = "One.\nTwo." }},

		{"copies", "a", "852    $h QA76 $i .M3 $p 39001\n852    $p 39002\n852    $b Main", func(b *Book) {
			b.Items = []Item{{Barcode: "39001", Shelf: "QA76 .M3"}, {Barcode: "39002"}, {}}
		}},
		{"copies of Koha", "a", "952    $p 39001 $o QA 76 $7 0\n952    $p 39002 $7 1\n952    $p 39003 $7 -1", func(b *Book) {
			b.Items = []Item{{Barcode: "39001", Shelf: "QA 76"}, {Barcode: "39002", Reference: true}, {Barcode: "39003", Reference: true}}
		}},
		{"a copy in both fields", "a", "852    $p 39001\n952    $p 39001", func(b *Book) { b.Items = []Item{{Barcode: "39001"}} }},
		{"no copies", "c", "852    $z no copies", func(b *Book) { b.Copies = new(int) }},
		{"our own identifier", "c", "001 f9bf70d6-e56d-4cab-be6b-294cd05f599f", func(b *Book) { b.Identifier = "f9bf70d6-e56d-4cab-be6b-294cd05f599f" }},
		{"the number of another program", "c", "001 ocm12345", func(*Book) {}},
		{"a text of several lines", "c", "245 10 $a Emma\r\n\t of Highbury", func(b *Book) { b.Title = "Emma of Highbury" }},
	} {
		var want Book
		c.want(&want)
		if diff := cmp.Diff(want, OfMARC(marcRecord(c.punctuation, strings.ReplaceAll(c.record, "\r\n", "\r")))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}

func TestABookBecomesARecordAndTheSameBookAgain(t *testing.T) {
	t.Parallel()
	full := Book{
		Identifier: "f9bf70d6-e56d-4cab-be6b-294cd05f599f",
		BookFields: api.BookFields{ISBN: "978-0-13-235088-4", Title: "Die  Kunst /", Authors: []string{"Kafka, Franz", "Verein;", "J. R."}, Description: "One.\n\nTwo :",
			Subtitle: "of fugue.", Publisher: "Verlag,", Series: "Reihe ;", Volume: "3.", Language: "de", Published: 87, Subjects: []string{"Law.", "Ärzte,"}},
		Items: []Item{{Barcode: "1", Shelf: "A 1"}, {}, {Barcode: "2", Reference: true}},
	}
	for rule, b := range map[string]Book{"everything": full, "a title alone": {BookFields: api.BookFields{Title: "Emma"}},
		"no copies": {BookFields: api.BookFields{Title: "Emma"}, Copies: new(int)}} {
		for _, format := range []marc.Format{marc.ISO2709, marc.XML} {
			var file strings.Builder
			w := marc.NewWriter(&file, format)
			if err := w.Write(ToMARC(b)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := marc.NewReader(strings.NewReader(file.String()), marc.Options{Format: format}).Read()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b, OfMARC(r)); diff != "" {
				t.Errorf("%s as %s (-want +got):\n%s", rule, format, diff)
			}
		}
	}
}

func TestHowABookIsWrittenAsARecord(t *testing.T) {
	t.Parallel()
	b := Book{
		BookFields: api.BookFields{ISBN: "9780132350884", Title: "The Trial", Authors: []string{"Franz Kafka", "Max Brod"},
			Publisher: "Die Schmiede", Published: 1925, Language: "de"},
		Items: []Item{{Barcode: "39001", Shelf: "A"}},
	}
	want := marcRecord("c", `
		008 ||||||s1925    xx |||||||||||||||||ger||
		020    $a 9780132350884
		100 0  $a Franz Kafka
		245 14 $a The Trial
		264  1 $b Die Schmiede $c 1925
		700 0  $a Max Brod
		852    $h A $p 39001`)
	if diff := cmp.Diff(want, ToMARC(b)); diff != "" {
		t.Error(diff)
	}
	for title, skipped := range map[string]string{"Der Prozess": "04", "An Artist": "03", "Die": "00", "Theory": "00", "LA GUERRE": "03", "Un": "00"} {
		if got := titleIndicators(Book{BookFields: api.BookFields{Title: title}}); got != skipped {
			t.Errorf("%s: %s, want %s", title, got, skipped)
		}
	}
}

func TestTheLeaderTellsTheKindOfABook(t *testing.T) {
	t.Parallel()
	for material, want := range map[string]string{
		"am": "", "tm": "", "as": "magazine", "ab": "magazine", "ti": "magazine", "cm": "music", "dm": "music", "jm": "music", "im": "audio",
		"em": "map", "fm": "map", "gm": "film", "rm g": "game", "rm r": "device", "rm": "other", "rm a": "other", "om": "other", "km": "other", "mm": "other",
	} {
		code, object, _ := strings.Cut(material, " ")
		r := marc.Record{Leader: "00000n" + code + " a2200000 c 4500", Fields: []marc.Field{{Tag: "008", Value: strings.Repeat(" ", 33) + object}}}
		if got := OfMARC(r).Kind; got != want {
			t.Errorf("%s: %q, want %q", material, got, want)
		}
	}
	for _, kind := range library.BookKinds {
		want := kind
		if kind == library.KindBook {
			want = "" // so that it replaces no kind
		}
		if got := OfMARC(ToMARC(Book{BookFields: api.BookFields{Title: "T", Kind: kind}})).Kind; got != want {
			t.Errorf("%s is written, and read as %q", kind, got)
		}
	}
}
