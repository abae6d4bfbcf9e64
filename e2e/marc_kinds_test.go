package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/marc"
	"example.org/library/internal/testkit"
)

// kindsByPymarc returns the kinds of the first records of a file, as a program that reads them with pymarc says.
func kindsByPymarc(t *testing.T, file io.Reader, records int) []string {
	t.Helper()
	cmd := exec.CommandContext(testkit.Context(t), "/usr/bin/python3", "foreign/marc_kinds.py", strconv.Itoa(records))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+pythonModules(t))
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = file, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	return strings.Fields(string(out))
}

func TestMeasuredKindsOfRecordsAreWhatPymarcSays(t *testing.T) {
	path, most := testkit.RealRecords(t, "..")
	file, err := os.Open(path)
	testkit.NoError(t, err)
	defer file.Close()
	want := kindsByPymarc(t, bufio.NewReader(file), most)
	_, err = file.Seek(0, io.SeekStart)
	testkit.NoError(t, err)
	r := marc.NewReader(file, marc.Options{Format: marc.ISO2709})
	count := map[string]int{}
	for i, want := range want {
		record, err := r.Read()
		testkit.NoError(t, err)
		got := cmp.Or(bookfile.OfMARC(record).Kind, library.KindBook)
		if got != want {
			t.Fatalf("record %d, leader %q: %q, pymarc says %q", i+1, record.Leader, got, want)
		}
		count[got]++
	}
	t.Logf("%d records are of the same kind: %v", len(want), count)
}

func TestEachLeaderMeansTheKindThatPymarcSays(t *testing.T) {
	t.Parallel()
	var file []byte
	var records []marc.Record
	add := func(r marc.Record) {
		records = append(records, r)
		file = marc.AppendISO(file, r)
	}
	for material := 'a'; material <= 'z'; material++ {
		for level := 'a'; level <= 'z'; level++ {
			leader := fmt.Sprintf("00000n%c%c a2200000 c 4500", material, level)
			for _, object := range []string{"", "a", "g", "r", "|"} {
				fixed := marc.Field{Tag: "008", Value: strings.Repeat("|", 33) + object}
				add(marc.Record{Leader: leader, Fields: []marc.Field{fixed}})
			}
		}
	}
	for _, kind := range library.BookKinds {
		add(bookfile.ToMARC(bookfile.Book{BookFields: api.BookFields{Title: "T", Kind: kind}}))
	}
	said := kindsByPymarc(t, bytes.NewReader(file), len(records))
	if len(said) != len(records) {
		t.Fatalf("pymarc reads %d of %d records", len(said), len(records))
	}
	for i, r := range records {
		if got := cmp.Or(bookfile.OfMARC(r).Kind, library.KindBook); got != said[i] {
			t.Errorf("leader %q: %q, pymarc says %q", r.Leader, got, said[i])
		}
	}
	for i, kind := range library.BookKinds {
		if got := said[len(said)-len(library.BookKinds)+i]; got != kind {
			t.Errorf("%s is written, and pymarc reads it as %s", kind, got)
		}
	}
}
