package terminal_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.org/library/internal/testkit"
	"example.org/library/terminal"
)

type vars map[string]string

func (v vars) lookup(name string) (string, bool) { value, ok := v[name]; return value, ok }

// piped is a terminal that is none.
func piped(in string, env vars) (*terminal.Terminal, *bytes.Buffer, *bytes.Buffer) {
	var out, err bytes.Buffer
	return terminal.New(terminal.Options{In: strings.NewReader(in), Out: &out, Err: &err, Lookup: env.lookup}), &out, &err
}

// screen is a real pseudo-terminal. Type into keys; shown waits for a text.
type screen struct {
	*terminal.Terminal
	keys *os.File
	text bytes.Buffer
}

func onScreen(t *testing.T, width uint16, env vars) *screen {
	t.Helper()
	keys, tty, err := pty.Open()
	testkit.NoError(t, err)
	t.Cleanup(func() { keys.Close(); tty.Close() })
	testkit.NoError(t, pty.Setsize(keys, &pty.Winsize{Rows: 24, Cols: width}))
	s := &screen{keys: keys}
	s.Terminal = terminal.New(terminal.Options{In: tty, Out: tty, Err: tty, Lookup: env.lookup})
	return s
}

// shown reads the screen until it shows a text, and returns all of it.
func (s *screen) shown(t *testing.T, want string) string {
	t.Helper()
	buffer := make([]byte, 4096)
	for !strings.Contains(s.text.String(), want) {
		s.keys.SetReadDeadline(time.Now().Add(testkit.Timeout(t)))
		n, err := s.keys.Read(buffer)
		s.text.Write(buffer[:n])
		if err != nil {
			t.Fatalf("%v; the screen shows %q, not %q", err, s.text.String(), want)
		}
	}
	return strings.ReplaceAll(s.text.String(), "\r\n", "\n")
}

func fill(t *terminal.Terminal) error {
	table := t.NewTable(
		terminal.Column{Title: "id", Style: terminal.Dim},
		terminal.Column{Title: "title", Give: 1},
		terminal.Column{Title: "authors", Give: 1},
		terminal.Column{Title: "status"},
	)
	table.Cells(terminal.Cell{Text: "f9bf70d6"}, terminal.Cell{Text: "Clean Code"}, terminal.Cell{Text: "Bob Martin"},
		terminal.Cell{Text: "Yours", Style: terminal.Green})
	table.Row("3038627d", "日本語の本についての長い長い題名であるもの", "Somebody\twith\na tab", "On loan")
	return table.Flush()
}

func TestATableInAPipeIsTabSeparatedAndWhole(t *testing.T) {
	t.Parallel()
	term, out, _ := piped("", vars{"COLUMNS": "20"})
	testkit.NoError(t, fill(term))
	want := "f9bf70d6\tClean Code\tBob Martin\tYours\n" +
		"3038627d\t日本語の本についての長い長い題名であるもの\tSomebody with a tab\tOn loan\n"
	testkit.Diff(t, want, out.String())
}

func TestTheLastColumnOfATableCanGoOnBelow(t *testing.T) {
	t.Parallel()
	s := onScreen(t, 40, vars{"NO_COLOR": "1"})
	table := s.NewTable(terminal.Column{Title: "id"}, terminal.Column{Title: "title"}, terminal.Column{Title: "state", Give: 1, Wrap: true})
	table.Row("1", "Emma", "failed: the mail server does not accept the person's address (550)")
	testkit.NoError(t, table.Flush())
	want := "ID  TITLE  STATE\n1   Emma   failed: the mail server does\n           not accept the person's\n           address (550)\n"
	testkit.Diff(t, want, s.shown(t, "(550)\r\n"))
}

func TestATableFitsTheScreen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		width uint16
		env   vars
		want  string
	}{
		{"wide", 90, vars{"NO_COLOR": "1"}, `
ID        TITLE                                       AUTHORS              STATUS
f9bf70d6  Clean Code                                  Bob Martin           Yours
3038627d  日本語の本についての長い長い題名であるもの  Somebody with a tab  On loan
`},
		{"narrow", 48, vars{"NO_COLOR": "1"}, `
ID        TITLE          AUTHORS         STATUS
f9bf70d6  Clean Code     Bob Martin      Yours
3038627d  日本語の本に…  Somebody with…  On loan
`},
		{"as the person says", 90, vars{"NO_COLOR": "1", "COLUMNS": "48"}, `
ID        TITLE          AUTHORS         STATUS
f9bf70d6  Clean Code     Bob Martin      Yours
3038627d  日本語の本に…  Somebody with…  On loan
`},
		{"narrower than anything", 5, vars{"NO_COLOR": "1"}, `
ID        TITLE  AUTH…  STATUS
f9bf70d6  Clea…  Bob …  Yours
3038627d  日本…  Some…  On loan
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := onScreen(t, test.width, test.env)
			testkit.NoError(t, fill(s.Terminal))
			testkit.Diff(t, strings.TrimPrefix(test.want, "\n"), s.shown(t, "On loan\r\n"))
		})
	}
}

func TestColoursAreForTerminalsThatWantThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		env  vars
		want string
	}{
		{"usually", vars{"TERM": "xterm"}, "\x1b[1mx\x1b[0m"},
		{"NO_COLOR", vars{"NO_COLOR": "1"}, "x"},
		{"an empty NO_COLOR says nothing", vars{"NO_COLOR": ""}, "\x1b[1mx\x1b[0m"},
		{"a terminal that has none", vars{"TERM": "dumb"}, "x"},
	} {
		s := onScreen(t, 80, test.env)
		if got := s.Paint(terminal.Bold, "x"); got != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
	term, _, _ := piped("", nil)
	testkit.Equal(t, term.Paint(terminal.Bold, "x")+term.PaintErr(terminal.Red, "y"), "xy", "in a pipe")
}

func TestUntrustedTextCannotCommandATerminal(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, line, text string }{
		{"plain – ümlaut 日本", "plain – ümlaut 日本", "plain – ümlaut 日本"},
		{"a\nb\tc\r\nd", "a b c  d", "a\nb\tc\nd"},
		{"\x1b]0;title\x07\x1b[2J", "�]0;title��[2J", "�]0;title��[2J"},
		{"\u009b2J\u0000\u007f", "�2J��", "�2J��"},
		{"abc\u202efdp.exe\u2066", "abc�fdp.exe�", "abc�fdp.exe�"},
	} {
		if got := terminal.Clean(test.in); got != test.line {
			t.Errorf("Clean(%q) is %q", test.in, got)
		}
		if got := terminal.CleanText(test.in); got != test.text {
			t.Errorf("CleanText(%q) is %q", test.in, got)
		}
	}
}

func TestJSONForAScreenIsTheSameJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"{\n  \"title\": \"plain – ümlaut 日本\"\n}\n": "{\n  \"title\": \"plain – ümlaut 日本\"\n}\n",
		"\"\u009b2J\u007f\u202e�\"":                  `"\u009b2J\u007f\u202e�"`,
	} {
		if got := terminal.CleanJSON(in); got != want {
			t.Errorf("CleanJSON(%q) is %q", in, got)
		}
	}
}

func TestNobodyIsAskedInAPipe(t *testing.T) {
	t.Parallel()
	term, _, stderr := piped("y\n", nil)
	_, confirm := term.Confirm("Really?")
	_, secret := term.AskSecret("Password: ")
	_, edit := term.Edit(t.Context(), "x.txt", "")
	for _, err := range []error{confirm, secret, edit} {
		testkit.Equal(t, err, terminal.ErrNobodyThere, "the error")
	}
	if stderr.Len() > 0 || term.CanAsk() || term.Interactive() {
		t.Errorf("it said %q", stderr)
	}
}

func TestOnlyAClearYesIsOne(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y": true, "Yes": true, " YES ": true, "": false, "n": false, "yep": false, "ye": false} {
		s := onScreen(t, 80, nil)
		io.WriteString(s.keys, answer+"\n")
		if got, err := s.Confirm("Delete it?"); err != nil || got != want {
			t.Errorf("%q: %v, %v", answer, got, err)
		}
		s.shown(t, "Delete it? [y/N] ")
	}
}

func TestASecretIsNotShown(t *testing.T) {
	t.Parallel()
	s := onScreen(t, 80, nil)
	done := make(chan string)
	go func() {
		secret, _ := s.AskSecret("Password: ")
		done <- secret
	}()
	s.shown(t, "Password: ")
	time.Sleep(50 * time.Millisecond) // until the echo is off
	io.WriteString(s.keys, "wayne\n")
	testkit.Equal(t, <-done, "wayne", "the secret")
	if text := s.shown(t, "\r\n"); strings.Contains(text, "wayne") {
		t.Errorf("the screen shows %q", text)
	}
}

func TestATextIsEditedInThePersonsEditor(t *testing.T) {
	t.Parallel()
	s := onScreen(t, 80, vars{"EDITOR": "sed -i s/old/new/"})
	if got, err := s.Edit(t.Context(), "book.txt", "an old text\n"); err != nil || got != "an new text\n" {
		t.Errorf("%q, %v", got, err)
	}
	s = onScreen(t, 80, vars{"VISUAL": "false", "EDITOR": "true"})
	if _, err := s.Edit(t.Context(), "book.txt", "x"); err == nil || !strings.Contains(err.Error(), "set EDITOR") {
		t.Errorf("the error is %v", err)
	}
}

func TestWhatWasWrittenOutlivesTheEditor(t *testing.T) {
	t.Parallel()
	for editor, want := range map[string]string{
		"fail() { echo half > \"$1\"; return 1; }; fail": "half\n",
		"false": "",
	} {
		s := onScreen(t, 80, vars{"EDITOR": editor})
		if got, err := s.Edit(t.Context(), "book.txt", "whole\n"); err == nil || got != want {
			t.Errorf("%s: %q, %v", editor, got, err)
		}
	}
}

func TestTheBrowserIsThePersonsOrTheSystemsOrNone(t *testing.T) {
	t.Parallel()
	seen := t.TempDir() + "/seen"
	term, _, _ := piped("", vars{"BROWSER": "touch -c"})
	if err := term.Open(seen); err != nil {
		t.Errorf("the error is %v", err)
	}
	for _, env := range []vars{{}, {"BROWSER": "no-such-browser-anywhere"}} {
		term, _, _ := piped("", env)
		if err := term.Open("http://localhost/"); err != terminal.ErrNoBrowser {
			t.Errorf("%v: the error is %v", env, err)
		}
	}
}

func TestProgressIsForPeople(t *testing.T) {
	t.Parallel()
	term, out, stderr := piped("", nil)
	bar := term.NewProgress(10, "Importing")
	bar.Add(5)
	bar.Done()
	if out.Len()+stderr.Len() > 0 {
		t.Errorf("in a pipe it says %q %q", out, stderr)
	}
	s := onScreen(t, 80, nil)
	bar = s.NewProgress(10, "Importing")
	time.Sleep(100 * time.Millisecond) // it does not flicker
	bar.Add(5)
	if text := s.shown(t, "5/10"); !strings.Contains(text, "Importing") {
		t.Errorf("the screen shows %q", text)
	}
	bar.Done()
}

func TestProgressShowsAPersonWhatItCounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule  string
		start func(*terminal.Terminal) *terminal.Progress
		wants string
	}{
		{"bytes have a unit", func(s *terminal.Terminal) *terminal.Progress { return s.NewByteProgress(300_000, "copying") }, "(100/300 kB"},
		{"bytes without an end", func(s *terminal.Terminal) *terminal.Progress { return s.NewByteProgress(-1, "copying") }, "(100 kB"},
		{"nothing to count", func(s *terminal.Terminal) *terminal.Progress { return s.NewWait("copying") }, "copying …"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			s := onScreen(t, 80, nil)
			bar := test.start(s.Terminal)
			time.Sleep(100 * time.Millisecond)
			bar.AddBytes(100_000)
			if text := s.shown(t, test.wants); !strings.Contains(text, "copying") || strings.Contains(text, "/-") {
				t.Errorf("the screen shows %q", text)
			}
			bar.Done()
		})
	}
}
