package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// Programs of others are in the folder thirdparty: a certified OpenID client
// and a browser. SCREENSHOTS names a folder to put pictures of the pages in.

func TestIDPWithACertifiedClientAndABrowser(t *testing.T) {
	t.Parallel()
	tools := findTools(t)
	app := newApp(t)
	web := strings.Replace(app.URL, "127.0.0.1", "localhost", 1) + "/"
	c := defaultConfiguration(t)
	c.change("clients", "library-client", "redirectUris", []string{app.URL + "/callback", web + "onward"})
	c.change("clients", "library-web", "redirectUris", []string{web})
	c.change("clients", "library-web", "postLogoutRedirectUris", []string{web})
	c.change("clients", "library-web", "webOrigins", []string{strings.TrimSuffix(web, "/")})
	idp := startIDP(t, "--config", c.write(t, ""))

	cmd := exec.CommandContext(testkit.Context(t), tools.node, "--test", "--test-concurrency=2", "--test-reporter=spec", "openid-client.test.js", "pages.test.js")
	cmd.Dir = tools.folder
	cmd.Env = append(os.Environ(), "CHROMIUM="+tools.chromium, "ISSUER="+idp.issuer, "SECRET="+clientSecret,
		"CALLBACK="+app.URL+"/callback", "WEB="+web, "NO_COLOR=1")
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("node: %v\n%s", err, &out)
	}
}

// newApp is where clients get their answers: a page, or, on one path, a
// redirect to another site, as clients do that have their pages elsewhere.
func newApp(t *testing.T) *httptest.Server {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/onward" {
			http.Redirect(w, r, "http://"+strings.Replace(r.Host, "localhost", "127.0.0.1", 1)+"/arrived", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>Application</title><link rel="icon" href="data:,"><h1>Welcome back</h1></html>`)
	}))
	t.Cleanup(app.Close)
	return app
}

type tools struct{ node, chromium, folder string }

// findTools fails the test when something is not installed: a test that is
// skipped guards nothing.
func findTools(t testing.TB) tools {
	t.Helper()
	find := func(program string) string {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Errorf("there is no %s here; run `make deps`", program)
		}
		return path
	}
	folder, err := filepath.Abs("thirdparty")
	testkit.NoError(t, err)
	browser := "chromium-headless-shell" // the same engine without a window, for less than half of the work
	if _, err := exec.LookPath(browser); err != nil {
		browser = "chromium"
	}
	found := tools{find("node"), find(browser), folder}
	wanted, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Error(err)
	}
	installed, err := os.ReadFile(filepath.Join(folder, "node_modules", ".installed"))
	if err != nil || !bytes.Equal(wanted, installed) {
		t.Error("the programs in e2e/thirdparty are not installed as its package-lock.json says; run `make deps`")
	}
	if t.Failed() {
		t.FailNow()
	}
	return found
}
