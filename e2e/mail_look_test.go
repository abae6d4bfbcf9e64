package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/notice"
)

// SCREENSHOTS names a folder to put pictures of the mails in.

func TestMailsFitAndLoadNothingInABrowser(t *testing.T) {
	t.Parallel()
	tools, folder := findTools(t), t.TempDir()
	for name, letter := range lettersToLookAt() {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name+".html"), []byte(letter.Render().HTML), 0o600))
		letter.Locale = "de"
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name+"-de.html"), []byte(letter.Render().HTML), 0o600))
	}
	cmd := exec.CommandContext(testkit.Context(t), tools.node, "--test", "--test-reporter=spec", "mails.test.js")
	cmd.Dir = tools.folder
	cmd.Env = append(os.Environ(), "CHROMIUM="+tools.chromium, "MAILS="+folder, "NO_COLOR=1")
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("node: %v\n%s", err, &out)
	}
}

func lettersToLookAt() map[string]notice.Letter {
	today := library.Date{Year: 2026, Month: 11, Day: 17}
	item := func(kind notice.Kind, title string, days int) notice.Item {
		return notice.Item{Kind: kind, Book: "0b5a1b2e-6d8c-4a55-9d6e-3a1f1f1a2b3c", Title: title, Day: today.AddDays(days)}
	}
	common := notice.Letter{
		Name: "Anna", Library: "Public Library of Ulm", PublicURL: "https://library.example.org", Today: today,
		Note: "Open Monday to Friday, 10 to 18.\nTelephone 0731 123456",
	}
	all, one, strange := common, common, common
	all.Items = []notice.Item{
		item(notice.Overdue, "Homo faber", -3), item(notice.Overdue, "The Left Hand of Darkness", -1), item(notice.HoldReady, "红楼梦", 6),
		item(notice.DueSoon, "ألف ليلة وليلة", 3), item(notice.HoldExpired, "Der Zauberberg", -1),
	}
	one.Items, one.PublicURL, one.Note, one.MeantFor = []notice.Item{item(notice.DueSoon, "Homo faber", 3)}, "", "", "anna@example.org"
	strange.Name, strange.Library = "<b>ليلى</b>", strings.Repeat("Bibliothek", 10)
	strange.Note, strange.MeantFor = strings.Repeat("https://example.org/", 50), strings.Repeat("a", 60)+"@"+strings.Repeat("b", 60)+".example"
	strange.Items = []notice.Item{
		item(notice.Overdue, strings.Repeat("a", 255), -400), item(notice.Overdue, "<script>alert(1)</script><img src=https://example.org/x>", -1),
		item(notice.HoldReady, strings.Repeat("红楼梦", 85), 3), item(notice.DueSoon, "Line\r\nbreaks \"and\" 'quotes' & more", 2),
		item(notice.DueSoon, strings.Repeat("👩‍👩‍👧‍👦", 30), 2), item(notice.HoldExpired, strings.Repeat("ألف ليلة وليلة ", 17), -2),
	}
	return map[string]notice.Letter{"all": all, "one": one, "strange": strange}
}
