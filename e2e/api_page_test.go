package e2e

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// TestTheConversationWithTheAPIWorks types the examples of docs/api.md into a shell, all but the
// stream of events, which does not end, and looks at the status of each answer.
func TestTheConversationWithTheAPIWorks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/api.md")
	testkit.NoError(t, err)
	var examples strings.Builder
	for _, found := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(found[1], "/events") {
			examples.WriteString(found[1])
		}
	}
	d := startDemo(t, "--ephemeral")
	typed := strings.NewReplacer(pageServer, d.api, pageIssuer, d.issuer).Replace(examples.String())
	// Each curl but the one for tokens also prints its status on a line of its own.
	typed = regexp.MustCompile(`(?m)^curl `).ReplaceAllString(typed, `curl -s -w '\nstatus %{http_code}\n' `)
	printed := terminal(t, typed)

	var got []string
	for _, found := range regexp.MustCompile(`(?m)^status (\d+)$`).FindAllStringSubmatch(printed, -1) {
		got = append(got, found[1])
	}
	want := []string{"401", "200", "200", "200", "200", "400", "409", "409", "201", "200", "200", "412", "403", "200", "201", "200", "200", "200", "200", "200"}
	if !slices.Equal(got, want) {
		t.Errorf("statuses %v, wanted %v:\n%s", got, want, printed)
	}
	for _, says := range []string{`"title":"Clean Code"`, `"title":"Dracula"`, `"code":"too_early"`, `"code":"already_borrowed"`} {
		if !strings.Contains(printed, says) {
			t.Errorf("nothing says %s:\n%s", says, printed)
		}
	}
	if !strings.Contains(strings.ToLower(printed), "idempotency-replayed: true") {
		t.Errorf("nothing was answered again:\n%s", printed)
	}
}
