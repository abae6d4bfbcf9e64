package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// fromTerminal decodes JSON that a terminal printed.
func fromTerminal[T any](t testing.TB, printed string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(printed), &v); err != nil {
		t.Fatalf("%v in:\n%.500s", err, printed)
	}
	return v
}

// The first five minutes of somebody who has never seen the library: all they
// know is what is printed.
func TestDemoFirstFiveMinutesOfANewcomer(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--ephemeral")
	lines := d.lines(t)
	books := fromTerminal[[]book](t, terminal(t, lines))
	if len(books) != demoBooks || books[0].Title == "" {
		t.Fatalf("books: %v", books)
	}
	call := func(lines, method, path string) string {
		t.Helper()
		return terminal(t, lines+` >/dev/null`,
			`curl -s -w '\n%{http_code}' -X `+method+` -H "Authorization: Bearer $TOKEN" `+d.api+path)
	}
	status := func(printed string) string { return printed[strings.LastIndex(printed, "\n")+1:] }

	// The newline at the end of what was printed is not typed again.
	asBruce := strings.TrimSuffix(lines, "\n")
	path := "/books/" + books[0].Identifier
	printed := call(asBruce, "POST", path+"/borrow")
	if borrowed := fromTerminal[book](t, printed[:strings.LastIndex(printed, "\n")]); status(printed) != "200" || !*borrowed.Borrowed {
		t.Errorf("borrowing: %s", printed)
	}
	if printed := call(asBruce, "GET", "/me/books"); status(printed) != "200" || !strings.Contains(printed, books[0].Identifier) {
		t.Errorf("own books: %s", printed)
	}
	if printed := call(asBruce, "GET", "/users"); status(printed) != "403" {
		t.Errorf("users as a reader: %s", printed)
	}

	// Who else there is, and their passwords, is in the printed table.
	login := d.loginThatMay(t, "manage users")
	asClark := strings.NewReplacer("username=bwayne", "username="+login[0], "password=wayne", "password="+login[1]).Replace(asBruce)
	printed = call(asClark, "GET", "/users")
	users := fromTerminal[[]user](t, printed[:strings.LastIndex(printed, "\n")])
	if status(printed) != "200" || !slices.ContainsFunc(users, func(u user) bool { return u.Email == reader.email }) {
		t.Errorf("users as an admin: %s", printed)
	}
}

// loginThatMay returns name and password of the login with that right.
func (d *demonstration) loginThatMay(t testing.TB, right string) []string {
	t.Helper()
	for line := range strings.Lines(d.text) {
		if words := strings.Fields(line); strings.HasSuffix(strings.TrimSpace(line), right) && len(words) > 2 {
			return words[:2]
		}
	}
	t.Fatalf("nobody may %s in:\n%s", right, d.text)
	return nil
}
