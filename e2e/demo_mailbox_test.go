package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"example.org/library/internal/testkit"
)

// The sample loans bring mails, which nobody gets: they are in the folder, and a page shows them. After a restart
// nobody hears the same again, and nothing is paused although every address has changed.
func TestDemoKeepsItsMailsAndShowsThem(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for round := range 2 {
		d := startDemo(t, "--data", data)
		page := d.printed(t, "mailbox")
		var list string
		testkit.Eventually(t, "the mails of two readers", func() bool {
			_, list = d.read(t, page)
			return strings.Contains(list, "Ready for you: Moby-Dick") && strings.Contains(list, "Overdue: Dracula and 1 more")
		})
		names := regexp.MustCompile(`<a href="([^"]+)">`).FindAllStringSubmatch(list, -1)
		files, err := os.ReadDir(filepath.Join(data, "mails", "new"))
		testkit.NoError(t, err)
		if len(names) != 2 || len(files) != 2 {
			t.Fatalf("%d mails are shown, %d kept", len(names), len(files))
		}
		for _, name := range names {
			status, mail := d.read(t, page+name[1])
			_, html := d.read(t, page+name[1]+"/html")
			if status != http.StatusOK || !strings.Contains(mail, "Hello Bruce,") || !regexp.MustCompile(`href="http://localhost:\d+/books/`).MatchString(html) {
				t.Errorf("%d %s\n%s", status, mail, html)
			}
		}
		admin := d.by(t, "ckent")
		testkit.Eventually(t, "the mails are on record as sent", func() bool { // they are in the folder before that
			return len(into[[]lent](admin.get("/notices?state=sent").want(200))) == 3
		})
		testkit.Equal(t, len(into[[]lent](admin.get("/notices").want(200))), 3)
		if me := string(admin.get("/me").want(200).Body); !strings.Contains(me, `"mail":true`) {
			t.Errorf("got %s", me)
		}
		if round == 1 {
			admin.post("/notices/test", nil).want(204)
			if _, list = d.read(t, page); !strings.Contains(list, "clark.kent@example.com") {
				t.Errorf("no test mail in %s", list)
			}
		}
		testkit.Equal(t, d.stop(t, syscall.SIGINT), 0)
	}
}
