package marc

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzFormat reads anything, and what was read is written and read again as it was.
func fuzzFormat(f *testing.F, format Format, pattern string) {
	files, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(files) == 0 {
		f.Fatal(err, "there are no files")
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && len(text) < 10<<10 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader(bytes.NewReader(text), Options{Format: format})
		for reads := 0; ; reads++ {
			record, err := r.Read()
			if err == io.EOF {
				return
			}
			if reads > len(text) {
				t.Fatal("there are more records than bytes")
			}
			if err == nil {
				checkRecord(t, record)
			}
		}
	})
}

func checkRecord(t *testing.T, r Record) {
	t.Helper()
	if dump := lines(r); !utf8.ValidString(dump) {
		t.Errorf("%q is no UTF-8", dump)
	}
	for _, format := range []Format{ISO2709, XML} {
		var file bytes.Buffer
		w := NewWriter(&file, format)
		if w.Write(r) != nil || w.Close() != nil {
			t.Fatal("the record cannot be written")
		}
		again, err := NewReader(&file, Options{Format: format}).Read()
		if err != nil && file.Len() < MaxRecord {
			t.Fatalf("%s: %v of %q", format, err, lines(r))
		}
		if got, want := written(again), written(r); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

// written is what a file can have of the fields.
func written(r Record) (out []string) {
	for _, f := range r.Fields {
		out = append(out, strings.Join(strings.Fields(plain(lines(Record{Fields: []Field{f}}))), " "))
	}
	return out
}

func FuzzISO2709(f *testing.F) { fuzzFormat(f, ISO2709, "*.dat") }

func FuzzXML(f *testing.F) { fuzzFormat(f, XML, "*.xml") }

func FuzzMARC8(f *testing.F) {
	f.Add([]byte("\x1b(Nabc\x1b(B \xe8a \x1b$1!0!"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, replaced := decodeMARC8(raw)
		if !utf8.ValidString(text) || !replaced && strings.Contains(text, replacement) {
			t.Errorf("%q is read as %q", raw, text)
		}
	})
}
