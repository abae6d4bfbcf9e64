package books

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/bulk"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// importService answers imports: every book is added, unless answer has
// another answer to the request with that number, counted from 1.
type importService struct {
	*httptest.Server
	answer func(request int, w http.ResponseWriter) bool

	mu      sync.Mutex
	batches []int // how many books each request had
	most    int   // bytes
}

func startImportService(t *testing.T, answer func(request int, w http.ResponseWriter) bool) *importService {
	t.Helper()
	s := &importService{answer: answer}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *importService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var books []client.BookFields
	w.Header().Set("Content-Type", "application/json")
	if err := json.Unmarshal(text, &books); err != nil || r.URL.Path != "/imports/books" {
		w.WriteHeader(http.StatusNotFound) // such as /me
		return
	}
	s.mu.Lock()
	s.batches, s.most = append(s.batches, len(books)), max(s.most, len(text))
	request := len(s.batches)
	s.mu.Unlock()
	if s.answer != nil && s.answer(request, w) {
		return
	}
	results := make([]api.ImportResult, len(books))
	for i := range results {
		results[i].Outcome = client.Added
	}
	_ = json.NewEncoder(w).Encode(results)
}

// sizes returns how many books each request had.
func (s *importService) sizes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.batches)
}

// longest returns how many bytes the longest request had.
func (s *importService) longest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// runImport imports a text at the service.
func (s *importService) runImport(ctx context.Context, t *testing.T, name, text string, flags ...string) (code int, stdout, stderr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	var out, said testkit.Buffer
	code = program(ctx, append([]string{"books", "import", path}, flags...), command.Environment{
		Lookup: func(name string) (string, bool) {
			return map[string]string{"LIBRARY_TOKEN": "s3cr3t", "LIBRARY_SERVER": s.URL}[name], true
		},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &said,
	})
	if strings.Contains(said.String(), "s3cr3t") {
		t.Error("the token is told")
	}
	return code, out.String(), strings.ReplaceAll(said.String(), path, name)
}

func csvOf(rows int, row string) string { return "title\n" + strings.Repeat(row+"\n", rows) }

// breakOff closes the connection without an answer.
func breakOff(w http.ResponseWriter) bool {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
	return true
}

func TestAnImportGoesInBatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text, batches string
		rows                int
	}{
		{"of 500 rows", csvOf(1203, "a"), "[500 500 203]", 1203},
		{"in which bad rows count", "title\na\n" + strings.Repeat("x,y\n", 700) + "b\nc\n", "[1 2]", 3},
		{"of less than the service takes", csvOf(30, strings.Repeat("ü", 50_000)), "[9 9 9 3]", 30},
		{"none for a file without rows", "title\n", "[]", 0},
	} {
		s := startImportService(t, nil)
		_, stdout, _ := s.runImport(t.Context(), t, "books.csv", c.text)
		testkit.Equal(t, fmt.Sprint(s.sizes()), c.batches, c.rule)
		if s.longest() > bulk.MaxBatchSize+2 {
			t.Errorf("%s: a request of %d bytes", c.rule, s.longest())
		}
		if !strings.HasPrefix(stdout, "Added "+command.Thousands(c.rows)+", ") {
			t.Errorf("%s: %s", c.rule, stdout)
		}
	}
}

func TestAFileWithoutBooksIsNotPassedOverInSilence(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"books.csv": "title\r\n", "books.jsonl": "\n", "array.json": "[]"} {
		code, _, stderr := startImportService(t, nil).runImport(t.Context(), t, name, text)
		if want := name + ": there are no books in the file.\n"; code != command.ExitOK || stderr != want {
			t.Errorf("%s: exit code %d, said %q", name, code, stderr)
		}
	}
}

func TestABookThatCannotBeSentIsABadRow(t *testing.T) {
	t.Parallel()
	s := startImportService(t, nil)
	text := `{"title":"a","description":"` + strings.Repeat("<", 200_000) + "\"}\n" + `{"title":"b"}`
	code, stdout, stderr := s.runImport(t.Context(), t, "books.jsonl", text)
	if code != command.ExitFailed || stdout != "Added 1, updated 0, unchanged 0, different 0, failed 1.\n" ||
		!strings.Contains(stderr, "books.jsonl:1: is too large to be sent (1171 KiB; at most 900 KiB)\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestALostAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for rule, answer := range map[string]func(http.ResponseWriter) bool{
		"connection broken": breakOff,
		"proxy without its service": func(w http.ResponseWriter) bool {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusBadGateway)
			return true
		},
		"service that stops": func(w http.ResponseWriter) bool {
			return clitest.Refuse(w, http.StatusServiceUnavailable, "stopping", "The service stops.")
		},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			last, batches := 2, "[500 1 1]"
			if rule == "connection broken" { // net/http itself tries once more if the connection was an old one
				last, batches = 3, "[500 1 1 1]"
			}
			s := startImportService(t, func(request int, w http.ResponseWriter) bool { return request >= 2 && request <= last && answer(w) })
			code, stdout, stderr := s.runImport(t.Context(), t, "books.csv", csvOf(501, "a"))
			if code != command.ExitOK || !strings.HasPrefix(stdout, "Added 501,") || fmt.Sprint(s.sizes()) != batches || !strings.Contains(stderr, "Trying again in 500ms.") {
				t.Errorf("exit code %d, batches %v\n%s%s", code, s.sizes(), stdout, stderr)
			}
		})
	}
}

func TestAnImportThatIsRefusedSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status, code int
		says         string
	}{
		{http.StatusUnauthorized, command.ExitNotSignedIn, "does not accept your token"},
		{http.StatusForbidden, command.ExitFailed, "library: Because."},
		{http.StatusRequestEntityTooLarge, command.ExitFailed, "library: Because."},
		{http.StatusInternalServerError, command.ExitFailed, "library: Because."},
	} {
		s := startImportService(t, func(request int, w http.ResponseWriter) bool {
			return request == 2 && clitest.Refuse(w, c.status, "because", "Because.")
		})
		code, stdout, stderr := s.runImport(t.Context(), t, "books.csv", csvOf(600, "a"))
		if code != c.code || stdout != "Added 500, updated 0, unchanged 0, different 0, failed 0.\n" || len(s.sizes()) != 2 {
			t.Errorf("%d: exit code %d after %d requests: %s", c.status, code, len(s.sizes()), stdout)
		}
		for _, words := range []string{c.says, "Stopped at line 502 of books.csv; the lines before it are done. Run the same command again when that is fixed; nothing is added twice."} {
			if !strings.Contains(stderr, words) {
				t.Errorf("%d: %q is not said in:\n%s", c.status, words, stderr)
			}
		}
	}
}

func TestAnInterruptedImportSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped := make(chan struct{})
	s := startImportService(t, func(request int, w http.ResponseWriter) bool {
		if request == 3 {
			cancel()
			<-stopped // no answer before the import has stopped
		}
		return false
	})
	code, stdout, stderr := s.runImport(ctx, t, "books.csv", csvOf(5000, "a"), "--json")
	close(stopped)
	if want := "Stopped at line 1002 of books.csv; the lines before it are done. Run the same command again to go on; nothing is added twice.\nlibrary: interrupted\n"; code != command.ExitInterrupted || stderr != want {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if want := "{\"rows\":[\n],\"added\":1000,\"updated\":0,\"unchanged\":0,\"different\":0,\"failed\":0,\"dryRun\":false,\"complete\":false}\n"; stdout != want {
		t.Errorf("as JSON:\n%s", stdout)
	}
}

func TestAnImportFromAStreamCanBeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	in, typing := io.Pipe()
	defer typing.Close()
	go func() {
		_, _ = io.WriteString(typing, "title\na\n")
		cancel()
	}()
	var out, said testkit.Buffer
	code := program(ctx, []string{"books", "import", "-"}, command.Environment{
		Lookup: func(name string) (string, bool) {
			return map[string]string{"LIBRARY_TOKEN": "x", "LIBRARY_SERVER": "http://127.0.0.1:1"}[name], true
		},
		Stdin: in, Stdout: &out, Stderr: &said,
	})
	if code != command.ExitInterrupted || !strings.Contains(said.String(), "interrupted") {
		t.Errorf("exit code %d: %s", code, said.String())
	}
}

func TestWhatTheServiceSaysOfARowIsHarmless(t *testing.T) {
	t.Parallel()
	s := startImportService(t, func(_ int, w http.ResponseWriter) bool {
		return json.NewEncoder(w).Encode([]api.ImportResult{{Outcome: client.Invalid, Message: "\x1b[2J\nbad"}}) == nil
	})
	if _, _, stderr := s.runImport(t.Context(), t, "books.csv", csvOf(1, "a")); !strings.Contains(stderr, "books.csv:2: \ufffd[2J bad\n") {
		t.Errorf("said: %q", stderr)
	}
}
