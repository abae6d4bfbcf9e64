package mailbox

import (
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
	"example.org/library/mail"
)

func get(t *testing.T, folder, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	New(folder).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// filled is a maildir with a mail in it.
func filled(t *testing.T, m mail.Mail) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "mails")
	carrier, err := mail.Parse("maildir:" + folder)
	testkit.NoError(t, err)
	testkit.NoError(t, carrier.Open().Send(t.Context(), m))
	return folder
}

func aMail() mail.Mail {
	return mail.Mail{ID: "1@example.org", Date: time.Date(2026, 11, 17, 8, 0, 0, 0, time.UTC), From: netmail.Address{Name: "Ulm", Address: "library@example.org"},
		To: netmail.Address{Name: "Zoë", Address: "zoe@example.org"}, Subject: "Fällig am Freitag: Homo faber", Text: "Guten Tag,\n\nöffnen\n", HTML: "<html><head></head><body><p>Guten Tag,</p></body></html>"}
}

func TestAMailboxWithoutAFolderIsEmpty(t *testing.T) {
	t.Parallel()
	w := get(t, filepath.Join(t.TempDir(), "none"), Path)
	if w.Code != 200 || !strings.Contains(w.Body.String(), "There are none yet") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAMailIsListedAndShownInBothForms(t *testing.T) {
	t.Parallel()
	folder := filled(t, aMail())
	list := get(t, folder, Path).Body.String()
	for _, want := range []string{"Fällig am Freitag: Homo faber", "Zoë &lt;zoe@example.org&gt;", "17 November 2026, 08:00 UTC"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in %s", want, list)
		}
	}
	name := regexp.MustCompile(`<a href="([^"]+)">`).FindStringSubmatch(list)[1]
	shown := get(t, folder, Path+name).Body.String()
	if !strings.Contains(shown, "Guten Tag,\n\nöffnen") || !strings.Contains(shown, `<iframe title="The mail as HTML" src="`+name+`/html">`) {
		t.Errorf("got %s", shown)
	}
	html := get(t, folder, Path+name+"/html")
	testkit.Equal(t, html.Body.String(), `<html><head><base target="_blank"></head><body><p>Guten Tag,</p></body></html>`)
	// Somebody has read it in a mail program.
	testkit.NoError(t, os.Rename(filepath.Join(folder, "new", name), filepath.Join(folder, "cur", name+":2,S")))
	if w := get(t, folder, Path+name+":2,S"); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAMailCanDoNothingInTheBrowser(t *testing.T) {
	t.Parallel()
	m := aMail()
	m.Subject, m.Text, m.To.Name = "<script>alert(1)</script>", "</pre><script>alert(2)</script>", `<img src=x onerror="alert(3)">`
	folder := filled(t, m)
	list := get(t, folder, Path)
	name := regexp.MustCompile(`<a href="([^"]+)">`).FindStringSubmatch(list.Body.String())[1]
	shown := get(t, folder, Path+name)
	if both := list.Body.String() + shown.Body.String(); strings.Contains(both, "<script") || strings.Contains(both, "<img") {
		t.Errorf("got %s", both)
	}
	for path, want := range map[string]string{Path: "default-src 'none'", Path + name: "default-src 'none'", Path + name + "/html": "sandbox"} {
		if csp := get(t, folder, path).Header().Get("Content-Security-Policy"); !strings.Contains(csp, want) || strings.Contains(csp, "script") {
			t.Errorf("%s has the policy %s", path, csp)
		}
	}
}

func TestOnlyMailsOfTheFolderAreShown(t *testing.T) {
	t.Parallel()
	folder := filled(t, aMail())
	testkit.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(folder), "secret"), []byte("secret"), 0o600))
	for _, path := range []string{"none", "..%2f..%2fsecret", "%2e%2e%2fsecret", "none/html", ""} {
		if w := get(t, folder, Path+path); path != "" && w.Code != 404 || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, "new", "broken"), []byte("no mail"), 0o600))
	if w := get(t, folder, Path); w.Code != 200 || !strings.Contains(w.Body.String(), "Homo faber") || strings.Contains(w.Body.String(), "broken") {
		t.Errorf("with a file that is no mail: %d %s", w.Code, w.Body)
	}
}
