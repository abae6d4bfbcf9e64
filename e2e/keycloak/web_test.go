//go:build keycloak

package keycloak

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// TestBrowserClientSignsInBorrowsReloadsAndSignsOut drives the browser client
// in a real browser, with Keycloak's own login page.
func TestBrowserClientSignsInBorrowsReloadsAndSignsOut(t *testing.T) {
	at := testkit.FreeAddress(t)
	host := strings.Replace(at, "127.0.0.1", "localhost", 1)
	allowWebClient(t, "http://"+host)
	s := start(t, "--client-origin", host)
	startWeb(t, at, s.base)

	ctx := testkit.Context(t)
	visit := exec.CommandContext(ctx, tool(t, "node"), "keycloak.js", "http://"+host+"/")
	visit.Dir = filepath.Join("..", "thirdparty")
	visit.Env = append(os.Environ(), "CHROMIUM="+tool(t, "chromium"),
		"LOGIN=bwayne", "PASSWORD="+passwords["bwayne"], "TITLE=Clean Code")
	visit.SysProcAttr = testkit.Tied()
	if out, err := visit.CombinedOutput(); err != nil {
		t.Fatalf("the browser: %v\n%s", err, out)
	}
	book := into[struct {
		Borrowed   bool
		BorrowedBy struct{ Identifier string }
	}](s.get(t, accessOf(t, "bwayne"), "/books/"+cleanCode).WantStatus(200))
	if !book.Borrowed || book.BorrowedBy.Identifier != bruceWayne {
		t.Errorf("the book that was borrowed in the browser: %+v", book)
	}
}

// tool finds a program. A test that is skipped guards nothing.
func tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("there is no %s here; run `make deps`", name)
	}
	return path
}

// allowWebClient lets the realm's client for browsers live at another address
// for the time of a test: that of the realm may be taken on this machine.
func allowWebClient(t testing.TB, address string) {
	t.Helper()
	path := "/clients/" + idOf(t, "/clients", "clientId", "library-web")
	before := into[object](administer(t, "GET", path, nil).WantStatus(200))
	attributes := maps.Clone(before["attributes"].(object))
	attributes["post.logout.redirect.uris"] = address + "/"
	changed := maps.Clone(before)
	maps.Copy(changed, object{"redirectUris": []string{address + "/"}, "webOrigins": []string{address}, "attributes": attributes})
	administer(t, "PUT", path, changed).WantStatus(204)
	t.Cleanup(func() { administer(t, "PUT", path, before).WantStatus(204) })
}

// startWeb serves the browser client until the test ends.
func startWeb(t testing.TB, at, api string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("..", "..", "web", "dist", "index.html")); err != nil {
		t.Fatal("the browser client is not built; run `make web`")
	}
	launch(t, "web", "--addr", at, "--issuer", issuer, "--api", api).AwaitLog(t, regexp.MustCompile(`msg=listening`))
}
