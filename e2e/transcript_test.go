package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

// Where `library demo` has the API and the identity provider, and where
// docs/terminal.md says they are.
const (
	pageServer = "http://localhost:9091/library-server"
	pageIssuer = "http://localhost:8080/auth/realms/workshop"
	// The address to type where no browser opens is another one each time.
	pageShortAddress = "http://127.0.0.1:40763/h2vkqz "
)

var (
	transcript   = regexp.MustCompile("(?s)```console\n(.*?)```")
	shortAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+ `)
)

// TestTheTranscriptShowsWhatATerminalShows types the commands in the transcript of
// docs/terminal.md into a terminal and compares what appears.
func TestTheTranscriptShowsWhatATerminalShows(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/terminal.md")
	testkit.NoError(t, err)
	found := transcript.FindStringSubmatch(string(page))
	if found == nil {
		t.Fatal("there is no transcript in docs/terminal.md")
	}
	idp := startIDP(t)
	library := idp.library(t)
	root := "http://localhost:" + library.root[strings.LastIndexByte(library.root, ':')+1:]
	s := sitDown(t, append(withBrowser(t, "bwayne"), "LIBRARY_SERVER="+root+basePath, "LIBRARY_ISSUER="+idp.issuer)...)
	as := strings.NewReplacer(root+basePath, pageServer, idp.issuer, pageIssuer)

	var got strings.Builder
	for line := range strings.Lines(found[1]) {
		if command, is := strings.CutPrefix(line, "$ "); is {
			got.WriteString(line + shortAddress.ReplaceAllString(as.Replace(s.run(strings.TrimSpace(command))), pageShortAddress))
		}
	}
	if diff := cmp.Diff(found[1], got.String()); diff != "" {
		t.Errorf("the page (-) and a terminal (+) differ:\n%s\nThe terminal shows:\n%s", diff, got.String())
	}
}
