package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// maildevMail is a mail as maildev has read it.
type maildevMail struct {
	Subject string              `json:"subject"`
	Text    string              `json:"text"`
	HTML    string              `json:"html"`
	To      []map[string]string `json:"to"`
	From    []map[string]string `json:"from"`
	Headers map[string]any      `json:"headers"`
}

// startMaildev starts the mail server maildev, which demands a password, and returns the ports of SMTP and HTTP.
func startMaildev(t *testing.T) (smtp, web int) {
	t.Helper()
	tools := findTools(t)
	for _, port := range []*int{&smtp, &web} {
		var err error
		*port, err = testkit.FreePort()
		testkit.NoError(t, err)
	}
	cmd := exec.CommandContext(testkit.Context(t), tools.node, filepath.Join(tools.folder, "node_modules", ".bin", "maildev"), "--ip", "127.0.0.1",
		"--smtp", fmt.Sprint(smtp), "--web", fmt.Sprint(web), "--incoming-user", "library", "--incoming-pass", "geheim", "--mail-directory", t.TempDir())
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	testkit.Eventually(t, "maildev", func() bool { _, err := maildevMails(web); return err == nil })
	return smtp, web
}

func maildevMails(web int) (mails []maildevMail, err error) {
	resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/email", web))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return mails, json.NewDecoder(resp.Body).Decode(&mails)
}

func TestMailsAreReadByAMailServerOfOthers(t *testing.T) {
	t.Parallel()
	smtp, web := startMaildev(t)
	idp := testidp.New(t)
	args := func(database string) []string {
		return []string{"--issuer", idp.Issuer(), "--database", database, "--sample-data", "--name", "Bücherei am Fluss", "--smtp", fmt.Sprintf("smtp://library@127.0.0.1:%d", smtp),
			"--mail-from", "library@example.org", "--public-url", "https://library.example.org"}
	}
	s := start(t, []string{"LIBRARY_SMTP_PASSWORD=geheim"}, args(emptySQLite(t))...)
	s.awaitReady(t)
	admin := idp.Token(t, "clark.kent@example.com", "library_admin email profile")
	s.with(t, admin).post("/notices/test", nil).want(204)
	mails, err := maildevMails(web)
	testkit.NoError(t, err)
	if len(mails) != 1 {
		t.Fatalf("got %d mails", len(mails))
	}
	got := mails[0]
	testkit.Equal(t, got.Subject, "Test e-mail from Bücherei am Fluss")
	testkit.Equal(t, got.To[0]["address"], "clark.kent@example.com")
	testkit.Equal(t, got.From[0]["name"], "Bücherei am Fluss")
	testkit.Equal(t, fmt.Sprint(got.Headers["auto-submitted"]), "auto-generated")
	for _, text := range []string{got.Text, got.HTML} {
		if !strings.Contains(text, "mails from Bücherei am Fluss reach you") {
			t.Errorf("got %q", text)
		}
	}
	wrong := start(t, []string{"LIBRARY_SMTP_PASSWORD=falsch"}, args(emptySQLite(t))...)
	wrong.awaitReady(t)
	wrong.with(t, admin).post("/notices/test", nil).want(502)
}
