//go:build unix

package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// evilService answers whatever is asked with records full of commands for a
// terminal.
func evilService(t *testing.T) string {
	t.Helper()
	const (
		evil   = `evil \u001b[2J\u009b2J\u202e`
		person = `{"identifier":"` + evil + `","firstName":"` + evil + `","lastName":"` + evil + `"}`
		book   = `{"identifier":"` + evil + `","title":"` + evil + `","authors":["` + evil + `"],"copies":2,"dueAt":"` + evil + `","waiting":2,"hold":{"identifier":"x","state":"` + evil + `"}}`
		hold   = `{"identifier":"` + evil + `","book":` + book0 + `,"user":` + person + `,"state":"` + evil + `","until":"` + evil + `","createdAt":"x"}`
		loan   = `{"identifier":"` + evil + `","book":` + book0 + `,"copy":{"identifier":"x","barcode":"` + evil + `"},"user":` + person + `,"borrowedAt":"` + evil + `","dueAt":"` + evil + `","hold":` + hold + `}`
		copied = `{"identifier":"` + evil + `","barcode":"` + evil + `","shelf":"` + evil + `","note":"` + evil + `","state":"` + evil + `","loan":` + loan + `}`
		policy = `{"timeZone":"` + evil + `","closedWeekdays":["` + evil + `"],"closedDates":["` + evil + `"],"overdueDays":[]}`
	)
	answers := map[string]string{
		"/books": "[" + book + "]", "/loans": "[" + loan + "]", "/holds": "[" + hold + "]", "/readers": "[" + person + "]",
		"/policy": policy, "/me": person, "/codes/B": `{"kind":"copy","copy":` + copied + `,"book":` + book + `}`, "/codes/C": `{"kind":"reader","reader":` + person + `}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Total-Count", "1")
		path := r.URL.Path
		sent, _ := io.ReadAll(r.Body)
		switch answer, known := answers[path]; {
		case path == "/returns" && !strings.Contains(string(sent), `"loan"`):
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, `{"code":"not_borrowed","message":"evil \u001b[2J\u009b2J\u202e","candidates":[`+loan+`]}`)
		case r.Method == http.MethodPost && strings.HasSuffix(path, "/holds"):
			io.WriteString(w, hold)
		case r.Method == http.MethodPost && strings.HasSuffix(path, "/copies"):
			io.WriteString(w, copied)
		case r.Method == http.MethodPost:
			io.WriteString(w, loan)
		case known:
			io.WriteString(w, answer)
		case strings.HasSuffix(path, "/copies"):
			io.WriteString(w, "["+copied+"]")
		default:
			w.WriteHeader(http.StatusConflict)
			io.WriteString(w, `{"code":"on_loan","message":"evil \u001b[2J\u009b2J\u202e"}`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const book0 = `{"identifier":"x","title":"evil \u001b[2J\u009b2J\u202e","authors":["evil \u001b[2J\u009b2J\u202e"]}`

func TestAServerCannotCommandATerminalWithLoans(t *testing.T) {
	t.Parallel()
	server := evilService(t)
	for _, args := range [][]string{
		{"books", "list"}, {"books", "show", "evil"},
		{"loans", "list"}, {"loans", "list", "--json"}, {"loans", "show", "evil"}, {"loans", "renew", "evil"}, {"loans", "return", "evil", "evil"},
		{"books", "borrow", "--barcode", "B"}, {"loans", "return", "--barcode", "B"}, {"loans", "return", "evil", "--barcode", "B"}, {"loans", "move", "evil", "B"},
		{"holds", "list"}, {"holds", "add", "evil"}, {"holds", "add", "evil", "--user", "evil"}, {"holds", "cancel", "evil"},
		{"copies", "list", "evil"}, {"copies", "add", "evil"}, {"copies", "edit", "B", "--note", "x"},
		{"policy", "show"}, {"policy", "show", "--json"}, {"policy", "edit", "--loan-days", "3", "--json"},
	} {
		_, shown := onTerminal(t, server, args...)
		if isHarmful(shown) || !strings.Contains(shown, "evil") {
			t.Errorf("%v shows %q", args, shown)
		}
	}
	for _, args := range [][]string{{"desk", "lend"}, {"desk", "return"}, {"desk", "return", "--json"}} {
		_, shown := onTerminalWith(t, server, "C\nB\n#1\nnonsense\n", args...)
		if isHarmful(shown) || !strings.Contains(shown, "evil") {
			t.Errorf("%v shows %q", args, shown)
		}
	}
}
