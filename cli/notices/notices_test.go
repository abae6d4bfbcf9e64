package notices

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
)

// program has the commands of this package alone.
var program = clitest.Only(New)

const (
	first  = "11110000-0000-4000-8000-000000000001"
	second = "22220000-0000-4000-8000-000000000002"
	third  = "22220000-0000-4000-8000-000000000003"
)

// outbox is what the commands need of a library: three notices of which two have failed.
var outbox = []api.Notice{
	{Identifier: first, Kind: "overdue", State: "failed", User: &api.Person{FirstName: "Bruce", LastName: "Wayne"}, Book: api.NoticeBook{Title: "Homo faber"},
		CreatedAt: "2026-11-15T08:00:00Z", Attempts: 1, Problem: &api.MailFailure{Code: 550, Stage: "rcpt"}},
	{Identifier: second, Kind: "due_soon", State: "failed", User: &api.Person{FirstName: "Ann", LastName: "\x1b[31mBell"}, Book: api.NoticeBook{Title: "Emma"},
		CreatedAt: "2026-11-15T08:00:00Z", Attempts: 30, Problem: &api.MailFailure{Stage: "connect"}},
	{Identifier: third, Kind: "a_new_kind", State: "sent", Book: api.NoticeBook{Title: "Emma"}, CreatedAt: "2026-11-15T08:00:00Z", SentAt: "2026-11-15T08:00:30Z"},
}

// start is a library that answers as the test says where it is asked for a change. It returns the
// environment, and the changes that were asked for.
func start(t *testing.T, change func(w http.ResponseWriter)) (env map[string]string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodPost:
			*asked = append(*asked, r.URL.Path)
			change(w)
		case r.URL.Path == "/notices/outbox":
			json.NewEncoder(w).Encode(api.Outbox{To: "tester@example.org"})
		case r.URL.Path == "/notices":
			notices := []api.Notice{}
			for _, n := range outbox {
				if state := r.URL.Query().Get("state"); state == "" || state == n.State {
					notices = append(notices, n)
				}
			}
			w.Header().Set("X-Total-Count", "3")
			json.NewEncoder(w).Encode(notices)
		default:
			json.NewEncoder(w).Encode(api.MailPreview{Subject: r.URL.RawQuery, Text: "text\n", HTML: "<p>html</p>\n"})
		}
	}))
	t.Cleanup(server.Close)
	return map[string]string{"LIBRARY_TOKEN": "t", "LIBRARY_SERVER": server.URL, "LIBRARY_CONFIG_DIR": t.TempDir()}, asked
}

func sentAgain(w http.ResponseWriter) { json.NewEncoder(w).Encode(outbox[0]) }

func TestNoticesAreLinesInAPipe(t *testing.T) {
	t.Parallel()
	env, _ := start(t, nil)
	_, stdout, _ := clitest.Run(t, program, env, "", "notices", "list")
	testkit.Equal(t, stdout, first+"\toverdue\tfailed\tBruce Wayne\tHomo faber\t2026-11-15T08:00:00Z\t1\trcpt\t550\n"+
		second+"\tdue_soon\tfailed\tAnn \uFFFD[31mBell\tEmma\t2026-11-15T08:00:00Z\t30\tconnect\t\n"+
		third+"\ta_new_kind\tsent\t\tEmma\t2026-11-15T08:00:00Z\t0\t\t\n")
}

func TestANoticeToSendAgainIsNamedByItsReaderBookOrIdentifier(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Bruce Wayne": first, "homo faber": first, "1111": first, "wayne": first, "emma": second, "2222": second,
		third: third, // the service says whether it has failed
	} {
		env, asked := start(t, sentAgain)
		code, _, stderr := clitest.Run(t, program, env, "", "notices", "retry", name)
		if code != 0 || strings.Join(*asked, " ") != "/notices/"+want+"/retry" {
			t.Errorf("%s: %d, %v\n%s", name, code, *asked, stderr)
		}
	}
	env, asked := start(t, sentAgain)
	code, _, stderr := clitest.Run(t, program, env, "", "notices", "retry", "Joker")
	if code != command.ExitNotFound || len(*asked) > 0 || !strings.Contains(stderr, `There is no failed notice "Joker"`) {
		t.Errorf("%d, %v\n%s", code, *asked, stderr)
	}
}

func TestRefusalsAreRecognisedByTheirCodes(t *testing.T) {
	t.Parallel()
	failed := func(stage, message string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadGateway)
			json.NewEncoder(w).Encode(api.Error{Status: 502, Code: codeMailFailed, Message: "Nein", RequestID: "r",
				Details: []api.Detail{{Field: "smtp", Code: stage, Message: message}}})
		}
	}
	slow := func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusBadGateway)
		json.NewEncoder(w).Encode(api.Error{Status: 502, Code: codeMailFailed, Message: "Nein", Details: []api.Detail{{Field: "smtp", Code: "rcpt", Message: "no answer", Limit: 60}}})
	}
	refuse := func(status int, code string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { clitest.Refuse(w, status, code, "Nein") }
	}
	for _, c := range []struct {
		args   []string
		change func(http.ResponseWriter)
		exit   int
		says   string
	}{
		{[]string{"retry", third}, refuse(409, library.ErrNotFailed.Code), command.ExitConflict, "has not failed"},
		{[]string{"retry", third}, refuse(404, library.ErrNoticeNotFound.Code), command.ExitNotFound, "There is no notice"},
		{[]string{"test"}, refuse(409, codeMailOff), command.ExitConflict, "sends no mails"},
		{[]string{"test"}, failed("rcpt", "550"), command.ExitFailed, "was not sent: the mail server does not accept your address (550)."},
		{[]string{"test"}, failed("auth", "535"), command.ExitFailed, "user name and password (535)."},
		{[]string{"test"}, failed("connect", "no answer"), command.ExitFailed, "was not sent: the mail server cannot be reached."},
		{[]string{"test"}, failed("connect", "421"), command.ExitFailed, "the mail server takes no mails at the moment (421)."},
		{[]string{"test"}, slow, command.ExitFailed, "was not sent: the mail server has not answered for a minute."},
		{[]string{"test"}, failed("later", "no answer"), command.ExitFailed, "could not be sent (later)."},
	} {
		env, asked := start(t, c.change)
		exit, _, stderr := clitest.Run(t, program, env, "", append([]string{"notices"}, c.args...)...)
		if exit != c.exit || !strings.Contains(stderr, c.says) || len(*asked) != 1 {
			t.Errorf("%v: %d, asked %d times\n%s", c.args, exit, len(*asked), stderr)
		}
	}
}

func TestATestMailIsWhereAllMailsGo(t *testing.T) {
	t.Parallel()
	env, _ := start(t, nil)
	c, err := client.New(env["LIBRARY_SERVER"], client.StaticSource(client.Token{Access: "t"}))
	testkit.NoError(t, err)
	testkit.Equal(t, whoGotIt(t.Context(), c), "tester@example.org")
}

func TestMailsAreNotResumedUnasked(t *testing.T) {
	t.Parallel()
	env, asked := start(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) })
	code, _, stderr := clitest.Run(t, program, env, "", "notices", "resume")
	if code != command.ExitUsage || len(*asked) > 0 {
		t.Errorf("%d, %v\n%s", code, *asked, stderr)
	}
	code, _, stderr = clitest.Run(t, program, env, "", "notices", "resume", "--yes")
	if code != 0 || strings.Join(*asked, " ") != "/notices/resume" {
		t.Errorf("%d, %v\n%s", code, *asked, stderr)
	}
}

func TestEveryKindAndStageHasWords(t *testing.T) {
	t.Parallel()
	for _, kind := range library.NoticeKinds {
		if inWords[string(kind)] == "" {
			t.Errorf("there are no words for %s", kind)
		}
	}
	for _, stage := range []string{"connect", "tls", "auth", "mail", "rcpt", "data"} {
		if failures[stage] == "" {
			t.Errorf("there are no words for a failure at %s", stage)
		}
	}
	testkit.Equal(t, kindInWords("a_new_kind"), "a new kind")
}

func TestANoticeIsShownByItsIdentifierReaderOrBook(t *testing.T) {
	t.Parallel()
	env, _ := start(t, nil)
	for _, name := range []string{first, "1111", "Bruce Wayne", "homo faber"} {
		code, stdout, stderr := clitest.Run(t, program, env, "", "notices", "show", name)
		testkit.Equal(t, stdout, "identifier\t"+first+"\nkind\toverdue\nstate\tfailed\nuser\tBruce Wayne\nbook\tHomo faber\n"+
			"createdAt\t2026-11-15T08:00:00Z\nattempts\t1\nproblem.stage\trcpt\nproblem.code\t550\n", name+stderr)
		testkit.Equal(t, code, 0, name)
	}
	code, _, _ := clitest.Run(t, program, env, "", "notices", "show", "33330000-0000-4000-8000-000000000003")
	testkit.Equal(t, code, command.ExitNotFound)
}
