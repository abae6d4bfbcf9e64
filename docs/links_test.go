// Package docs_test checks the documents of the whole repository.
package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func TestEveryLinkBetweenTheDocumentsLeadsSomewhere(t *testing.T) {
	t.Parallel()
	documents := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && slices.Contains([]string{"node_modules", ".git", "build", "test-results"}, entry.Name()) {
			return filepath.SkipDir // what is in there is not ours, or comes and goes while the browser is tested
		}
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		documents++
		text, err := os.ReadFile(path)
		for _, found := range markdownLink.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(found[1], "://") && !strings.HasPrefix(found[1], "mailto:") && !leadsSomewhere(path, found[1]) {
				t.Errorf("%s: %s leads nowhere", path, found[1])
			}
		}
		return err
	})
	if err != nil || documents < 10 {
		t.Errorf("%d documents were read: %v", documents, err)
	}
}

func leadsSomewhere(from, link string) bool {
	file, anchor, _ := strings.Cut(link, "#")
	target := from
	if file != "" {
		target = filepath.Join(filepath.Dir(from), file)
	}
	if anchor == "" {
		_, err := os.Stat(target)
		return err == nil
	}
	text, err := os.ReadFile(target)
	if err != nil {
		return false
	}
	for _, h := range heading.FindAllStringSubmatch(string(text), -1) {
		plain := notInAnchors.ReplaceAllString(strings.ToLower(h[1]), "")
		if strings.ReplaceAll(plain, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// The README is what strangers read first: what it is, how to start it, where to read on.
func TestTheReadmeIsShort(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	testkit.NoError(t, err)
	if words := len(strings.Fields(string(text))); words > 1200 {
		t.Errorf("it has %d words, and at most 1,200 are allowed: move something to docs/", words)
	}
}

func TestTheIndexOfDecisionsNamesEachRecord(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile("docs/decisions/README.md")
	testkit.NoError(t, err)
	records, err := filepath.Glob("docs/decisions/0*.md")
	testkit.NoError(t, err)
	for _, record := range records {
		if !strings.Contains(string(index), "("+filepath.Base(record)+")") {
			t.Errorf("it has no row for %s", record)
		}
	}
}

// TestTheGlossaryNamesPlacesThatExist looks at the last column of its tables.
func TestTheGlossaryNamesPlacesThatExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/glossary.md")
	testkit.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| .* \\| `([^`]+)` \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 25 {
		t.Fatalf("%d rows name a place", len(rows))
	}
	for _, row := range rows {
		if _, err := os.Stat(row[1]); err != nil {
			t.Errorf("%s: %v", row[0], err)
		}
	}
}
