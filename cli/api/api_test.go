package api

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

func TestAPathOfTheAPIStaysBelowTheLibrary(t *testing.T) {
	t.Parallel()
	const address = "https://library.example.com/library-server"
	for _, c := range []struct{ given, path, query, problem string }{
		{given: "/books", path: "/books"},
		{given: "books?q=a+b&limit=2", path: "/books", query: "limit=2&q=a+b"},
		{given: "/library-server/books/1", path: "/books/1"},
		{given: address + "/books", path: "/books"},
		{given: "HTTPS://Library.Example.com/library-server/me", path: "/me"},
		{given: "/codes/a%20b", path: "/codes/a%20b"},
		{given: "https://elsewhere.example.com/library-server/books", problem: "is not at the library"},
		{given: "http://library.example.com/library-server/books", problem: "is not at the library"},
		{given: "https://library.example.com:8443/library-server/books", problem: "is not at the library"},
		{given: "https://me@library.example.com/library-server/books", problem: "is not at the library"},
		{given: "//elsewhere.example.com/books", problem: "is not at the library"},
		{given: address + "x/books", problem: "is not below"},
		{given: "https://library.example.com/admin", problem: "is not below"},
		{given: "/../admin", problem: "lead out"},
		{given: "/books/%2e%2e/%2E%2E/admin", problem: "lead out"},
		{given: "/./books", problem: "lead out"},
		{given: "", problem: "is not a path"},
		{given: "/books#x", problem: "is not a path"},
		{given: "mailto:a@b", problem: "is not a path"},
		{given: "/books?%zz", problem: "query"},
		{given: "/a\nb", problem: "is not a path"},
	} {
		path, query, problem := apiPath(address, c.given)
		if path != c.path || query.Encode() != c.query || !strings.Contains(problem, c.problem) || (problem == "") != (c.problem == "") {
			t.Errorf("%q: %q %q %q", c.given, path, query.Encode(), problem)
		}
	}
	if path, _, problem := apiPath("http://localhost:9091", "/library-server/books"); path != "/library-server/books" || problem != "" {
		t.Errorf("without a base path: %q %s", path, problem)
	}
}

// recorded is the requests that a server has received.
type recorded struct {
	mu       sync.Mutex
	requests []string // method, address, body
	header   http.Header
}

// startRecording starts a server that answers with a function.
func startRecording(t *testing.T, answer http.HandlerFunc) (*recorded, map[string]string) {
	t.Helper()
	h := &recorded{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		h.requests, h.header = append(h.requests, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+string(body))), r.Header
		h.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return h, map[string]string{"LIBRARY_TOKEN": "t0ken", "LIBRARY_SERVER": server.URL + "/lib", "LIBRARY_CONFIG_DIR": t.TempDir()}
}

func TestAnAPICallIsMadeOfItsFlags(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "body")
	testkit.NoError(t, os.WriteFile(file, []byte("from a file"), 0o600))
	for _, c := range []struct {
		args  string
		stdin string
		asked string
	}{
		{args: "/books", asked: "GET /lib/books"},
		{args: "get /books", asked: "GET /lib/books"},
		{args: "-X delete /books/1", asked: "DELETE /lib/books/1"},
		{args: "/books -f q=1 -F limit=2 -X GET", asked: "GET /lib/books?limit=2&q=1"},
		{args: "/books?sort=title -F q=null -X GET", asked: "GET /lib/books?q=&sort=title"},
		{args: "/books -f title=1", asked: `POST /lib/books {"title":"1"}`},
		{args: "/books -F title=1 -F a=true -F b=null -F c=x -F d=1.5", asked: `POST /lib/books {"a":true,"b":null,"c":"x","d":"1.5","title":1}`},
		{args: "/books -f authors[]=A -f authors[]=B -F empty[]", asked: `POST /lib/books {"authors":["A","B"],"empty":[]}`},
		{args: "/books -F d=@" + file, asked: `POST /lib/books {"d":"from a file"}`},
		{args: "/books -F d=@-", stdin: "typed", asked: `POST /lib/books {"d":"typed"}`},
		{args: "/books -f d=@x", asked: `POST /lib/books {"d":"@x"}`},
		{args: "PUT /books/1 --input " + file + " -f q=1", asked: "PUT /lib/books/1?q=1 from a file"},
		{args: "/imports/books --input -", stdin: "[]", asked: "POST /lib/imports/books []"},
	} {
		h, env := startRecording(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") })
		code, _, stderr := clitest.Run(t, program, env, c.stdin, append([]string{"api"}, strings.Fields(c.args)...)...)
		if code != command.ExitOK || len(h.requests) != 1 || h.requests[0] != c.asked {
			t.Errorf("%s: %d %q, want %q\n%s", c.args, code, h.requests, c.asked, stderr)
			continue
		}
		if h.header.Get("Authorization") != "Bearer t0ken" || (h.header.Get("Idempotency-Key") != "") != strings.HasPrefix(c.asked, "POST") {
			t.Errorf("%s: %v", c.args, h.header)
		}
	}
}

func TestAHeaderIsSentUnlessItIsOurs(t *testing.T) {
	t.Parallel()
	h, env := startRecording(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") })
	code, _, stderr := clitest.Run(t, program, env, "", "api", "/books", "-f", "title=x", "-H", `Idempotency-Key: "mine"`, "-H", "content-type: text/csv")
	if code != command.ExitOK || h.header.Get("Idempotency-Key") != `"mine"` || h.header.Get("Content-Type") != "text/csv" {
		t.Errorf("%d %v %s", code, h.header, stderr)
	}
	for _, header := range []string{"Authorization: Bearer x", "host: x", "nothing", "A: b\r\nC: d"} {
		if code, _, _ := clitest.Run(t, program, env, "", "api", "/books", "-H", header); code != command.ExitUsage {
			t.Errorf("%q: exit code %d", header, code)
		}
	}
	if len(h.requests) != 1 {
		t.Errorf("sent: %q", h.requests)
	}
}

func TestACommandLineThatCannotWorkAsksNothing(t *testing.T) {
	t.Parallel()
	h, env := startRecording(t, func(http.ResponseWriter, *http.Request) {})
	for args, says := range map[string]string{
		"":                                "PATH: is missing",
		"a b c":                           "too many",
		"FETCH /books":                    "FETCH: is not a method",
		"GET /books -X POST":              "--method: differs",
		"/books -f x=1 --paginate":        "--paginate: is for GET",
		"/books --paginate --include":     "--include: cannot go",
		"/books --jq .[":                  "--jq: cannot be understood",
		"/books -f title":                 "--raw-field",
		"/books -F a[b]=c":                "--field",
		"/books --input nofile":           "--input: cannot be read",
		"https://elsewhere.example/books": "is not at the library",
	} {
		code, _, stderr := clitest.Run(t, program, env, "", append([]string{"api"}, strings.Fields(args)...)...)
		if code != command.ExitUsage || !strings.Contains(stderr, says) {
			t.Errorf("%q: %d %s", args, code, stderr)
		}
	}
	if len(h.requests) > 0 {
		t.Errorf("sent: %q", h.requests)
	}
}

func TestPagesAreFollowedWithinTheLibraryAlone(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the token has left the library") }))
	t.Cleanup(elsewhere.Close)
	pages := map[string]string{"": `[{"t":"a"},{"t":"b"}]`, "2": `[]`, "3": `[{"t":"c"}]`}
	answer := func(w http.ResponseWriter, r *http.Request) {
		cursor := r.URL.Query().Get("cursor")
		if next := map[string]string{"": "2", "2": "3"}[cursor]; next != "" {
			w.Header().Set("Link", fmt.Sprintf(`<%s/other?q=y&cursor=%s>; rel="next"`, elsewhere.URL, next))
		}
		io.WriteString(w, pages[cursor])
	}
	h, env := startRecording(t, answer)
	code, stdout, stderr := clitest.Run(t, program, env, "", "api", "/books?q=x", "--paginate")
	if code != command.ExitOK || stdout != "[{\"t\":\"a\"}\n,{\"t\":\"b\"}\n,{\"t\":\"c\"}\n]\n" {
		t.Errorf("%d %q %s", code, stdout, stderr)
	}
	if want := "[GET /lib/books?q=x GET /lib/books?cursor=2&q=x GET /lib/books?cursor=3&q=x]"; fmt.Sprint(h.requests) != want {
		t.Errorf("asked %v", h.requests)
	}
	_, env = startRecording(t, answer)
	if code, stdout, _ := clitest.Run(t, program, env, "", "api", "/books", "--paginate", "--jq", ".[].t"); code != command.ExitOK || stdout != "a\nb\nc\n" {
		t.Errorf("%d %q", code, stdout)
	}
	_, env = startRecording(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", `</books?cursor=again>; rel="next"`)
		io.WriteString(w, "[]")
	})
	if code, _, stderr := clitest.Run(t, program, env, "", "api", "/books", "--paginate"); code != command.ExitFailed || !strings.Contains(stderr, "does not come to an end") {
		t.Errorf("in a circle: %d %s", code, stderr)
	}
}

func TestWhatAFilterMakesIsPrintedLineByLine(t *testing.T) {
	t.Parallel()
	_, env := startRecording(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `[{"t":"a\u001b[2J","n":1}]`) })
	for filter, want := range map[string]string{
		".[].t": "a\x1b[2J\n", ".[]": "{\"n\":1,\"t\":\"a\\u001b[2J\"}\n", ".[].n, null": "1\nnull\n", "empty": "", "halt": "",
	} {
		if code, stdout, stderr := clitest.Run(t, program, env, "", "api", "/books", "-q", filter); code != command.ExitOK || stdout != want {
			t.Errorf("%s: %d %q %s", filter, code, stdout, stderr)
		}
	}
	if code, _, stderr := clitest.Run(t, program, env, "", "api", "/books", "-q", ".a"); code != command.ExitFailed || !strings.Contains(stderr, "--jq: expected an object") {
		t.Errorf("%d %s", code, stderr)
	}
	if _, _, stderr := clitest.Run(t, program, env, "", "api", "/books", "-q", "$ENV.LIBRARY_TOKEN, env.LIBRARY_TOKEN"); strings.Contains(stderr, "t0ken") {
		t.Error("a filter sees the environment")
	}
}

func FuzzAPIPath(f *testing.F) {
	for _, given := range []string{"/books", "//x", "https://library.example.com/library-server/%2e%2e/x", "/a?b", "x:y"} {
		f.Add(given)
	}
	const address = "https://library.example.com/library-server"
	f.Fuzz(func(t *testing.T, given string) {
		path, query, problem := apiPath(address, given)
		if problem != "" {
			return
		}
		u, err := url.Parse(address + path + "?" + query.Encode())
		if err != nil || u.Host != "library.example.com" || u.User != nil || !strings.HasPrefix(u.JoinPath("x").Path, "/library-server/") {
			t.Errorf("%q leads to %v (%v)", given, u, err)
		}
	})
}
