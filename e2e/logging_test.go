package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// requestEvents returns the events of requests in the log, once there are as
// many as expected.
func (s *server) requestEvents(t testing.TB, want int) []event {
	t.Helper()
	var found []event
	testkit.Eventually(t, "the events of all requests are in the log", func() bool {
		found = nil
		for _, e := range s.events() {
			if e.text("msg") == "request" {
				found = append(found, e)
			}
		}
		return len(found) >= want
	})
	return found
}

func TestLogHasOneEventPerRequestAndNothingPrivate(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database, "--log-format", "json", "--log-level", "debug", "--bootstrap-user", "first.admin@example.org")
		reader, admin := s.as(t, reader), s.as(t, admin)
		forged := s.with(t, reader.token[:len(reader.token)-4]+"AAAA")
		answers := []response{
			reader.get("/books").want(200),
			reader.get("/books?q=searched-for-words").want(200),
			reader.get("/books/nothing-private@example.com").want(400),
			reader.get("/nowhere/private@example.com").want(404),
			reader.get("/users").want(403),
			forged.get("/books").want(401),
			s.with(t, nobody).get("/books?access_token=" + reader.token).want(401),
			s.as(t, caller{"stranger@example.com", "library_user"}).get("/books").want(401),
			admin.post("/users", map[string]any{"email": "new@example.com", "firstName": "New", "lastName": "Comer"}).want(201),
			admin.post("/users", map[string]any{"email": "new@example.com", "firstName": "New", "lastName": "Comer"}).want(409),
			admin.post("/users", `{"email":"broken@example.com"`).want(400),
			reader.get("/books", "X-Request-Id", "chosen-by-the-caller").want(200).wantHeader("X-Request-Id", "chosen-by-the-caller"),
		}
		time.Sleep(300 * time.Millisecond) // for events too many
		events := s.requestEvents(t, len(answers))
		if len(events) != len(answers) {
			t.Errorf("%d events for %d requests", len(events), len(answers))
		}
		byID := map[string]event{}
		for _, e := range events {
			byID[e.text("requestId")] = e
		}
		for _, r := range answers {
			e, ok := byID[r.Header.Get("X-Request-Id")]
			if !ok {
				t.Errorf("%s: no event has its request id", r.Request)
				continue
			}
			if status, _ := e["status"].(float64); int(status) != r.Status {
				t.Errorf("%s: status %d is logged as %v", r.Request, r.Status, e["status"])
			}
			if r.Status >= 400 && e.text("code") != r.failure().Code { // whose request id is checked with every answer
				t.Errorf("%s: code %q is logged as %q", r.Request, r.failure().Code, e.text("code"))
			}
		}
		if e := byID[answers[0].Header.Get("X-Request-Id")]; e.text("user") != bruceWayne || e.text("route") != "/books" || e.text("method") != "GET" {
			t.Errorf("the event of a good request is %v", e)
		}
		s.stop(t, terminate)
		checkNothingPrivate(t, s.Log.String(), reader.token, forged.token, admin.token)
		for line := range strings.Lines(s.Log.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("not JSON: %s", line)
			}
		}
	})
}

// checkNothingPrivate looks for what no log and no trace may have in it.
func checkNothingPrivate(t testing.TB, text string, tokens ...string) {
	t.Helper()
	private := []string{"@example", "searched-for-words", "access_token", "Bearer "}
	for _, token := range tokens {
		private = append(private, strings.Split(token, ".")...)
	}
	for _, word := range private {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("%q is in it: …%s…", word, text[max(0, at-200):min(len(text), at+200)])
		}
	}
}

func TestLogLevelIsKept(t *testing.T) {
	t.Parallel()
	management := testkit.FreeAddress(t) // at this level it does not log where it listens
	o := launch(t, nil, "serve", "--addr", "127.0.0.1:0", "--management-addr", management, "--log-level", "error",
		"--issuer", "http://127.0.0.1:1", "--database", emptySQLite(t))
	testkit.AwaitDatabase(t, "http://"+management)
	if code := o.stop(t, terminate); code != 0 || o.Log.String() != "" {
		t.Errorf("exit code %d, log:\n%s", code, o.Log)
	}
}
