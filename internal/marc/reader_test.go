package marc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// readAll reads a file to its end: the records, nil for one that is broken, and why.
func readAll(t *testing.T, in io.Reader, o Options) (records []*Record, reasons []string) {
	t.Helper()
	r := NewReader(in, o)
	for {
		record, err := r.Read()
		var broken *BrokenError
		switch {
		case err == io.EOF:
			return records, reasons
		case errors.As(err, &broken):
			records, reasons = append(records, nil), append(reasons, broken.Reason)
		case err != nil:
			t.Fatal(err)
		default:
			records, reasons = append(records, &record), append(reasons, "")
		}
	}
}

// record makes one record with a title, in the form of a file.
func record(title string) string {
	return string(AppendISO(nil, Record{Leader: "00000nam a2200000 c 4500", Fields: []Field{
		{Tag: "001", Value: "x1"},
		{Tag: "245", Ind1: '1', Ind2: '0', Subfields: []Subfield{{'a', title}, {'c', "somebody"}}},
	}}))
}

// titles are the titles of the records that are in a file, "-" for a broken one.
func titles(t *testing.T, text string, o Options) string {
	t.Helper()
	records, _ := readAll(t, strings.NewReader(text), o)
	var out []string
	for _, r := range records {
		if r == nil {
			out = append(out, "-")
			continue
		}
		for _, f := range r.All("245") {
			out = append(out, f.First('a'))
		}
	}
	return strings.Join(out, " ")
}

func TestRealFilesHaveMistakesAndAreReadNevertheless(t *testing.T) {
	t.Parallel()
	one, two := record("One"), record("Two")
	at := func(text string, i int, with string) string { return text[:i] + with + text[i+len(with):] }
	for _, c := range []struct{ rule, file, want string }{
		{"two records", one + two, "One Two"},
		{"ends of lines between records", one + "\r\n" + two + "\n", "One Two"},
		{"a byte order mark", "\ufeff" + one, "One"},
		{"the length is wrong", at(one, 0, "00001") + two, "One Two"},
		{"the length is too long", at(one, 0, "99999") + two, "One Two"},
		{"the length is no number", at(one, 0, "abcde") + two, "One Two"},
		{"the base address is wrong", at(one, 12, "99999") + two, "One Two"},
		{"the mark between records is missing", strings.TrimSuffix(one, "\x1d") + two, "One Two"},
		{"the last mark is missing", one + strings.TrimSuffix(two, "\x1d"), "One Two"},
		{"a line break stands in the place of each mark", strings.ReplaceAll(one+two+one, "\x1d", "\n"), "One Two One"},
		{"of Windows", strings.ReplaceAll(one+two+one, "\x1d", "\r\n"), "One Two One"},
		{"a line break stands in the place of the last marks", strings.ReplaceAll(one+two+one, "\x1e\x1d", "\n"), "- - -"},
		{"the file is longer than a record may be and has no marks", strings.Repeat(strings.ReplaceAll(record(strings.Repeat("x", 9000)), "\x1d", "\n"), 70), strings.TrimSpace(strings.Repeat(strings.Repeat("x", 9000)+" ", 70))},
		{"a mark stands inside of a field", strings.Replace(record("A\x00B"), "A", "A", 1) + strings.Replace(record("C_D"), "_", "\x1d", 1) + two, "AB C\x1dD Two"},
		{"a field has another length than the directory says", strings.Replace(one, "One", "Only one", 1) + two, "Only one Two"},
		{"the directory has no numbers", at(one, 27, "xxxx") + two, "One Two"},
		{"the directory is cut", one[:30] + one[31:] + two, "- Two"},
		{"a field is missing", strings.Replace(one, "x1\x1e", "", 1) + two, "- Two"},
		{"there is no directory", one[:24] + "\x1e\x1d" + two, "- Two"},
		{"something else", "Dear Sir,\x1d" + two, "- Two"},
		{"cut off in the leader", one[:10] + two, "- Two"},
		{"cut off behind the leader", one[:24] + two, "- Two"},
		{"cut off in the directory", one[:45] + two, "- Two"},
		{"cut off in a field", one[:len(one)-12] + two, "- Two"},
		{"cut off before the last marks", one[:len(one)-2] + two, "- Two"},
		{"several are cut off", one[:45] + one[:10] + two + one, "- Two One"},
		{"text between two records", one + "# a comment\n" + two + one, "One - Two One"},
		{"text before the last one, whose mark is missing", "# a comment\n" + strings.TrimSuffix(two, "\x1d"), "- Two"},
		{"too long", "00100" + strings.Repeat("x", MaxRecord+10) + "\x1d" + two, "- Two"},
		{"nothing", "", ""},
		{"indicators are missing", strings.Replace(one, "10\x1fa", "\x1fa", 1) + two, "One Two"},
	} {
		if got := titles(t, c.file, Options{Format: ISO2709}); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

// The number of a record and the date behind it can look like a leader.
func TestDigitsInTheFirstFieldsAreNoSecondRecord(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"1665455", "16654551", "166545512", "1665455123", strings.Repeat("1234567890", 2) + "4500"} {
		good := string(AppendISO(nil, Record{Leader: "00000nam a2200000 c 4500", Fields: []Field{
			{Tag: "001", Value: number}, {Tag: "005", Value: "20030124102745.0"},
			{Tag: "245", Ind1: '1', Ind2: '0', Subfields: []Subfield{{'a', "Good"}}},
		}}))
		if got := titles(t, good+record("Two"), Options{Format: ISO2709}); got != "Good Two" {
			t.Errorf("%s: %q", number, got)
		}
	}
}

// A part of a file ends where the next one begins, also if what is there is broken.
func TestThePlaceOfTheNextRecordIsKnownBehindOneThatIsCutOff(t *testing.T) {
	t.Parallel()
	one, two := record("One"), record("Two")
	file := one + two[:45] + two
	r := NewReader(strings.NewReader(file), Options{Format: ISO2709, Partial: true})
	for _, want := range []int{len(one), len(one) + 45, len(file)} {
		_, err := r.Read()
		if broken, is := errors.AsType[*BrokenError](err); err != nil && (!is || broken != errNoEnd) || int(r.Next()) != want {
			t.Errorf("%v, the next one is at %d, want %d", err, r.Next(), want)
		}
	}
}

func TestACodeThatIsNoLetterIsTheLetterThatItWas(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[string]string{
		"a": "One", "\xc3\xa1": "One", "\xe1": "One", "\xef\xbf\xbda": "One", "\xc2\xa0a": "One",
		"": "", " ": "", "\xe2\x82\xac": "", "\xe2\x82\xac ": "",
	} {
		if got := titles(t, strings.Replace(record("One"), "\x1faOne", "\x1f"+bytes+"One", 1), Options{Format: ISO2709}); got != want {
			t.Errorf("%q: %q, want %q", bytes, got, want)
		}
	}
}

func TestADirectoryCannotMakeMoreTextThanThereIs(t *testing.T) {
	t.Parallel()
	field := "10\x1fa" + strings.Repeat("x", 9000) + "\x1e"
	directory := strings.Repeat(fmt.Sprintf("245%04d00000", len(field)), 5000)
	raw := "00000nam a2200000 c 4500" + directory + "\x1e" + field + "\x1d"
	if got := titles(t, raw+record("Two"), Options{Format: ISO2709}); got != "- Two" {
		t.Errorf("%.50q", got)
	}
}

// All fields of the directory are the first one, and there are as many ends as fields.
func TestFieldsDoNotShareTheirBytes(t *testing.T) {
	t.Parallel()
	const fields = 600
	first := "10" + strings.Repeat("\x1fa", 400) + "\x1e"
	directory := strings.Repeat(fmt.Sprintf("650%04d00000", len(first)), fields)
	raw := "00000nam a2200000 c 4500" + directory + "\x1e" + first + strings.Repeat("\x1e", fields-1) + "\x1d"
	records, _ := readAll(t, strings.NewReader(raw), Options{Format: ISO2709})
	subfields := 0
	for _, f := range records[0].Fields {
		subfields += len(f.Subfields)
	}
	if len(records) != 1 || subfields != 400 {
		t.Errorf("%d records, %d subfields of 400", len(records), subfields)
	}
}

func TestTheSubfieldsOfARecordAreBounded(t *testing.T) {
	t.Parallel()
	record := func(n int) Record {
		return Record{Leader: "00000nam a2200000 c 4500", Fields: []Field{{Tag: "650", Ind1: ' ', Ind2: ' ', Subfields: slices.Repeat([]Subfield{{Code: 'a'}}, n)}}}
	}
	iso := func(n int) []byte {
		field := "  " + strings.Repeat("\x1fa", n) + "\x1e"
		return []byte("00000nam a2200000 c 4500650000000000\x1e" + field)
	}
	if _, err := parseISO(iso(maxSubfields)); err != nil {
		t.Error(err)
	}
	if _, err := parseISO(iso(maxSubfields + 1)); err != errSubfields {
		t.Error(err)
	}
	var file bytes.Buffer
	w := NewWriter(&file, XML)
	if w.Write(record(maxSubfields+1)) != nil || w.Close() != nil {
		t.Fatal("the record cannot be written")
	}
	begin := bytes.Index(file.Bytes(), []byte("<record"))
	end := bytes.Index(file.Bytes(), []byte("</collection"))
	if _, err := parseXML(file.Bytes()[begin:end]); err != errSubfields {
		t.Error(err)
	}
}

func TestAFileInPartsIsReadAsAWhole(t *testing.T) {
	t.Parallel()
	for _, f := range []struct {
		format Format
		text   string
	}{
		{ISO2709, record("One") + "\n" + record("Two") + record("Three")},
		{ISO2709, strings.ReplaceAll(record("One")+record("Two")+record("Three"), "\x1d", "\n")},
		{XML, inXML("One") + inXML("Two") + "<record><leader/><controlfield tag='001'>lost</controlfield>" + inXML("Three") + "<record/>" + strings.Replace(inXML("Four"), `"245"`, `"245`, 1) + inXML("Five") + "</collection>"},
	} {
		want := titles(t, f.text, Options{Format: f.format})
		for size := range len(f.text) {
			r := NewReader(strings.NewReader(f.text[:size]), Options{Format: f.format, Partial: true})
			n := 0
			for {
				_, err := r.Read()
				if err == io.EOF {
					break
				}
				n++
			}
			first := strings.Join(strings.Fields(want)[:n], " ")
			rest := titles(t, f.text[r.Next():], Options{Format: f.format})
			if got := strings.TrimSpace(first + " " + rest); got != want {
				t.Fatalf("%s, cut at %d: %q, want %q", f.format, size, got, want)
			}
		}
	}
}

func inXML(title string) string {
	return `<record><leader>00000nam a2200000 c 4500</leader><controlfield tag="001">x</controlfield>` +
		`<datafield tag="245" ind1="1" ind2="0"><subfield code="a">` + title + `</subfield></datafield></record>`
}

func TestARecordThatIsTooLongForItsLengthIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 30000)
	for _, format := range []Format{ISO2709, XML} {
		var file strings.Builder
		w := NewWriter(&file, format)
		for _, title := range []string{long, "short"} {
			r, err := NewReader(strings.NewReader(record("x")), Options{Format: ISO2709}).Read()
			if err != nil {
				t.Fatal(err)
			}
			r.Fields[1].Subfields[0].Value = title
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := titles(t, file.String(), Options{Format: format}); got != long+" short" {
			t.Errorf("%s: %.40q", format, got)
		}
	}
}

func TestRealRecordsThatAreBrokenAreReported(t *testing.T) {
	t.Parallel()
	const directory = "has a directory that cannot be read"
	for file, want := range map[string]string{
		"bad_records.mrc":       "read, read, read, " + directory + ", " + directory + ", read, has no fields, read, has no end",
		"bad_indicator.dat":     "read",
		"bad_subfield_code.dat": "read",
		"1251.dat":              strings.TrimSuffix(strings.Repeat("replaced, ", 6), ", "),
		"utf8_errors.dat":       "read",
		"bad_eacc_encoding.dat": "replaced",
		"utf8_invalid.mrc":      "read",
		"bad_marc8_escape.dat":  "replaced",
	} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		records, reasons := readAll(t, bytes.NewReader(text), Options{Format: ISO2709})
		var got []string
		for i, r := range records {
			switch {
			case r == nil:
				got = append(got, reasons[i])
			case r.Replaced:
				got = append(got, "replaced")
			default:
				got = append(got, "read")
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
