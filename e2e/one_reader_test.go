package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// dialects are files of which a careless reader makes other books.
var dialects = map[string]string{
	"escaped.csv":  "title,authors\nCatalogue,Smith\\; Sons; Jones\n",
	"columns.csv":  "Titel;author2;author;EAN;id\nEffi Briest;Zweite;Theodor Fontane;978-3-15-006961-4;17\n",
	"bars.txt":     "title|authors|isbn\nSmith & Sons|Austen, Jane|[0141439580]\n",
	"mac.csv":      "title,description\rKim,\"one\rtwo\"\r",
	"windows.csv":  "title;author\r\nM\xe4rchen;Br\xfcder Grimm\r\n",
	"unicode.txt":  "T\x00i\x00t\x00e\x00l\x00\n\x00\xc4\x00\n\x00",
	"formulas.csv": "title,isbn\nCirce,=\"9780316556347\"\nNone,n/a\n",
	"broken.csv":   "title,isbn\na\nb,9.78E+12\n5\" c,\n,\nd,1\n",
}

// importResult is what became of one book of an import.
type importResult struct{ Outcome, Identifier, Code string }

// The terminal and the service, which reads a file that is sent as it is, must find the
// same books in it: what one has imported, the other finds unchanged.
func TestAFileIsReadInOneWay(t *testing.T) {
	t.Parallel()
	s := startOn(t, "sqlite:"+filepath.Join(t.TempDir(), "library.db"))
	s.awaitReady(t)
	c := s.as(t, curator)
	files, err := filepath.Glob("../bookfile/testdata/*.*sv")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	texts := dialects
	for _, path := range files {
		text, err := os.ReadFile(path)
		testkit.NoError(t, err)
		texts[filepath.Base(path)] = string(text)
	}
	for name, text := range texts {
		byTerminal := func() (counts map[string]any) {
			path := filepath.Join(t.TempDir(), name)
			testkit.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			out := runProgram(t, []string{"LIBRARY_TOKEN=" + c.token, "LIBRARY_SERVER=" + s.base}, "books", "import", "--update", "--json", path)
			if err := json.Unmarshal([]byte(out.stdout), &counts); err != nil {
				t.Fatalf("%s: %v\n%s%s", name, err, out.stdout, out.stderr)
			}
			return counts
		}
		byFile := func() map[string]int {
			r := c.post("/imports/books?update=true", text, "Content-Type", "text/csv").want(200)
			counts := map[string]int{}
			for _, result := range into[struct{ Results []importResult }](r).Results {
				counts[result.Outcome]++
			}
			return counts
		}
		first := byTerminal()
		second := byFile()
		if bad := second["added"] + second["updated"] + second["differs"]; bad > 0 || float64(second["invalid"]) != first["failed"] {
			t.Errorf("%s: the terminal has %v, and then the file %v", name, first, second)
		}
		// The other way round, for what the terminal alone may have read.
		for _, b := range into[[]book](c.get("/books")) {
			if b.Borrowed != nil && !strings.Contains(b.Title, "Clean Code") {
				c.delete("/books/" + b.Identifier)
			}
		}
		second = byFile()
		first = byTerminal()
		if first["added"] != 0.0 || first["updated"] != 0.0 || first["different"] != 0.0 || second["added"] == 0 {
			t.Errorf("%s: the file has %v, and then the terminal %v", name, second, first)
		}
	}
}
