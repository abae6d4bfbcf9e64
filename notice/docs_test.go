package notice

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
)

func TestTheTableOfKindsInTheDocumentationIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/notices.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## The kinds of notices\n")
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

// A kind is a line in the table of package library. Here is what else must know it: CONTRIBUTING.md tells it in this order.
func TestEveryPlaceKnowsEveryKind(t *testing.T) {
	t.Parallel()
	for path, times := range map[string]int{
		"../docs/notices.md":                1,
		"../api/openapi.yaml":               2, // what is listed, and what it is listed by
		"../web/src/lib/api/schema.d.ts":    1, // made of it
		"../web/src/lib/notices/notices.ts": 1, // in the order of a mail
		"../web/src/messages/en.mail.ts":    1,
		"../web/src/messages/de.mail.ts":    1,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range library.NoticeKinds {
			if n := len(regexp.MustCompile(`\b`+string(kind)+`\b`).FindAll(text, -1)); n < times {
				t.Errorf("%s has %s %d times, want %d", path, kind, n, times)
			}
		}
	}
}

// TestANewKindIsRenderedWithItsWordsAlone is not parallel: it adds words.
func TestANewKindIsRenderedWithItsWordsAlone(t *testing.T) {
	const kind = Kind("due_today")
	kinds := library.NoticeKinds
	library.NoticeKinds = append(slices.Clip(kinds), kind)
	english.kinds[kind] = kindWords{subject: "Due today", one: "Due today", many: "Due today", line: "Please bring it back on #", noDay: "Please bring it back"}
	german.kinds[kind] = kindWords{subject: "Heute fällig", one: "Heute fällig", many: "Heute fällig", line: "Bitte am # zurückbringen", noDay: "Bitte zurückbringen"}
	defer func() {
		library.NoticeKinds = kinds
		delete(english.kinds, kind)
		delete(german.kinds, kind)
	}()
	for locale, want := range map[string]string{"en": "Due today: Homo faber", "de": "Heute fällig: Homo faber"} {
		c := letter(locale, an(kind, "Homo faber", 0)).Render()
		if c.Subject != want || !strings.Contains(c.Text, "Homo faber") || !strings.Contains(c.HTML, "Homo faber") {
			t.Errorf("%s: %+v", locale, c)
		}
	}
	if c := letter("en", an(kind, "Homo faber", 0), an(Overdue, "Der Zauberberg", -3)).Render(); c.Subject != "Overdue: Der Zauberberg and 1 more" {
		t.Errorf("beside another kind: %s", c.Subject)
	}
}

func TestTheDocumentationHasEveryMetricOfMails(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	m := newMetrics(registry)
	m.notices.WithLabelValues(string(Overdue), string(library.NoticeWaiting)).Set(1)
	m.oldest.WithLabelValues().Set(0)
	families, err := registry.Gather()
	if err != nil || len(families) != 3 {
		t.Fatalf("%d metrics, %v", len(families), err)
	}
	for _, name := range []string{"../docs/notices.md", "../docs/operations.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if !strings.Contains(string(page), "`"+f.GetName()+"`") {
				t.Errorf("%s does not name %s", name, f.GetName())
			}
		}
	}
}
