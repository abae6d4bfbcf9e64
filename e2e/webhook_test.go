package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

const webhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// posted is what a receiver of web hooks got, in the form in which others verify it.
type posted struct {
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func (p posted) title() string {
	var event struct {
		Data struct{ Book struct{ Title string } }
	}
	_ = json.Unmarshal([]byte(p.Body), &event)
	return event.Data.Book.Title
}

// hookReceiver takes web hooks. Before it answers, meanwhile is called.
type hookReceiver struct {
	*httptest.Server
	mu        sync.Mutex
	posts     []posted
	meanwhile func(posted)
}

func newHookReceiver(t testing.TB) *hookReceiver {
	r := &hookReceiver{meanwhile: func(posted) {}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		p := posted{map[string]string{}, string(body)}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			p.Headers[name] = req.Header.Get(name)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.posts = append(r.posts, p)
		r.meanwhile(p)
	}))
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

func (r *hookReceiver) await(t testing.TB, n int) []posted {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d web hooks come", n), func() bool { return len(r.all()) >= n })
	return r.all()
}

func (r *hookReceiver) all() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.posts)
}

// startHooked starts a server with a web hook, and waits until that is known.
func startHooked(t testing.TB, idp *testidp.Provider, database string, to *hookReceiver, args ...string) *server {
	t.Helper()
	s := start(t, []string{"LIBRARY_WEBHOOK_SECRET=" + webhookSecret}, append([]string{"--issuer", idp.Issuer(), "--sample-data",
		"--database", database, "--webhook", to.URL + "/hook"}, args...)...)
	s.idp = idp
	s.awaitReady(t)
	testkit.Eventually(t, "the hook is known", func() bool { return count(t, database, "SELECT count(*) FROM webhooks") == 1 })
	return s
}

func TestWebHooksAreVerifiedByWhatOthersWroteAndByTheDocumentation(t *testing.T) {
	t.Parallel()
	to := newHookReceiver(t)
	s := startHooked(t, testidp.New(t), emptySQLite(t), to)
	for _, title := range strangeTitles {
		s.as(t, curator).post("/books", map[string]any{"title": title, "authors": []string{"A"}, "isbn": "9783161484100"})
	}
	got := to.await(t, len(strangeTitles))
	input, err := json.Marshal(got)
	testkit.NoError(t, err)
	page, err := os.ReadFile("../docs/webhooks.md")
	testkit.NoError(t, err)
	verifies := func(cmd *exec.Cmd) {
		t.Helper()
		cmd.Env = append(os.Environ(), "LIBRARY_WEBHOOK_SECRET="+webhookSecret)
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.CombinedOutput()
		if want := fmt.Sprintf("verified %d\n", len(got)); err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s", cmd, err, out)
		}
	}
	node := exec.CommandContext(testkit.Context(t), "node", "webhooks.js")
	node.Dir = findTools(t).folder
	verifies(node)
	verifies(exec.CommandContext(testkit.Context(t), "/usr/bin/python3", "-c", codeBlock(t, page, "python")+`
import json, os, sys
posts = json.load(sys.stdin)
for p in posts:
    assert verify(os.environ["LIBRARY_WEBHOOK_SECRET"], p["headers"], p["body"].encode())
    assert not verify(os.environ["LIBRARY_WEBHOOK_SECRET"], p["headers"], p["body"].encode() + b" ")
print("verified", len(posts))`))
	verifies(exec.CommandContext(testkit.Context(t), "go", "run", writeGoVerifier(t, codeBlock(t, page, "go"))))
	if log := s.LogEnd(); strings.Contains(log, "MfKQ") || strings.Contains(log, "/hook") {
		t.Errorf("the log has a secret: %s", log)
	}
}

// codeBlock is the code of a language on a page of the documentation.
func codeBlock(t testing.TB, page []byte, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(string(page), "```"+language+"\n")
	code, _, ends := strings.Cut(rest, "```")
	if !found || !ends {
		t.Fatalf("the page has no code in %s", language)
	}
	return code
}

func writeGoVerifier(t testing.TB, code string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	testkit.NoError(t, os.WriteFile(file, []byte(`package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

`+code+`
func main() {
	var posts []struct {
		Headers map[string]string
		Body    string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&posts); err != nil {
		panic(err)
	}
	for _, p := range posts {
		header := http.Header{}
		for name, value := range p.Headers {
			header.Set(name, value)
		}
		secret := os.Getenv("LIBRARY_WEBHOOK_SECRET")
		if !Verify(secret, header, []byte(p.Body)) || Verify(secret, header, []byte(p.Body+" ")) {
			panic(p.Body)
		}
	}
	fmt.Println("verified", len(posts))
}
`), 0o600))
	return file
}

func TestARestoredLibraryTellsWebHooksOnlyOfWhatHappensThen(t *testing.T) {
	t.Parallel()
	idp, to := testidp.New(t), newHookReceiver(t)
	database := emptySQLite(t)
	s := startHooked(t, idp, database, to)
	add := func(s *server, title string) {
		t.Helper()
		s.as(t, curator).post("/books", map[string]any{"title": title, "authors": []string{"A"}, "isbn": "9783161484100"}).WantStatus(http.StatusCreated)
	}
	add(s, "One")
	to.await(t, 1)
	file := filepath.Join(t.TempDir(), "backup")
	if r := runProgram(t, nil, "backup", "--database", database, file); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	add(s, "Two")
	to.await(t, 2)
	s.stop(t, syscall.SIGTERM)
	restored := emptySQLite(t)
	if r := runProgram(t, nil, "restore", "--database", restored, file); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	s = startHooked(t, idp, restored, to)
	add(s, "Three")
	got := to.await(t, 3)
	time.Sleep(50 * time.Millisecond)
	testkit.Equal(t, got[2].title(), "Three")
	testkit.Equal(t, len(to.all()), 3)
	testkit.Contains(t, s.LogEnd(), "a web hook is new")
}
