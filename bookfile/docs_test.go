package bookfile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/table"
	"example.org/library/internal/testkit"
)

func formatsDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/formats.md")
	testkit.NoError(t, err)
	return string(text)
}

func TestTheDocumentationNamesEveryHeading(t *testing.T) {
	t.Parallel()
	documented := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z]+) \| (.*) \|$`).FindAllStringSubmatch(formatsDoc(t), -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			if got := FieldOf(name[1]); got != row[1] {
				t.Errorf("%q is documented for %s, and read as %q", name[1], row[1], got)
			}
			documented[table.Plain(name[1])] = row[1]
		}
	}
	for heading, field := range headings {
		if documented[heading] != field {
			t.Errorf("%q for %s is not documented", heading, field)
		}
	}
}

func TestTheExamplesOfTheDocumentationAreRead(t *testing.T) {
	t.Parallel()
	examples := regexp.MustCompile("(?s)```(csv|json)\n(.*?)```").FindAllStringSubmatch(formatsDoc(t), -1)
	if len(examples) < 3 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples[:3] {
		format := map[string]Format{"csv": CSV, "json": JSON}[example[1]]
		r, err := NewReader(strings.NewReader(example[2]), Options{Format: format})
		testkit.NoError(t, err)
		read := 0
		for err == nil {
			var row Row
			if row, err = r.Read(); err == nil && row.Book.Title != "" {
				read++
			}
		}
		if err.Error() != "EOF" || read == 0 || len(r.Ignored()) > 0 {
			t.Errorf("%d books of this, then %v, ignored %v:\n%s", read, err, r.Ignored(), example[2])
		}
	}
}
