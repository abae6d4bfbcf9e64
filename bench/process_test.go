package bench

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

var (
	rounds = flag.Int("rounds", 1, "how often each comparison is repeated")
	period = flag.Duration("period", 200*time.Millisecond, "how long each measurement takes")
	large  = flag.Bool("large", false, "measure with up to 1,000,000 books")
)

var (
	binary          string // the program under test
	referenceBinary string // the hand-written service in bench/reference
)

// bareAnswer, when set, turns this test binary into the reference: a bare
// net/http server that gives the answer in the named file to every request.
const bareAnswer = "LIBRARY_BENCH_BARE_ANSWER"

// answer is what the reference writes.
type answer struct {
	Header http.Header
	Body   []byte
	Limits bool // with the time-outs of a server on the open network
}

func TestMain(m *testing.M) {
	if file := os.Getenv(bareAnswer); file != "" {
		serveBare(file)
		return
	}
	flag.Parse()
	dir, err := os.MkdirTemp("", "library-bench-")
	if err != nil {
		panic(err)
	}
	binary, referenceBinary = filepath.Join(dir, "library"), filepath.Join(dir, "reference")
	build := exec.Command("go", "build", "-o", dir, "../cmd/library", "./reference")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	code := 1
	if build.Run() == nil {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func serveBare(file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "listening addr="+listener.Addr().String())
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, values := range a.Header {
			h[name] = values
		}
		w.Write(a.Body)
	})}
	if a.Limits {
		server.ReadHeaderTimeout, server.WriteTimeout, server.IdleTimeout = 10*time.Second, time.Minute, 2*time.Minute
	}
	server.Serve(listener)
}

// start runs a command until the test ends and returns the address that it
// says it listens on.
func start(t *testing.T, cmd *exec.Cmd) (addr string) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	testkit.NoError(t, err)
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	lines := bufio.NewScanner(stderr)
	said := ""
	for lines.Scan() {
		said += lines.Text() + "\n"
		if m := regexp.MustCompile(`listening .*?addr=(\S+)`).FindStringSubmatch(lines.Text() + " "); m != nil {
			go io.Copy(io.Discard, stderr) // request events: read as a log collector would
			return m[1]
		}
	}
	t.Fatalf("%s did not start:\n%s", cmd, said)
	return ""
}

// startBare runs the reference.
func startBare(t *testing.T, a answer) (addr string) {
	t.Helper()
	data, err := json.Marshal(a)
	testkit.NoError(t, err)
	file := filepath.Join(t.TempDir(), "answer")
	testkit.NoError(t, os.WriteFile(file, data, 0o600))
	self, err := os.Executable()
	testkit.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), bareAnswer+"="+file)
	return start(t, cmd)
}

// startLibrary runs the program on a database, and a provider for it.
func startLibrary(t *testing.T, database string) (cmd *exec.Cmd, addr string, idp *testidp.Provider) {
	t.Helper()
	idp = testidp.New(t)
	cmd = program(database, idp)
	return cmd, start(t, cmd), idp
}

// startProgram runs the program with a provider that others use, too.
func startProgram(t *testing.T, database string, idp *testidp.Provider) (pid int, addr string) {
	t.Helper()
	cmd := program(database, idp)
	addr = start(t, cmd)
	return cmd.Process.Pid, addr
}

func program(database string, idp *testidp.Provider) *exec.Cmd {
	return exec.Command(binary, "serve", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0",
		"--issuer", idp.Issuer(), "--database", database, "--sample-data")
}
