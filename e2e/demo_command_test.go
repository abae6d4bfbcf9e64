package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

func TestDemoAnswersOnThreePrintedAddresses(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--ephemeral")
	if d.web == d.root+"/" || strings.HasPrefix(d.issuer, d.root) {
		t.Errorf("two parts share an origin:\n%s", d.text)
	}
	for username, password := range passwords {
		if !regexp.MustCompile(`(?m)^  ` + username + ` +` + password + ` +\S`).MatchString(d.text) {
			t.Errorf("no login %s in:\n%s", username, d.text)
		}
	}
	d.with(t, "").get("/books").want(401)
	if status, _ := d.read(t, d.issuer+"/.well-known/openid-configuration"); status != http.StatusOK {
		t.Errorf("the identity provider answers %d", status)
	}
	// The client knows where the others are. Without Node it is not built, and
	// the page says how to do that.
	switch status, page := d.read(t, d.web); {
	case !strings.Contains(page, "<title>Library</title>"):
		t.Errorf("the web address answers %d %s", status, page)
	case status == http.StatusServiceUnavailable && strings.Contains(page, "make web"):
	case status != http.StatusOK || !strings.Contains(page, `"issuer":"`+d.issuer+`","api":"`+d.api+`","clientId":"library-web"`):
		t.Errorf("the web address answers %d %s", status, page)
	}
	if status, _ := d.read(t, d.web+"nothing-here.js"); status != http.StatusNotFound {
		t.Errorf("an address without a file answers %d", status)
	}
	d.with(t, "").get("/books", "Origin", strings.TrimSuffix(d.web, "/")).want(401)
	// The provider and the API know the client by one name.
	req, err := http.NewRequest("GET", strings.Replace(d.web, "localhost", "127.0.0.1", 1)+"books/new?x", nil)
	testkit.NoError(t, err)
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	resp, err := d.client.Do(req)
	testkit.NoError(t, err)
	resp.Body.Close()
	if to := resp.Header.Get("Location"); to != d.web+"books/new?x" {
		t.Errorf("a browser at 127.0.0.1 is sent to %q, %d", to, resp.StatusCode)
	}
}

// read gets a page.
func (d *demonstration) read(t testing.TB, address string) (int, string) {
	t.Helper()
	resp, err := d.client.Get(address)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp.StatusCode, string(body)
}

func TestDemoStopsCleanlyAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		d := startDemo(t, "--ephemeral", "--port", threeFreePorts(t)) // the system gives them to nobody else when it has stopped
		if mode := onlyFolder(t, d.temp).Mode().Perm(); mode != 0o700 {
			t.Errorf("others can read the data: %v", mode)
		}
		terminal(t, d.lines(t))
		d.with(t, "").get("/books").want(401) // leaves a connection open
		quickly(t, "stopping", func() {
			if code := d.stop(t, sig); code != 0 {
				t.Errorf("%v: exit code %d", sig, code)
			}
		})
		if rest, _ := strings.CutPrefix(d.Log.String(), d.text); rest != "Stopped.\n" {
			t.Errorf("%v: after what it printed at the start it says %q", sig, rest)
		}
		if left := append(filesBelow(t, d.temp), filesBelow(t, d.Cmd.Dir)...); len(left) > 0 {
			t.Errorf("%v: left behind: %v", sig, left)
		}
		for _, address := range []string{d.web, d.api, d.issuer} {
			if resp, err := d.client.Get(address); err == nil {
				resp.Body.Close()
				t.Errorf("%v: %s still answers", sig, address)
			}
		}
	}
}

// threeFreePorts is the first of three ports in a row at which nobody listens.
func threeFreePorts(t testing.TB) string {
	t.Helper()
	for {
		first, err := testkit.FreePort()
		testkit.NoError(t, err)
		free := true
		for port := first + 1; port < first+3 && free; port++ {
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
			if free = err == nil; free {
				l.Close()
			}
		}
		if free {
			return strconv.Itoa(first)
		}
	}
}

func onlyFolder(t testing.TB, parent string) os.FileInfo {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Fatalf("not one folder: %v %v", entries, err)
	}
	info, err := entries[0].Info()
	testkit.NoError(t, err)
	return info
}

func TestDemoKeepsItsDataOverARestart(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	loans := func(d *demonstration, method, path string) string {
		t.Helper()
		return terminal(t, strings.TrimSuffix(d.lines(t), "\n")+` >/dev/null`,
			`curl -s -X `+method+` -H "Authorization: Bearer $TOKEN" `+d.api+path)
	}
	d := startDemo(t, "--data", data)
	loans(d, "POST", "/books/"+cleanCode+"/borrow")
	before := fromTerminal[[]book](t, loans(d, "GET", "/me/books"))
	if len(before) != 1 {
		t.Fatalf("borrowed: %v", before)
	}
	if !strings.Contains(d.text, data) {
		t.Error("it does not say where the data is")
	}
	if code := d.stop(t, syscall.SIGINT); code != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, path := range append(filesBelow(t, data), data) {
		if info, err := os.Stat(path); err != nil || filepath.Base(path) != "library.db" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %s: %v %v", path, info.Mode(), err)
		}
	}
	again := startDemo(t, "--data", data, "--name", "Riverside Library")
	if me := loans(again, "GET", "/me"); !strings.Contains(me, `"libraryName":"Riverside Library"`) {
		t.Errorf("a demonstration with a name says %s", me)
	}
	if diff := cmp.Diff(before, fromTerminal[[]book](t, loans(again, "GET", "/me/books"))); diff != "" {
		t.Errorf("after a restart:\n%s", diff)
	}
	if books := fromTerminal[[]book](t, loans(again, "GET", "/books")); len(books) != demoBooks {
		t.Errorf("%d books after a restart", len(books))
	}
	if left := filesBelow(t, d.temp); len(left) > 0 {
		t.Errorf("left behind elsewhere: %v", left)
	}
}

func TestDemoNamesAPortInUseAndTheFlagThatChangesIt(t *testing.T) {
	t.Parallel()
	// "localhost" is both of these addresses; a program that has one of them gets
	// what was meant for us.
	for _, host := range []string{"127.0.0.1", "::1"} {
		taken, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Logf("there is no %s here: %v", host, err)
			continue
		}
		defer taken.Close()
		port := taken.Addr().(*net.TCPAddr).Port
		for first := port; first >= port-1; first-- { // as the first of three, and as the second
			// Somebody else may have the port below.
			named := regexp.MustCompile(`port (` + strconv.Itoa(first) + `|` + strconv.Itoa(port) + `) is in use.* --port `)
			o := runProgram(t, nil, "demo", "--ephemeral", "--port", strconv.Itoa(first))
			if o.code != 1 || !named.MatchString(o.stderr) || o.stdout != "" {
				t.Errorf("exit code %d, %s is taken: %s%s", o.code, taken.Addr(), o.stdout, o.stderr)
			}
		}
	}
}

func TestSigningOutOfTheDemoEndsItsTokens(t *testing.T) {
	t.Parallel()
	d := startDemo(t, "--ephemeral")
	endpoints := d.issuer + "/protocol/openid-connect"
	resp, err := d.client.PostForm(endpoints+"/token", url.Values{
		"grant_type": {"password"}, "client_id": {"library-client"}, "client_secret": {clientSecret}, "username": {"bwayne"}, "password": {"wayne"}, "scope": {"openid"},
	})
	testkit.NoError(t, err)
	defer resp.Body.Close()
	var tokens struct {
		Access string `json:"access_token"`
		ID     string `json:"id_token"`
	}
	testkit.NoError(t, json.NewDecoder(resp.Body).Decode(&tokens))
	me := d.with(t, tokens.Access)
	me.get("/me").want(200)
	d.read(t, endpoints+"/logout?id_token_hint="+tokens.ID)
	me.get("/me").want(401).wantCode("session_ended")
}
