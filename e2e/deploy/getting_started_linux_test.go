package deploy

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// gettingStarted is docs/getting-started.md.
const gettingStarted = "../docs/getting-started.md"

// block is the first example of a language after a heading of the page.
func block(t *testing.T, heading, language string) string {
	t.Helper()
	_, after, found := strings.Cut(example(t, gettingStarted), "\n## "+heading)
	after, _, _ = strings.Cut(after, "\n## ")
	if found {
		if b := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindStringSubmatch(after); b != nil {
			return b[1]
		}
	}
	t.Fatalf("there is no example in %s below %q", language, heading)
	return ""
}

// oneProcess is the library of docs/getting-started.md: its settings, its Caddyfile, one
// process on a SQLite file.
type oneProcess struct {
	idp    *testidp.Provider
	folder string // as /var/lib/library
	direct string // address without the proxy
	client *http.Client
}

func startOneProcess(t *testing.T) *oneProcess {
	t.Helper()
	cert, key, _, trust := newCertificate(t)
	o := &oneProcess{idp: testidp.New(t), folder: t.TempDir(), direct: testkit.FreeAddress(t)}
	settings := strings.NewReplacer(
		"https://login.example.org/realms/main", o.idp.Issuer(), `":9091"`, `"`+o.direct+`"`, `log-format = "json"`, "",
	).Replace(block(t, "3.", "toml"))
	cmd := exec.Command(binary, "serve", "--config", write(t, t.TempDir(), "library.toml", settings), "--addr", o.direct, "--management-addr", "127.0.0.1:0")
	cmd.Dir, cmd.Env = o.folder, []string{"HOME=" + o.folder}
	p := testkit.Start(t, cmd)
	p.AwaitLog(t, listening)
	p.AwaitOpen(t)

	at := testkit.FreeAddress(t)
	_, port, _ := net.SplitHostPort(at)
	caddyfile := "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + strings.NewReplacer(
		hostName+" {", hostName+":"+port+" {\n\tbind 127.0.0.1\n\ttls "+cert+" "+key, "127.0.0.1:9091", o.direct,
	).Replace(block(t, "4.", "caddyfile"))
	caddy := exec.Command(program(t, "caddy"), "run", "--adapter", "caddyfile", "--config", write(t, t.TempDir(), "Caddyfile", caddyfile))
	home := t.TempDir()
	caddy.Env = []string{"HOME=" + home, "XDG_DATA_HOME=" + home}
	proxy := testkit.Start(t, caddy)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the library:\n%s\nthe proxy:\n%s", p.LogEnd(), proxy.LogEnd())
		}
	})
	o.client = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", at)
		},
		TLSClientConfig: trust, ForceAttemptHTTP2: true,
	}}
	t.Cleanup(o.client.CloseIdleConnections)
	testkit.Eventually(t, "the proxy lets somebody in", func() bool {
		resp, err := o.get(context.Background(), basePath+"/me", "")
		return err == nil && resp.StatusCode == http.StatusUnauthorized
	})
	return o
}

// get asks through the proxy. The body is open.
func (o *oneProcess) get(ctx context.Context, path, token string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", "https://"+hostName+path, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return o.client.Do(req)
}

// shell runs the lines of an example as an admin and curator who is signed in.
func (o *oneProcess) shell(t *testing.T, lines string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", lines)
	cmd.Dir = t.TempDir()
	write(t, cmd.Dir, "people.csv", "email,first name,last name\nbarbara.gordon@example.org,Barbara,Gordon\ndick.grayson@example.org,Dick,Grayson\n")
	write(t, cmd.Dir, "books.csv", "title,authors\nEmma,Jane Austen\nUlysses,James Joyce\n")
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + filepath.Dir(binary) + ":/usr/bin:/bin", "LIBRARY_SERVER=http://" + o.direct + basePath,
		"LIBRARY_TOKEN=" + o.idp.Token(t, "you@example.org", "")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\nof:\n%s", err, out, lines)
	}
	return string(out)
}

// TestFromNothingToARunningLibrary does what docs/getting-started.md says, without systemd and
// with a provider of the test's own.
func TestFromNothingToARunningLibrary(t *testing.T) {
	t.Parallel()
	o := startOneProcess(t)
	admin := o.idp.Token(t, "you@example.org", "")

	resp, err := o.get(t.Context(), "/", "")
	if err != nil || resp.Header.Get("Content-Security-Policy") == "" || resp.Header.Get("Strict-Transport-Security") == "" {
		t.Fatalf("the page: %v %v", resp, err)
	}
	events, err := o.get(t.Context(), basePath+"/events", admin)
	if err != nil || events.StatusCode != http.StatusOK {
		t.Fatalf("events: %v %v", events, err)
	}
	defer events.Body.Close()

	people := block(t, "5.", "sh")
	_, people, _ = strings.Cut(people, "library doctor\n") // the token is there already
	list := regexp.MustCompile("(?s)```sh\n(library users import .*?)```").FindStringSubmatch(example(t, gettingStarted))
	if people == "" || list == nil {
		t.Fatal("the page does not say how to add people")
	}
	o.shell(t, people+list[1])
	if users := o.shell(t, "library users list"); strings.Count(users, "@example.org") != 5 || !strings.Contains(users, "Your Name") {
		t.Errorf("users:\n%s", users)
	}

	o.shell(t, block(t, "6.", "sh"))
	if books := o.shell(t, "library books list"); !strings.Contains(books, "Emma") || !strings.Contains(books, "Ulysses") {
		t.Errorf("books:\n%s", books)
	}
	line, err := bufio.NewReader(events.Body).ReadString('\n') // passed on at once, not when a buffer is full
	if err != nil || line == "" {
		t.Errorf("the stream: %q %v", line, err)
	}

	testkit.Eventually(t, "the first backup is there", func() bool {
		found, _ := filepath.Glob(filepath.Join(o.folder, "backups", "*.gz"))
		return len(found) == 1
	})
	try := strings.NewReplacer("sudo ", "", "/var/lib/library", o.folder, "/var/tmp", t.TempDir()).Replace(block(t, "7.", "sh"))
	o.shell(t, try) // grep fails if the title is not there
}
