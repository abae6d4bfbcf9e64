package marc

import (
	"bytes"
	"os"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestMARC8IsReadAsUnicode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, in, want string }{
		{"ASCII", "Plain", "Plain"},
		{"letters of extended Latin", "\xa1\xb2", "Łø"},
		{"a mark stands before its letter", "B\xe8ohm", "Böhm"},
		{"two marks", "\xe3\xf2a", "ậ"},
		{"a mark at the end", "a\xe8", "a\u0308"},
		{"Greek", "\x1b(S\x61\x62\x1b(B.", "αβ."},
		{"Cyrillic", "\x1b(Nabc\x1b(B a", "АБЦ a"},
		{"Cyrillic above", "\x1b)N\xe1\xe2", "АБ"},
		{"Hebrew", "\x1b(2`a\x1b(B", "אב"},
		{"Arabic", "\x1b(3G\x1b(B", "ا"},
		{"raised", "E=mc\x1bp2\x1bs.", "E=mc²."},
		{"lowered", "H\x1bb2\x1bsO", "H₂O"},
		{"Greek symbols", "\x1bga\x1bs", "α"},
		{"East Asian", "\x1b$1!0!\x1b(B.", "一."},
		{"extended Latin by its name", "\x1b)!E\xb2", "ø"},
		{"marks around an article are dropped", "\x88The \x89end", "The end"},
		{"a set that nobody knows", "\x1b(Xab\x1b(Bc", "\uFFFD\uFFFDc"},
		{"a code that is none", "a\xff", "a\uFFFD"},
		{"an escape that is cut", "a\x1b", "a\uFFFD"},
		{"three bytes that are cut", "\x1b$1!0", "\uFFFD"},
	} {
		got, replaced := decodeMARC8([]byte(c.in))
		got = norm.NFC.String(got)
		if want := norm.NFC.String(c.want); got != want {
			t.Errorf("%s: %q, want %q", c.rule, got, want)
		}
		if replaced != bytes.ContainsRune([]byte(c.want), '\uFFFD') {
			t.Errorf("%s: replaced %v", c.rule, replaced)
		}
	}
}

func TestRealTextsOfMARC8AreReadAsOthersReadThem(t *testing.T) {
	t.Parallel()
	read := func(name string) [][]byte {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Split(text, []byte("\n"))
	}
	want := read("test_utf8.txt")
	for i, line := range read("test_marc8.txt") {
		got, _ := decodeMARC8(line)
		if got, want := norm.NFC.String(got), norm.NFC.String(string(want[i])); got != want {
			t.Errorf("line %d: %q, want %q", i+1, got, want)
		}
	}
}

func TestTextThatIsUTF8IsReadSoWhateverTheLeaderSays(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"Müller: Größe":        "Müller: Größe",
		"a\u0308":              "ä",
		"M\xe8uller":           "Müller",      // MARC-8
		"\x1b(NGOSUDARSTWO":    "государство", // an escape sequence
		"\x1b)N\xc3\xb6\x1b)E": "ц6",          // bytes that UTF-8 has as well
		"plain":                "plain",
	} {
		var r Record
		if got := r.marc8Text([]byte(raw)); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}
