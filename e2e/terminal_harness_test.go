package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"example.org/library/internal/testkit"
)

// shell is one in a pseudo-terminal, mostly bash: somebody sits there and types.
type shell struct {
	t    testing.TB
	keys *os.File
	home string

	mu     sync.Mutex
	screen bytes.Buffer // what has appeared since the last command line
	before bytes.Buffer // and before that
	ended  chan struct{}
}

const (
	prompt      = "\x02$ " // the first character distinguishes it from a dollar in a text
	screenWidth = 80
)

// sitDown opens a terminal in which `library` is the program under test.
func sitDown(t testing.TB, env ...string) *shell {
	t.Helper()
	s := &shell{t: t, home: t.TempDir()}
	testkit.NoError(t, os.Symlink(binary, filepath.Join(s.programs(), "library")))
	s.open([]string{"bash", "--norc", "--noprofile", "-i"}, env...)
	s.run("bind 'set enable-bracketed-paste off'; stty -echo")
	return s
}

// programs is a folder whose programs are found first.
func (s *shell) programs() string {
	s.t.Helper()
	folder := filepath.Join(s.home, "bin")
	testkit.NoError(s.t, os.MkdirAll(folder, 0o755))
	return folder
}

// open starts a shell in a terminal and waits for its prompt.
func (s *shell) open(command []string, env ...string) {
	s.t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = s.home
	cmd.Env = append([]string{
		"HOME=" + s.home, "PATH=" + s.programs() + ":" + os.Getenv("PATH"), "PS1=" + prompt, "PS2=", "TERM=xterm",
		"HISTFILE=", "LANG=C.UTF-8", "NO_COLOR=1", "GORACE=halt_on_error=1 atexit_sleep_ms=0", "LIBRARY_KEYRING=file",
	}, env...)
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: screenWidth})
	testkit.NoError(s.t, err)
	s.keys, s.ended = keys, make(chan struct{})
	go s.watch()
	s.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		keys.Close()
		<-s.ended
		if s.t.Failed() {
			s.t.Logf("the screen:\n%s", plain(s.before.String()+s.shown()))
		}
	})
	s.await(prompt)
}

// watch reads the screen until it is switched off.
func (s *shell) watch() {
	defer close(s.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := s.keys.Read(buffer)
		s.mu.Lock()
		s.screen.Write(buffer[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *shell) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// clear forgets what is on the screen.
func (s *shell) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.screen.WriteTo(&s.before)
}

// await waits until the screen shows a text.
func (s *shell) await(text string) {
	s.t.Helper()
	for deadline := time.Now().Add(testkit.Timeout(s.t)); !strings.Contains(s.shown(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("in vain waited for %q on the screen:\n%s", text, plain(s.shown()))
		}
	}
}

// enter types a line.
func (s *shell) enter(line string) {
	s.t.Helper()
	testkit.NoError(s.t, testkit.Err(s.keys.WriteString(line+"\n")))
}

// run types a command line and returns what appears until the next prompt.
func (s *shell) run(line string) string {
	s.t.Helper()
	s.clear()
	s.enter(line)
	s.await(prompt)
	text, _, _ := strings.Cut(s.shown(), prompt)
	return plain(text)
}

// sees runs a command that has to show these texts, and to succeed.
func (s *shell) sees(line string, want ...string) string {
	s.t.Helper()
	return s.seesCode(0, line, want...)
}

// seesCode is sees for a command that ends with an exit code.
func (s *shell) seesCode(code int, line string, want ...string) string {
	s.t.Helper()
	text := s.run(line)
	s.check(line, text, want...)
	if got := strings.TrimSpace(s.run("echo $?")); got != itoa(code) {
		s.t.Fatalf("%s ends with %s, want %d; it says:\n%s", line, got, code, text)
	}
	return text
}

func (s *shell) check(line, text string, want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			s.t.Errorf("%s does not show %q, but:\n%s", line, w, text)
		}
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

var escape = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

// plain is what is left on a screen: no colours, and of a line that was written
// over only the last state.
func plain(text string) string {
	text = escape.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "")
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if at := strings.LastIndexByte(strings.TrimRight(line, "\r"), '\r'); at >= 0 {
			line = line[at+1:]
		}
		lines = append(lines, strings.TrimRight(line, " \r"))
	}
	return strings.Join(lines, "\n")
}

// withBrowser is an environment in which the browser signs a sample user in.
func withBrowser(t testing.TB, username string) []string {
	t.Helper()
	tools := findTools(t)
	return []string{
		"BROWSER=" + tools.node + " " + filepath.Join(tools.folder, "sign-in.js"),
		"CHROMIUM=" + tools.chromium, "LOGIN=" + username, "PASSWORD=" + passwords[username],
	}
}
