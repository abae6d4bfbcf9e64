package notice

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/library"
)

func TestTheTableOfKindsInTheDocumentationIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/notices.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## What mails say\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := strings.Split(table, "\n| `")[1:]
	if len(rows) != len(library.NoticeKinds) {
		t.Fatalf("there are %d rows, of %d kinds", len(rows), len(library.NoticeKinds))
	}
	for i, kind := range library.NoticeKinds { // in the order of a mail
		item := an(kind, "Homo faber", previewDays[kind])
		want := fmt.Sprintf("%s` | %s | %s | ", kind, letter("en", item).Render().Subject, letter("de", item).Render().Subject)
		if !strings.HasPrefix(rows[i], want) {
			t.Errorf("the row of %s is %q, want %q", kind, rows[i], want)
		}
	}
}
