package userfile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/table"
	"example.org/library/internal/testkit"
)

func rostersDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/rosters.md")
	testkit.NoError(t, err)
	return string(text)
}

func TestTheDocumentationNamesEveryHeading(t *testing.T) {
	t.Parallel()
	documented := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-zA-Z]+) \| (.*) \|$`).FindAllStringSubmatch(rostersDoc(t), -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
			if got := FieldOf(name[1]); got != row[1] {
				t.Errorf("%q is documented for %s, and read as %q", name[1], row[1], got)
			}
			documented[table.Plain(name[1])] = row[1]
		}
	}
	for _, all := range []map[string]string{headings, spares} {
		for heading, field := range all {
			if documented[heading] != field {
				t.Errorf("%q for %s is not documented", heading, field)
			}
		}
	}
}

func TestTheExamplesOfTheDocumentationAreRead(t *testing.T) {
	t.Parallel()
	examples := regexp.MustCompile("(?s)```csv\n(.*?)```").FindAllStringSubmatch(rostersDoc(t), -1)
	if len(examples) < 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		r, err := NewReader(strings.NewReader(example[1]), Options{Options: table.Options{Format: table.CSV}})
		testkit.NoError(t, err)
		row, err := r.Read()
		if err != nil || row.User.Email == "" || row.User.LastName == "" || len(r.Ignored()) > 0 {
			t.Errorf("%+v, %v, ignored %v", row, err, r.Ignored())
		}
	}
}
