package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"example.org/library/internal/testkit"
)

// The scripts are what a person types. Each has a provider, a server, which is
// called Riverside Library, and a database with the samples of its own. Beside the words of testscript there
// are these:
//
//	library ARGS...       runs the program (! for any failure)
//	pty COMMAND...        runs a command in a terminal of COLUMNS by LINES; the
//	                      lines of stdin are typed, each when a question waits
//	                      (^C and ^D are the keys); stdout is the screen
//	status N COMMAND...   runs a command, such as library or pty, that must end
//	                      with this exit code
//	signin USER           puts a token of a sample user into LIBRARY_TOKEN and
//	                      the address of the server into LIBRARY_SERVER
//	json [PATH VALUE]     holds stdout to be JSON with a value at a path such as
//	                      0.authors.1; a length is at PATH.len
//
// Settings of the server are in the file serve.args of a script that needs some; $SOURCE there is the address of
// a catalogue and of covers of other people (source_test.go). Scripts find SERVER and ISSUER in the environment; HOME is the script's folder.

func TestScripts(t *testing.T) {
	t.Parallel()
	turns := make(chan struct{}, 3) // each is three processes
	testscript.Run(t, testscript.Params{
		Dir: "scripts",
		Setup: func(env *testscript.Env) error {
			turns <- struct{}{}
			env.Defer(func() { <-turns })
			return setUpScript(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"library": func(ts *testscript.TestScript, not bool, args []string) { expect(ts, not, "library", args) },
			"pty":     func(ts *testscript.TestScript, not bool, args []string) { expect(ts, not, "pty", args) },
			"status":  scriptStatus,
			"signin":  scriptSignIn,
			"json":    scriptJSON,
		},
		RequireUniqueNames: true,
	})
}

type scriptKey string

func setUpScript(env *testscript.Env) error {
	t := env.T().(testing.TB)
	testkit.AwayFromMidnight()
	idp := startIDP(t)
	service := idp.library(t, append([]string{"--name", "Riverside Library"}, serveArgs(env)...)...)
	env.Values[scriptKey("idp")] = idp
	env.Values[scriptKey("t")] = t
	env.Setenv("SERVER", service.base)
	env.Setenv("ISSUER", idp.issuer)
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("TERM", "xterm-256color")
	env.Setenv("LIBRARY_KEYRING", "file")
	env.Setenv("GORACE", "halt_on_error=1 atexit_sleep_ms=0") // a second for each command, otherwise
	return nil
}

// serveArgs are the settings of a script's server that are in its file serve.args.
func serveArgs(env *testscript.Env) []string {
	args, err := os.ReadFile(filepath.Join(env.WorkDir, "serve.args"))
	if err != nil {
		return nil
	}
	text := strings.ReplaceAll(string(args), "$WORK", env.WorkDir)
	if strings.Contains(text, "$SOURCE") {
		text = strings.ReplaceAll(text, "$SOURCE", startSource(env.T().(testing.TB)))
	}
	return strings.Fields(text)
}

// execute runs a command of a script and returns its exit code.
func execute(ts *testscript.TestScript, name string, args []string) int {
	switch name {
	case "library":
		name = binary
	case "pty":
		self, err := os.Executable()
		ts.Check(err)
		name, args = self, append([]string{inTerminal}, args...)
	case "exec":
		name, args = args[0], args[1:]
	}
	err := ts.Exec(name, args...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	for _, bad := range []string{"DATA RACE", "goroutine ", "panic:"} {
		if strings.Contains(ts.ReadFile("stderr")+ts.ReadFile("stdout"), bad) {
			ts.Fatalf("the program says %q", bad)
		}
	}
	if err == nil {
		return 0
	}
	return exit.ExitCode()
}

func expect(ts *testscript.TestScript, not bool, name string, args []string) {
	if code := execute(ts, name, args); (code != 0) != not {
		ts.Fatalf("exit code %d", code)
	}
}

func scriptStatus(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if code := execute(ts, args[1], args[2:]); code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func scriptSignIn(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) != 1 {
		ts.Fatalf("usage: signin USER")
	}
	idp := ts.Value(scriptKey("idp")).(*provider)
	ts.Setenv("LIBRARY_TOKEN", idp.login(ts.Value(scriptKey("t")).(testing.TB), args[0]))
	ts.Setenv("LIBRARY_SERVER", ts.Getenv("SERVER"))
}

func scriptJSON(ts *testscript.TestScript, not bool, args []string) {
	if len(args) != 0 && len(args) != 2 {
		ts.Fatalf("usage: json [PATH VALUE]")
	}
	var value any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &value); err != nil {
		ts.Fatalf("stdout is not JSON: %v", err)
	}
	if len(args) == 0 {
		return
	}
	got, found := lookInto(value, strings.Split(args[0], "."))
	if same := found && fmt.Sprint(got) == args[1]; same == not {
		ts.Fatalf("%s is %v", args[0], got)
	}
}

// lookInto follows a path into decoded JSON.
func lookInto(value any, path []string) (any, bool) {
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			inner, found := v[step]
			if !found {
				return nil, false
			}
			value = inner
		case []any:
			at, err := strconv.Atoi(step)
			switch {
			case step == "len":
				value = len(v)
			case err != nil || at < 0 || at >= len(v):
				return nil, false
			default:
				value = v[at]
			}
		default:
			return nil, false
		}
	}
	return value, true
}

// inTerminal as the first argument makes the test program the terminal in which
// a command of a script runs: as a process of its own it has the environment,
// the folder and the standard input that the script has set.
const inTerminal = "run-in-terminal"

func init() {
	if len(os.Args) > 2 && os.Args[1] == inTerminal {
		os.Exit(runInTerminal(os.Args[2:]))
	}
}

// noticeable is how long a program is quiet that waits for an answer.
func noticeable() time.Duration { return testkit.Bound(30 * time.Millisecond) }

func runInTerminal(args []string) int {
	typed, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "PWD=")
	screen, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: sizeOf("COLUMNS", 80), Rows: sizeOf("LINES", 24)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	defer screen.Close()
	shown := &testkit.Buffer{}
	ended := make(chan struct{})
	go func() {
		io.Copy(shown, screen) // fails when the last program has left the terminal
		close(ended)
	}()
	answer(screen, shown, answersIn(typed), ended)
	cmd.Wait()
	fmt.Print(strings.ReplaceAll(shown.String(), "\r\n", "\n"))
	return cmd.ProcessState.ExitCode()
}

func sizeOf(name string, usual uint16) uint16 {
	if n, err := strconv.ParseUint(os.Getenv(name), 10, 16); err == nil && n > 0 {
		return uint16(n)
	}
	return usual
}

// answersIn is what is typed: a line is ended with the return key.
func answersIn(typed []byte) []string {
	var answers []string
	for line := range bytes.Lines(typed) {
		text := strings.TrimRight(string(line), "\n")
		switch text {
		case "^C":
			answers = append(answers, "\x03")
		case "^D":
			answers = append(answers, "\x04")
		default:
			answers = append(answers, text+"\r")
		}
	}
	return answers
}

// answer types an answer whenever a question waits, and the end of all input
// after the last one, until the program ends. The script's own deadline kills one
// that does not.
func answer(keys io.Writer, shown *testkit.Buffer, answers []string, ended <-chan struct{}) {
	answered := "" // the screen, when the last answer was typed
	before := ""
	for {
		select {
		case <-ended:
			return
		case <-time.After(noticeable()):
		}
		now := shown.String()
		waits := now == before && now != answered && strings.HasSuffix(now, " ")
		before = now
		if !waits {
			continue
		}
		next := "\x04"
		if len(answers) > 0 {
			next, answers = answers[0], answers[1:]
		}
		answered = now
		io.WriteString(keys, next)
	}
}
