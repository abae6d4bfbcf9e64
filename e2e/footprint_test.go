package e2e

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// memory reads a figure of the process, such as VmRSS or VmHWM, in bytes.
func (s *server) memory(t testing.TB, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	testkit.NoError(t, err)
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no %s in\n%s", name, status)
	}
	kib, _ := strconv.Atoi(string(found[1]))
	return kib << 10
}

func mib(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// addManyBooks adds books past the API, copies of one that was added through it.
func addManyBooks(t testing.TB, s *server, database string, n int) {
	t.Helper()
	description := strings.Repeat("All work and no play makes Jack a dull boy. ", 100)
	addCopies(t, s, database, n, map[string]any{"description": description})
}

// addCopies adds n copies of a book with these fields, past the API.
func addCopies(t testing.TB, s *server, database string, n int, fields map[string]any) {
	t.Helper()
	fields["title"] = "Original"
	s.as(t, curator).post("/books", fields).want(201)
	const columns = `isbn, isbn_key, description, authors, created_at, version, search_words, author_words`
	series := sqlText(database,
		`WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < $1)`,
		`WITH copies (n) AS (SELECT generate_series(1, $1::int))`)
	id := sqlText(database, `printf('00000000-0000-4000-8000-%012d', n)`, `'00000000-0000-4000-8000-' || lpad(n::text, 12, '0')`)
	title := sqlText(database, `printf('copy %06d', n)`, `'copy ' || lpad(n::text, 6, '0')`)
	_, err := openSQL(t, database, "rw").Exec(series+` INSERT INTO books (id, title, title_key, `+columns+`)
		SELECT `+id+`, `+title+`, `+title+`, `+columns+` FROM books CROSS JOIN copies WHERE title = 'Original'`, n)
	testkit.NoError(t, err)
}
