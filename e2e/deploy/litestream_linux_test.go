//go:build litestream

package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// TestLitestreamBringsALibraryBack runs Litestream beside a service as docs/litestream.md says,
// kills both, and looks for what was confirmed in the file that Litestream restores.
func TestLitestreamBringsALibraryBack(t *testing.T) {
	dir := t.TempDir()
	litestream := filepath.Join(dir, "litestream")
	build := exec.Command("go", "build", "-o", litestream, "github.com/benbjohnson/litestream/cmd/litestream")
	build.Dir = "../litestream"
	build.Env = append(os.Environ(), "CGO_ENABLED=1") // for a part of its SQLite
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("Litestream cannot be built: %v\n%s", err, out)
	}
	config := write(t, dir, "litestream.yml", litestreamExample(t, dir))
	idp, database := testidp.New(t), filepath.Join(dir, "library.db")

	service, at := serveFile(t, idp, database)
	replica := testkit.Start(t, exec.Command(litestream, "replicate", "-config", config))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("Litestream:\n%s", replica.LogEnd())
		}
	})
	l := &lender{t: t, root: "http://" + at + basePath, idp: idp}
	for i := range 6 {
		l.post("/books", fmt.Sprintf(`{"title":"Replica %d"}`, i), "pparker", http.StatusCreated)
	}
	l.post("/books/"+cleanCode+"/borrow", "", "bwayne", http.StatusOK)

	tried := 0
	restore := func() string {
		tried++
		restored := filepath.Join(dir, fmt.Sprintf("restored-%d.db", tried))
		if out, err := exec.Command(litestream, "restore", "-config", config, "-o", restored, database).CombinedOutput(); err != nil {
			t.Logf("restoring: %v: %s", err, bytes.TrimSpace(out))
			return ""
		}
		return restored
	}
	complete := func(restored string) bool {
		again, at := serveFile(t, idp, restored)
		defer again.Kill()
		l := &lender{t: t, root: "http://" + at + basePath, idp: idp}
		return l.titles("/books?q=replica") == "Replica 0, Replica 1, Replica 2, Replica 3, Replica 4, Replica 5" && l.titles("/me/books") != ""
	}
	testkit.Eventually(t, "the replica has everything", func() bool {
		restored := restore()
		return restored != "" && complete(restored)
	})

	service.Kill()
	replica.Kill()
	restored := restore()
	if restored == "" || !complete(restored) {
		t.Fatal("something is missing after both were killed")
	}
	backup := exec.Command(binary, "backup", "--database", "sqlite:"+restored, filepath.Join(dir, "library.db.gz"))
	if out, err := backup.CombinedOutput(); err != nil {
		t.Errorf("the restored file is not intact: %v\n%s", err, out)
	}
}

// litestreamExample is the configuration in docs/litestream.md, for a library in dir.
func litestreamExample(t *testing.T, dir string) string {
	t.Helper()
	page := example(t, "../docs/litestream.md", "/var/lib/library/library.db", filepath.Join(dir, "library.db"), "/mnt/replica/library", filepath.Join(dir, "replica"))
	found := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(page)
	if found == nil {
		t.Fatal("there is no configuration in docs/litestream.md")
	}
	return found[1]
}

func serveFile(t *testing.T, idp *testidp.Provider, database string) (p *testkit.Process, at string) {
	t.Helper()
	cmd := exec.Command(binary, "serve", "--issuer", idp.Issuer(), "--database", "sqlite:"+database, "--sample-data",
		"--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir}
	p = testkit.Start(t, cmd)
	at = p.AwaitLog(t, listening)
	p.AwaitOpen(t)
	return p, at
}

// lender asks a service as one of the sample users.
type lender struct {
	t    *testing.T
	root string
	idp  *testidp.Provider
}

var sampleLogins = map[string][2]string{
	"pparker": {"peter.parker@example.com", "library_curator"},
	"bwayne":  {"bruce.wayne@example.com", "library_user"},
}

func (l *lender) ask(method, path, body, login string) *http.Response {
	l.t.Helper()
	req, err := http.NewRequest(method, l.root+path, strings.NewReader(body))
	testkit.NoError(l.t, err)
	req.Header.Set("Authorization", "Bearer "+l.idp.Token(l.t, sampleLogins[login][0], sampleLogins[login][1]))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	testkit.NoError(l.t, err)
	return resp
}

func (l *lender) post(path, body, login string, want int) {
	l.t.Helper()
	resp := l.ask("POST", path, body, login)
	defer resp.Body.Close()
	if resp.StatusCode != want {
		var said bytes.Buffer
		said.ReadFrom(resp.Body)
		l.t.Fatalf("POST %s: %d %s", path, resp.StatusCode, &said)
	}
}

// titles are those of a list of books.
func (l *lender) titles(path string) string {
	l.t.Helper()
	resp := l.ask("GET", path, "", "bwayne")
	defer resp.Body.Close()
	var books []struct{ Title string }
	testkit.NoError(l.t, json.NewDecoder(resp.Body).Decode(&books))
	var titles []string
	for _, b := range books {
		titles = append(titles, b.Title)
	}
	return strings.Join(titles, ", ")
}
