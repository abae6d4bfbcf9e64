package marc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// lines is a record as yaz-marcdump prints it.
func lines(r Record) string {
	var out strings.Builder
	fmt.Fprintln(&out, r.Leader)
	for _, f := range r.Fields {
		fmt.Fprint(&out, f.Tag, " ")
		if IsControl(f.Tag) {
			fmt.Fprintln(&out, f.Value)
			continue
		}
		fmt.Fprintf(&out, "%c%c", f.Ind1, f.Ind2)
		for _, s := range f.Subfields {
			fmt.Fprintf(&out, " $%c %s", s.Code, s.Value)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

// yaz is what yaz-marcdump prints of a file, record by record.
func yaz(t *testing.T, path string, args ...string) []string {
	t.Helper()
	out, err := exec.Command("yaz-marcdump", append(append([]string{"-o", "line"}, args...), path)...).Output()
	if err != nil {
		t.Fatalf("%v: yaz-marcdump of the Debian package yaz is needed; make deps installs it", err)
	}
	return strings.Split(strings.TrimRight(norm.NFC.String(string(out)), "\n"), "\n\n")
}

// sameAsYaz compares what we read of a file with what yaz-marcdump reads.
func sameAsYaz(t *testing.T, path string, format Format, args ...string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := yaz(t, path, args...)
	got, reasons := readAll(t, bytes.NewReader(text), Options{Format: format})
	if len(got) != len(want) {
		t.Fatalf("%s: %d records, yaz reads %d", path, len(got), len(want))
	}
	for i, r := range got {
		if r == nil {
			t.Errorf("%s: record %d %s", path, i+1, reasons[i])
			continue
		}
		if got := strings.TrimRight(lines(*r), "\n"); got != want[i] {
			t.Errorf("%s: record %d:\n%s\n\nyaz reads:\n%s", path, i+1, got, want[i])
		}
	}
}

func TestRealRecordsAreReadAsYazReadsThem(t *testing.T) {
	t.Parallel()
	unicode, marc8 := []string{"-f", "utf8", "-t", "utf8"}, []string{"-f", "marc8", "-t", "utf8"}
	for _, c := range []struct {
		file string
		args []string
	}{
		{"loc.mrc", unicode}, {"utf8_with_leader_flag.dat", unicode},
		{"one.dat", marc8}, {"test.dat", marc8}, {"marc.dat", marc8}, {"marc8.dat", marc8}, {"multi_isbn.dat", marc8},
		{"diacritic.dat", marc8}, {"regression45.dat", marc8}, {"alphatag.dat", marc8},
	} {
		sameAsYaz(t, filepath.Join("testdata", c.file), ISO2709, c.args...)
	}
	sameAsYaz(t, "testdata/batch.xml", XML, "-i", "marcxml")
	sameAsYaz(t, "testdata/utf8.xml", XML, "-i", "marcxml")
}

func TestWhatWeWriteIsReadByYazAsWeReadIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/loc.mrc")
	if err != nil {
		t.Fatal(err)
	}
	records, _ := readAll(t, bytes.NewReader(text), Options{Format: ISO2709})
	for format, how := range map[Format]string{ISO2709: "marc", XML: "marcxml"} {
		path := filepath.Join(t.TempDir(), string(format))
		var file bytes.Buffer
		w := NewWriter(&file, format)
		for _, r := range records {
			if err := w.Write(*r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		sameAsYaz(t, path, format, "-i", how)
	}
}
