package marc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// remarks are what yaz-marcdump prints about a broken record, among its lines.
var remarks = regexp.MustCompile(`^(\(.*\)|<!--.*-->|)$`)

// yazBroken is the lines that yaz-marcdump prints of a file whose records are broken.
func yazBroken(t *testing.T, path, charset string) []string {
	t.Helper()
	out, err := exec.Command("yaz-marcdump", "-o", "line", "-f", charset, "-t", "utf8", path).Output()
	if len(out) == 0 { // it fails at the end of a file that is cut off
		t.Fatalf("%v: yaz-marcdump of the Debian package yaz is needed; make deps installs it", err)
	}
	lines := strings.Split(norm.NFC.String(string(out)), "\n")
	return slices.DeleteFunc(lines, remarks.MatchString)
}

// difference are the lines that only one of both has: "-" before those of YAZ, "+" before ours.
func difference(yaz, ours []string) (out []string) {
	count := map[string]int{}
	for _, line := range yaz {
		count[line]++
	}
	for _, line := range ours {
		if count[line]--; count[line] < 0 {
			out = append(out, "+ "+line)
		}
	}
	for _, line := range yaz {
		if count[line] > 0 {
			count[line]--
			out = append(out, "- "+line)
		}
	}
	return out
}

// TestBrokenRecordsAreReadAsYazReadsThemOrBetter says every line that we read in another way than
// YAZ, which drops a text with one bad byte in it, and reads a leader as a field.
func TestBrokenRecordsAreReadAsYazReadsThemOrBetter(t *testing.T) {
	t.Parallel()
	const pragmatic = "245 01 $a The pragmatic programmer :  $b from journeyman to master / $c Andrew Hunt, David Thomas."
	for file, want := range map[string][]string{
		"utf8_errors.dat": nil,
		"bad_records.mrc": {
			"+ " + pragmatic, "+ " + pragmatic, // whose base address is wrong
			"- 245 00 $2 7     2200000   4500245008900000", "- 00128     2200038   4500", "- 00128     2200038   4500",
			"- 245 00 $2 7     22f0037   4500245008900000", "- 00026     2200025   4500",
		},
		"bad_indicator.dat": {"- 0 2 \x1fa $7 80253325525 (alk. paper)"},
		"utf8_invalid.mrc": {
			"+ 260    $a [Washington, D.C.: $b Association of Teacher Educators] $c 1994.",
			"- 260    $a [Washington, D.C.: $\ufffd bAssociation of Teacher Educators] $c 1994.",
		},
		"bad_eacc_encoding.dat": {
			"+ 880 00 $6 245-01/$1 $a 米国の統治の仕組\ufffd\ufffd\ufffd\ufffd $h [electronic resource].",
			"- 880 00 $6 245-01/$1 $a 米国の統治の仕組 $h [electronic resource].",
		},
	} {
		path := filepath.Join("testdata", file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		charset := "marc8"
		if text[9] == 'a' || file == "bad_records.mrc" {
			charset = "utf8"
		}
		records, _ := readAll(t, bytes.NewReader(text), Options{Format: ISO2709})
		var ours []string
		for _, r := range records {
			if r != nil {
				ours = append(ours, strings.Split(strings.TrimRight(lines(*r), "\n"), "\n")...)
			}
		}
		got := difference(yazBroken(t, path, charset), ours)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Of these YAZ prints less: a text with a byte in it that is no MARC-8 is empty there, and a field
// whose length is wrong loses its end.
func TestWhatYazDropsOfBrokenRecordsIsRead(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"bad_marc8_escape.dat":  "245 00 $a Bulletin de la Société linn\ufffdenne de Bordeaux.",
		"bad_subfield_code.dat": "245 10 $a ActivePerl with ASP and ADO / $c Tobias Martinsson.",
		"1251.dat":              "920    $a 5-93093-342-1 $9 1000 \ufffd.\u030a\u0307",
	} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		records, _ := readAll(t, bytes.NewReader(text), Options{Format: ISO2709})
		if got := lines(*records[0]); !strings.Contains(got, want+"\n") {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
		}
	}
}
