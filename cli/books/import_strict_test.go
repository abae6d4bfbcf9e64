package books

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

func TestAStrictImportFailsIfBooksDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		outcomes []string
		flags    []string
		code     int
		says     string
	}{
		{"different", []string{client.Differs, client.Added}, nil, command.ExitOK, ""},
		{"different, strictly", []string{client.Differs, client.Added}, []string{"--strict"}, command.ExitConflict,
			"1 row differs from the library. Import the file with --update to change that."},
		{"several, strictly", []string{client.Differs, client.Differs}, []string{"--strict", "--json"}, command.ExitConflict, "2 rows differ"},
		{"in a dry run, strictly", []string{client.Differs, client.Added}, []string{"--strict", "--dry-run"}, command.ExitConflict, "1 row differs"},
		{"the same, strictly", []string{client.Unchanged, client.Updated}, []string{"--strict", "--update"}, command.ExitOK, ""},
		{"failed as well", []string{client.Differs, client.Invalid}, []string{"--strict"}, command.ExitFailed, "1 row failed."},
	} {
		s := startImportService(t, func(_ int, w http.ResponseWriter) bool {
			var results []api.ImportResult
			for _, outcome := range c.outcomes {
				results = append(results, api.ImportResult{Outcome: outcome})
			}
			return json.NewEncoder(w).Encode(results) == nil
		})
		if code, _, stderr := s.runImport(t.Context(), t, "books.csv", csvOf(2, "a"), c.flags...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d, want %d with %q:\n%s", c.rule, code, c.code, c.says, stderr)
		}
	}
}
