package e2e

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.org/library/internal/testkit"
)

// fileRows is how many rows the file has. With the race detector they take ten
// times as long.
func fileRows() int {
	if raceEnabled {
		return 1_000
	}
	return testkit.Enough(10_000)
}

// One row in a hundred is broken, and one in a thousand changes, from row 7 on.
const (
	brokenEvery  = 100
	changedEvery = 1000
)

// breakages are rows that are wrong, each with what has to be said of it.
var breakages = []struct{ row, says string }{
	{`,978-0-00-%06d-0,Nobody,`, "title is required"},
	{`%06d without the other cells`, "has 1 cell, but the heading has 4"},
	{`%06d with one more,,,,`, "has 5 cells, but the heading has 4"},
	{`%06d" disks,,,`, "has a quotation mark inside a cell"},
	{`"%06d" and more,,,`, "has text after the closing quotation mark"},
	{`"%06d is never closed,,,`, "opens a quotation mark that is not closed"},
	{"M\xfcnchen %06d,,,", "is not UTF-8"},
	{`%06d with a long number,978-0-00-000000-0-000000,,`, "isbn is longer than 20 characters"},
	{"%06d with a \x07 bell,,,", "title contains a control character"},
	{strings.Repeat("very ", 60) + `long %06d,,,`, "title is longer than 255 characters"},
}

// isbnOf is the ISBN of a book, with the check digit that it needs.
func isbnOf(i int) string {
	digits := fmt.Sprintf("9781%08d", i)
	sum := 0
	for at, digit := range digits {
		sum += int(digit-'0') * (1 + at%2*2)
	}
	return fmt.Sprintf("978-1-%08d-%d", i, (10-sum%10)%10)
}

// catalogueFile is a file of many books, some of them wrong, and what has to be said
// of which line. In the edition named, every thousandth book has another
// description.
func catalogueFile(rows int, edition string) (text string, wrong map[int]string) {
	var out bytes.Buffer
	wrong = map[int]string{}
	line := 1
	write := func(row string) {
		out.WriteString(row + "\n")
		line += strings.Count(row, "\n") + 1
	}
	write("Title,ISBN,Authors,Description")
	for i := range rows {
		switch {
		case i%brokenEvery == 50:
			broken := breakages[i/brokenEvery%len(breakages)]
			wrong[line] = broken.says
			write(fmt.Sprintf(broken.row, i))
		case i%changedEvery == 7:
			write(fmt.Sprintf(`"Book %d, the ""%s""",%s,"Ann Author; Bo Writer","First line,`+"\nsecond line, %s edition\"", i, "quoted", isbnOf(i), edition))
		case i%3 == 0:
			write(fmt.Sprintf("Book %d without a number,,Cy Penn,", i))
		default:
			write(fmt.Sprintf(`Book %d,%s,Änn Author,"A description, with a comma."`, i, isbnOf(i)))
		}
	}
	return out.String(), wrong
}

// atTerminal runs the program in a terminal and returns what that showed.
func (s *server) atTerminal(t testing.TB, dir, token string, args ...string) (code int, screen string) {
	t.Helper()
	ctx := testkit.Context(t)
	cmd := command(ctx, dir, []string{"LIBRARY_TOKEN=" + token, "LIBRARY_SERVER=" + s.base, "TERM=xterm-256color"}, args...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	testkit.NoError(t, err)
	defer tty.Close()
	var shown bytes.Buffer
	io.Copy(&shown, tty) // fails when the program has left the terminal
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), shown.String()
}

func TestAFileIsImportedAtATerminal(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		s.awaitReady(t)
		c := s.as(t, curator)
		dir := t.TempDir()
		rows := fileRows()
		broken, changed := rows/brokenEvery, (rows+changedEvery-8)/changedEvery
		good := rows - broken
		imported := func(edition string, flags ...string) (screen, summary string) {
			text, wrong := catalogueFile(rows, edition)
			testkit.NoError(t, os.WriteFile(filepath.Join(dir, "books.csv"), []byte(text), 0o600))
			began := time.Now()
			code, screen := s.atTerminal(t, dir, c.token, append([]string{"books", "import", "books.csv"}, flags...)...)
			took := time.Since(began)
			summary = regexp.MustCompile(`(?m)Added .* failed .*$`).FindString(screen)
			summary = regexp.MustCompile(`(\d),(\d)`).ReplaceAllString(summary, "$1$2")
			t.Logf("%v: %s", took.Round(time.Millisecond), summary)
			if code != 1 || took > testkit.Bound(time.Minute) && !raceEnabled { // with the detector it is another program
				t.Errorf("exit code %d after %v", code, took)
			}
			checkWrongRows(t, screen, wrong)
			return screen, summary
		}
		holds := func(summary, format string, counts ...any) {
			t.Helper()
			want := fmt.Sprintf(format, append(counts, broken)...)
			if !strings.HasPrefix(summary, want) {
				t.Errorf("summary: %s, want %s", summary, want)
			}
		}

		screen, summary := imported("first")
		if !strings.Contains(screen, "Trying again") { // on a slow machine; what was added the first time is unchanged then
			holds(summary, "Added %d, updated 0, unchanged 0, different 0, failed %d.", good)
		}
		if steps := regexp.MustCompile(fmt.Sprintf(`Importing +\d+%% .*\(\d+/%d\)`, rows)).FindAllString(screen, -1); len(steps) == 0 {
			t.Errorf("no progress was shown: %q", steps)
		}
		before := c.get("/books?limit=1")
		if total := before.Header.Get("X-Total-Count"); total != fmt.Sprint(good+sampleBooks) {
			t.Errorf("%s books", total)
		}

		// The second time changes nothing at all.
		_, summary = imported("first")
		holds(summary, "Added 0, updated 0, unchanged %d, different 0, failed %d.", good)
		after := c.get("/books?limit=1")
		for _, name := range []string{"ETag", "X-Total-Count"} {
			if before.Header.Get(name) != after.Header.Get(name) || before.Header.Get(name) == "" {
				t.Errorf("%s was %s and is %s", name, before.Header.Get(name), after.Header.Get(name))
			}
		}

		// Another edition changes what is different, if asked to.
		_, summary = imported("second")
		holds(summary, "Added 0, updated 0, unchanged %d, different %d (use --update to change them), failed %d.", good-changed, changed)
		_, summary = imported("second", "--update")
		holds(summary, "Added 0, updated %d, unchanged %d, different 0, failed %d.", changed, good-changed)
		if found := c.get("/books?q=second+edition"); found.Header.Get("X-Total-Count") != fmt.Sprint(changed) {
			t.Errorf("%s books have another description", found.Header.Get("X-Total-Count"))
		}
	})
}

// checkWrongRows holds the screen to name each wrong line once, with its reason,
// and no other line.
func checkWrongRows(t testing.TB, screen string, wrong map[int]string) {
	t.Helper()
	named := map[int]string{}
	for _, found := range regexp.MustCompile(`books\.csv:(\d+): ([^\r\n]*)`).FindAllStringSubmatch(screen, -1) {
		var line int
		fmt.Sscan(found[1], &line)
		if strings.HasPrefix(found[2], "differs from the library in description") && wrong[line] == "" {
			continue
		}
		if named[line] != "" {
			t.Errorf("line %d is named twice", line)
		}
		named[line] = found[2]
	}
	for line, says := range wrong {
		if !strings.Contains(named[line], says) {
			t.Errorf("line %d: %q, want %q", line, named[line], says)
		}
	}
	if len(named) != len(wrong) {
		t.Errorf("%d lines are named, want %d", len(named), len(wrong))
	}
}
