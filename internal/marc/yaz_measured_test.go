package marc

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"example.org/library/internal/testkit"
)

// TestMeasuredRealRecordsAreReadAsYazReadsThem compares many records of a national library, one by one and
// without keeping them.
func TestMeasuredRealRecordsAreReadAsYazReadsThem(t *testing.T) {
	path, most := testkit.RealRecords(t, "../..")
	cmd := exec.Command("yaz-marcdump", "-o", "line", "-f", "utf8", "-t", "utf8", path)
	out, err := cmd.StdoutPipe()
	testkit.NoError(t, err)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: yaz-marcdump of the Debian package yaz is needed; make deps installs it", err)
	}
	defer func() {
		cmd.Process.Kill()
		cmd.Wait()
	}()
	file, err := os.Open(path)
	testkit.NoError(t, err)
	defer file.Close()
	theirs := bufio.NewReaderSize(out, 1<<20)
	ours := NewReader(file, Options{Format: ISO2709})
	for n := 1; n <= most; n++ {
		want := nextOfYaz(t, theirs)
		r, err := ours.Read()
		if err == io.EOF && want == "" {
			t.Logf("the file has %d records", n-1)
			return
		}
		testkit.NoError(t, err)
		if got := strings.TrimRight(lines(r), "\n"); got != want {
			t.Fatalf("record %d:\n%s\n\nyaz reads:\n%s", n, got, want)
		}
	}
	t.Logf("%d records are the same", most)
}

// nextOfYaz is the next record that yaz-marcdump prints, "" at the end: lines up to an empty one.
func nextOfYaz(t *testing.T, from *bufio.Reader) string {
	t.Helper()
	var record []byte
	for {
		line, err := from.ReadBytes('\n')
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if len(bytes.TrimRight(line, "\n")) == 0 {
			return strings.TrimRight(norm.NFC.String(string(record)), "\n")
		}
		record = append(record, line...)
	}
}
