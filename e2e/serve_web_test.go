package e2e

import (
	"crypto/tls"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// page gets a page of the browser client.
func page(t *testing.T, client *http.Client, address string) (int, http.Header, string) {
	t.Helper()
	resp, err := client.Get(address)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp.StatusCode, resp.Header, string(body)
}

// webAt is where the log says that the browser client is.
func webAt(t *testing.T, s *server) string {
	t.Helper()
	return s.AwaitLog(t, regexp.MustCompile(`msg=web at=([0-9.:]+) `))
}

// TestServeServesTheClientAsWebDoes compares the two: what a browser gets differs in
// nothing but where the API is.
func TestServeServesTheClientAsWebDoes(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data", "--web", "--web-addr", "127.0.0.1:0", "--name", "Reading Room")
	api := strings.Replace(s.base, "127.0.0.1", "localhost", 1)
	w := launch(t, nil, "web", "--addr", "127.0.0.1:0", "--issuer", idp.Issuer(), "--api", api, "--name", "Reading Room")
	alone := w.AwaitLog(t, regexp.MustCompile(`msg=listening addr=([0-9.:]+)`))
	for _, path := range []string{"/", "/books/1", "/manifest.webmanifest", "/none.js"} {
		status, header, body := page(t, s.client, "http://"+webAt(t, s)+path)
		wantStatus, wantHeader, wantBody := page(t, s.client, "http://"+alone+path)
		header.Del("Date")
		wantHeader.Del("Date")
		if status != wantStatus || body != wantBody {
			t.Errorf("%s: %d %s\nwant %d %s", path, status, body, wantStatus, wantBody)
		}
		if diff := cmp.Diff(wantHeader, header); diff != "" {
			t.Errorf("%s: headers (-web +serve)\n%s", path, diff)
		}
	}
}

func TestTheClientThatIsServedIsAllowedByItself(t *testing.T) {
	t.Parallel()
	same := testkit.FreeAddress(t)
	for _, c := range []struct {
		rule string
		args []string
		own  func(s *server) string
		not  string
	}{
		{"at an address of its own", []string{"--web-addr", "127.0.0.1:0"},
			func(s *server) string { return strings.Replace(webAt(t, s), "127.0.0.1", "localhost", 1) }, "elsewhere.example"},
		{"under the address of the API", []string{"--addr", same, "--web-addr", same},
			func(s *server) string { return strings.Replace(same, "127.0.0.1", "localhost", 1) }, "elsewhere.example"},
		{"behind a proxy, under one address", []string{"--addr", "127.0.0.1:0", "--web-addr", "127.0.0.1:0", "--web-api", "https://library.example.org/library-server",
			"--client-origin", "library.example.org"},
			func(*server) string { return "library.example.org" }, "localhost:4200"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := startOn(t, emptySQLite(t), append([]string{"--web"}, c.args...)...)
			s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil, "Origin", "http://"+c.own(s)).want(200)
			s.as(t, reader).post("/books/"+cleanCode+"/return", nil, "Origin", "http://"+c.not).want(403)
			if status, header, _ := page(t, s.client, "http://"+webAt(t, s)+"/"); status != 200 && status != 503 || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("the page: %d %v", status, header)
			}
		})
	}
}

func TestUnderOneAddressTheAPIAnswersBelowItsPath(t *testing.T) {
	t.Parallel()
	same := testkit.FreeAddress(t)
	s := startOn(t, emptySQLite(t), "--web", "--addr", same, "--web-addr", same, "--web-base-path", "/app")
	s.as(t, reader).get("/books").want(200)
	s.as(t, reader).get("/nothing").want(404).wantCode("no_such_path")
	s.with(t, nobody).get("/books").want(401)
	for path, isPage := range map[string]bool{"/app/": true, "/app/books/1": true, "/": false, "/library-serverx": false} {
		_, header, _ := page(t, s.client, s.root+path)
		if strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s is of the API", path)
		}
		if status, _, body := page(t, s.client, s.root+path); isPage != strings.Contains(body, "<html") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestTheClientSpeaksTLSAsTheAPIDoes(t *testing.T) {
	t.Parallel()
	certFile, keyFile, roots := newCertificate(t)
	s := startOn(t, emptySQLite(t), "--tls-cert", certFile, "--tls-key", keyFile, "--web", "--web-addr", "127.0.0.1:0")
	s.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	_, header, _ := page(t, s.client, "https://"+webAt(t, s)+"/")
	if got := header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security is %q", got)
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "https://localhost:") {
		t.Errorf("the policy is %q", policy)
	}
}

// TestUnderOneAddressNothingElseSaysThatItIsReady: the browser client answers any
// path with its page, which a proxy that asks the wrong port would take for a yes.
func TestUnderOneAddressNothingElseSaysThatItIsReady(t *testing.T) {
	t.Parallel()
	same := testkit.FreeAddress(t)
	s := startOn(t, emptySQLite(t), "--web", "--addr", same, "--web-addr", same)
	for _, path := range []string{"/readyz", "/healthz", "/metrics"} {
		if status, _, _ := page(t, s.client, s.root+path); status != 401 { // as every path of the API without a token
			t.Errorf("%s: %d", path, status)
		}
	}
}
