//go:build unix

package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func TestAnExportThatIsCutOffLeavesNoFile(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		media := map[string]string{"csv": "text/csv; charset=utf-8", "json": "application/json", "marc": "application/marc"}
		w.Header().Set("Content-Type", media[r.FormValue("format")])
		w.Header().Set("X-Total-Count", "2")
		io.WriteString(w, "[\n{\"title\":\"Emma\"}\n]\n") // which looks whole
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	for _, args := range [][]string{{"books", "export", "a.csv"}, {"books", "export", "a.jsonl"}, {"books", "export", "a.mrc"}, {"users", "export", "a.csv"}} {
		dir := t.TempDir()
		args[2] = filepath.Join(dir, args[2])
		code, shown := onTerminal(t, server.URL, args...)
		left, err := os.ReadDir(dir)
		testkit.NoError(t, err)
		if code == command.ExitOK || len(left) > 0 || !strings.Contains(strings.Join(strings.Fields(shown), " "), "before it was whole") {
			t.Errorf("%v: exit code %d, %v is left: %s", args, code, left, shown)
		}
	}
}
