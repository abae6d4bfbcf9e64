package table

import (
	"encoding/csv"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type sheetRecord struct {
	sheetPart
	Book   sheetBook  `json:"book"`
	Copy   *sheetBook `json:"copy,omitempty"`
	DueAt  string     `json:"dueAt,omitempty"`
	Count  int        `json:"count"`
	Place  int        `json:"place,omitempty"`
	Is     bool       `json:"is"`
	Lost   bool       `json:"lost,omitempty"`
	Secret *sheetBook `json:"secret,omitempty" csv:"-"`
}

type sheetPart struct {
	Identifier string `json:"identifier"`
}

type sheetBook struct {
	Title   string   `json:"title"`
	Authors []string `json:"authors,omitempty"`
}

func TestASheetHasAColumnForEachMember(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3600)
	for name, c := range map[string]struct {
		comma  byte
		record sheetRecord
		want   string
	}{
		"what is absent is empty": {',', sheetRecord{}, ",,,,,,0,,false,\r\n"},
		"everything else is there": {',', sheetRecord{
			sheetPart{"x"}, sheetBook{"T", []string{"A", "B"}}, &sheetBook{Title: "C"}, "2026-11-15T22:59:59Z", 2, 3, true, true, &sheetBook{}},
			"x,T,A; B,C,,2026-11-15 23:59:59,2,3,true,true\r\n"},
		"a semicolon is quoted where it separates": {';', sheetRecord{sheetPart{"a,b"}, sheetBook{"T", []string{"A", "B"}}, nil, "soon", 0, 0, false, false, nil},
			"a,b;T;\"A; B\";;;soon;0;;false;\r\n"},
		"what would be a formula is none": {',', sheetRecord{sheetPart{"=1+1"}, sheetBook{"-1", []string{"@", "+"}}, &sheetBook{"\t\"x\"\n", []string{"\r", "'="}}, " =1", 0, 0, false, false, nil},
			"'=1+1,'-1,'@; +,\"'\t\"\"x\"\"\n\",\"'\r; '=\", =1,0,,false,\r\n"},
	} {
		sheet := NewSheet(reflect.TypeFor[sheetRecord](), c.comma, zone)
		heading := strings.ReplaceAll("\ufeffidentifier,book.title,book.authors,copy.title,copy.authors,dueAt,count,place,is,lost\r\n", ",", string(c.comma))
		if got := string(sheet.Append(sheet.AppendHeader(nil), c.record)); got != heading+c.want {
			t.Errorf("%s: %q, want %q", name, got, heading+c.want)
		}
	}
}

func TestAnImportTakesTheGuardOfASheetOff(t *testing.T) {
	t.Parallel()
	cells := []string{"=1", "+1", "-1", "@a", "\ta", "\ra", "", "'", "a", "''=", "'a", " =", "ü"}
	var file strings.Builder
	w := csv.NewWriter(&file)
	for _, cell := range cells {
		w.Write([]string{guarded(cell), "x"})
	}
	w.Flush()
	r, err := NewReader(strings.NewReader("a,b\n"+file.String()), Options{Format: CSV}, Nouns{}, func([]string) func(string) bool { return func(string) bool { return true } })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for range cells {
		record, err := r.Read()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, record.Cells[0])
	}
	if !slices.Equal(got, cells) {
		t.Errorf("%q, want %q", got, cells)
	}
}
