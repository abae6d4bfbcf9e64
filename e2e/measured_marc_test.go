//go:build !race

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// partsOfImport is after how many parts of the records memory is looked at.
const partsOfImport = 5

// outcomeOfImport is the last line that the program says.
var outcomeOfImport = regexp.MustCompile(`Added ([\d,]+), updated ([\d,]+), unchanged ([\d,]+), different ([\d,]+).*, failed ([\d,]+)\.`)

// marcImport is what came of an import of records.
type marcImport struct {
	outcome          map[string]int
	took             time.Duration
	processor        time.Duration // of program and server
	server, terminal []int         // the most memory while each of the parts was sent
}

func (m marcImport) String() string {
	rows := 0
	for _, n := range m.outcome {
		rows += n
	}
	perSecond := int(float64(rows) / m.took.Seconds())
	return fmt.Sprintf("%v in %v (%d a second, %v of processor time); server %s, terminal %s", m.outcome, m.took.Round(time.Second), perSecond,
		m.processor.Round(time.Second), mibs(m.server), mibs(m.terminal))
}

func mibs(sizes []int) string {
	var out []string
	for _, n := range sizes {
		out = append(out, strconv.Itoa(n>>20))
	}
	return strings.Join(out, ", ") + " MiB"
}

// importRecords imports the first records of a file with the program, which gets them through a pipe, so
// that it is known how far it has come.
func (s *server) importRecords(t *testing.T, path string, records int) (m marcImport) {
	t.Helper()
	token := s.idp.Mint(t, testidp.Claims{"email": curator.email, "scope": curator.scope, "exp": time.Now().Add(12 * time.Hour).Unix()})
	var said bytes.Buffer
	cmd := command(testkit.Context(t), t.TempDir(), []string{"LIBRARY_TOKEN=" + token, "LIBRARY_SERVER=" + s.base}, "books", "import", "--format", "marc", "-")
	cmd.Stdout, cmd.Stderr = &said, &said
	into, err := cmd.StdinPipe()
	testkit.NoError(t, err)
	before, began := s.processorTime(t), time.Now()
	resetPeak(t, s.Cmd)
	testkit.NoError(t, cmd.Start())
	sendRecords(t, path, into, records, func() {
		m.server, m.terminal = append(m.server, peakOf(t, s.Cmd)), append(m.terminal, peakOf(t, cmd))
		resetPeak(t, s.Cmd)
	})
	ended := cmd.Wait()
	m.took, m.processor = time.Since(began), s.processorTime(t)-before+cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	m.server[partsOfImport-1] = max(m.server[partsOfImport-1], peakOf(t, s.Cmd))
	found := outcomeOfImport.FindStringSubmatch(said.String())
	if found == nil || ended != nil {
		t.Fatalf("the import ends with %v and says %s", ended, said.String()[max(0, said.Len()-2000):])
	}
	m.outcome = map[string]int{}
	for i, name := range []string{"added", "updated", "unchanged", "different", "failed"} {
		m.outcome[name], _ = strconv.Atoi(strings.ReplaceAll(found[i+1], ",", ""))
	}
	return m
}

// sendRecords writes the first records of a file, and calls each after every part of them.
func sendRecords(t *testing.T, path string, into io.WriteCloser, records int, each func()) {
	t.Helper()
	file, err := os.Open(path)
	testkit.NoError(t, err)
	defer file.Close()
	const endOfRecord = 0x1d
	in := bufio.NewReaderSize(file, 1<<20)
	for n := 1; n <= records; n++ {
		record, err := in.ReadBytes(endOfRecord)
		testkit.NoError(t, err)
		if _, err := into.Write(record); err != nil {
			break // what the program says tells more
		}
		if n%(records/partsOfImport) == 0 {
			each()
		}
	}
	testkit.NoError(t, into.Close())
}

// peakOf is the most memory of a process since the last reset.
func peakOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	return (&server{Process: &testkit.Process{Cmd: cmd}}).memory(t, "VmHWM")
}

// resetPeak makes the kernel forget the most memory that a process has had.
func resetPeak(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", cmd.Process.Pid), []byte("5"), 0))
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

// lendMeanwhile lets a reader borrow and return a book again and again until end is called, and
// is how long that took each time.
func (s *server) lendMeanwhile(t *testing.T) (end func() []time.Duration) {
	token := s.idp.Mint(t, testidp.Claims{"email": reader.email, "scope": reader.scope, "exp": time.Now().Add(12 * time.Hour).Unix()})
	var waits []time.Duration
	done, all := make(chan struct{}), sync.WaitGroup{}
	all.Go(func() {
		for {
			for _, path := range []string{"/borrow", "/return"} {
				began := time.Now()
				if r, err := s.with(t, token).try("POST", "/books/"+cleanCode+path, nil); err != nil || r.Status != 200 {
					t.Errorf("%s: %d, %v", path, r.Status, err)
					return
				}
				waits = append(waits, time.Since(began))
			}
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	return func() []time.Duration {
		close(done)
		all.Wait()
		slices.Sort(waits)
		return waits
	}
}

// TestMeasuredRecordsAreImportedInConstantMemory imports real records in one go while a reader borrows and
// returns, and then all of them again, which changes nothing.
func TestMeasuredRecordsAreImportedInConstantMemory(t *testing.T) {
	path, records := testkit.RealRecords(t, "..")
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		s.awaitReady(t)
		end := s.lendMeanwhile(t)
		first := s.importRecords(t, path, records)
		waits := end()
		again := s.importRecords(t, path, records)
		t.Logf("%d records: %v", records, first)
		t.Logf("again: %v", again)
		if len(waits) > 0 {
			t.Logf("meanwhile %d times lent or returned, in %v at the median and %v at most", len(waits), waits[len(waits)/2], waits[len(waits)-1])
		}
		a, b := first.outcome, again.outcome
		if a["failed"]+a["updated"]+a["unchanged"] > records/100 || a["added"] < records*9/10 {
			t.Errorf("%v came of %d records", a, records)
		}
		if b["added"]+b["updated"]+b["failed"] > 0 || b["unchanged"] < a["added"] || b["unchanged"]+b["different"] != records {
			t.Errorf("the same records again: %v after %v", b, a)
		}
		mustBeFlat(t, "server", first.server, dividing)
		mustBeFlat(t, "server, again,", again.server, dividing)
		mustBeFlat(t, "terminal", first.terminal, 0)
	})
}

// dividing is what the housekeeping may take while it finds out where the words of new books are, in bytes. That
// grows with the library, up to a bound, and not with the import.
const dividing = 128 << 20

// mustBeFlat fails if the last parts of an import took much more memory than the first ones, in which caches
// fill. When the garbage collector runs makes a difference of a third.
func mustBeFlat(t *testing.T, who string, peaks []int, besides int) {
	t.Helper()
	const some = 2
	first, last := slices.Max(peaks[:some]), slices.Max(peaks[len(peaks)-some:])
	if last > first*3/2+besides {
		t.Errorf("the %s needs %s for the first parts of the records and %s for the last", who, mib(first), mib(last))
	}
}
