//go:build !race

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/marc"
	"example.org/library/internal/testkit"
)

// marcFile names a file of real records that is imported in the place of the one that is
// made here: docs/performance.md has what came of 250,000.
const marcFile = "TEST_MARC_FILE"

// madeMARC writes a file of this many records: those of the Library of Congress that the
// tests of package marc have, again and again with another title. The first ones have their ISBN.
func madeMARC(t *testing.T, path string, records int) {
	t.Helper()
	text, err := os.ReadFile("../internal/marc/testdata/loc.mrc")
	testkit.NoError(t, err)
	file, err := os.Create(path)
	testkit.NoError(t, err)
	defer file.Close()
	w := marc.NewWriter(file, marc.ISO2709)
	for round, written := 0, 0; written < records; round++ {
		for in := marc.NewReader(bytes.NewReader(text), marc.Options{Format: marc.ISO2709}); written < records; written++ {
			r, err := in.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			testkit.NoError(t, err)
			testkit.NoError(t, w.Write(edition(r, round)))
		}
	}
	testkit.NoError(t, w.Close())
}

// edition is a record with another title, and without the ISBN that another one has.
func edition(r marc.Record, number int) marc.Record {
	if number == 0 {
		return r
	}
	fields := r.Fields
	r.Fields = nil
	for _, f := range fields {
		switch f.Tag {
		case "020":
			continue
		case "245":
			f.Subfields = append([]marc.Subfield{{Code: 'a', Value: fmt.Sprintf("Edition %d:", number)}}, f.Subfields...)
		}
		r.Fields = append(r.Fields, f)
	}
	return r
}

// outcomeOfImport is the last line that the program says.
var outcomeOfImport = regexp.MustCompile(`Added ([\d,]+), updated ([\d,]+), unchanged ([\d,]+), different ([\d,]+).*, failed ([\d,]+)\.`)

// importMARC imports a file with the program, and is what came of it, how much processor time
// program and server took, and how much memory the program had at most.
func (s *server) importMARC(t *testing.T, path string) (outcome map[string]int, took time.Duration, memory int) {
	t.Helper()
	var said bytes.Buffer
	cmd := command(testkit.Context(t), t.TempDir(), []string{"LIBRARY_TOKEN=" + s.as(t, curator).token, "LIBRARY_SERVER=" + s.base}, "books", "import", "--format", "marc", path)
	cmd.Stdout, cmd.Stderr = &said, &said
	before := s.processorTime(t)
	ended := cmd.Run()
	took = s.processorTime(t) - before + cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	found := outcomeOfImport.FindStringSubmatch(said.String())
	if found == nil || ended != nil {
		t.Fatalf("the import ends with %v and says %s", ended, said.String()[max(0, said.Len()-2000):])
	}
	outcome = map[string]int{}
	for i, name := range []string{"added", "updated", "unchanged", "different", "failed"} {
		outcome[name], _ = strconv.Atoi(strings.ReplaceAll(found[i+1], ",", ""))
	}
	return outcome, took, int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
}

// processorTime is what the server has used so far. The kernel counts in hundredths of a second.
func (s *server) processorTime(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Cmd.Process.Pid))
	testkit.NoError(t, err)
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * (time.Second / 100)
}

// TestMeasuredRecordsAreImportedInConstantMemory imports a tenth of a file, then all of it, and
// then all of it again, which changes nothing.
func TestMeasuredRecordsAreImportedInConstantMemory(t *testing.T) {
	whole := os.Getenv(marcFile)
	if whole == "" {
		whole = filepath.Join(t.TempDir(), "records.mrc")
		madeMARC(t, whole, 12_000)
	}
	info, err := os.Stat(whole)
	testkit.NoError(t, err)
	tenth := filepath.Join(t.TempDir(), "tenth.mrc")
	firstOf(t, whole, tenth, info.Size()/10)
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		s.awaitReady(t)
		_, _, clientAtFirst := s.importMARC(t, tenth)
		atFirst := s.memory(t, "VmHWM")
		added, took, clientMemory := s.importMARC(t, whole)
		memory := s.memory(t, "VmHWM")
		again, tookAgain, _ := s.importMARC(t, whole)
		t.Logf("%s: %v in %v of processor time, again %v in %v; server %s after a tenth, %s after all, %s after all again; terminal %s and %s", mib(int(info.Size())), added, took.Round(time.Second),
			again, tookAgain.Round(time.Second), mib(atFirst), mib(memory), mib(s.memory(t, "VmHWM")), mib(clientAtFirst), mib(clientMemory))
		if again["added"]+again["updated"] > 0 || again["failed"] != added["failed"] {
			t.Errorf("the same file again: %v", again)
		}
		if memory > 2*atFirst {
			t.Errorf("ten times as many records take the server from %s to %s", mib(atFirst), mib(memory))
		}
		if clientMemory > 2*clientAtFirst {
			t.Errorf("ten times as many records take the terminal from %s to %s", mib(clientAtFirst), mib(clientMemory))
		}
	})
}

// firstOf copies the records within the first bytes of a file.
func firstOf(t *testing.T, from, to string, size int64) {
	t.Helper()
	file, err := os.Open(from)
	testkit.NoError(t, err)
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, size))
	testkit.NoError(t, err)
	const endOfRecord = 0x1d
	testkit.NoError(t, os.WriteFile(to, text[:bytes.LastIndexByte(text, endOfRecord)+1], 0o600))
}
