package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"example.org/library/internal/testkit"
)

const page = `<!doctype html>
<title>Library</title>
<link rel="icon" href="./icon.svg">
<script type="application/json" id="config">{}</script>
<script type="module" src="./assets/index-a1.js"></script>
`

// script is long enough to be worth compressing.
var script = strings.Repeat("console.log('one of many lines');\n", 50)

func build() fstest.MapFS {
	return fstest.MapFS{
		".gitkeep":           {},
		"index.html":         {Data: []byte(page)},
		"icon.svg":           {Data: []byte("<svg/>")},
		"assets/index-a1.js": {Data: []byte(script)},
		"assets/tiny-b2.css": {Data: []byte("a{}")},

		"assets/decoder-c3.js":     {Data: []byte(script)},
		"assets/zxing_reader.wasm": {Data: []byte("\x00asm")},
	}
}

var somewhere = Config{Issuer: "https://login.example/realms/main", API: "https://api.example:8443/library-server", ClientID: "library-web"}

func serving(t testing.TB, cfg Config) *handler {
	t.Helper()
	h, err := newHandler(cfg, build())
	testkit.NoError(t, err)
	return h
}

// ask sends a request with the header fields given in pairs.
func (h *handler) ask(method, target string, pairs ...string) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Header.Add(pairs[i], pairs[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	testkit.NoError(t, err)
	return string(b)
}

func TestAddressesAreFilesPagesOrNothing(t *testing.T) {
	t.Parallel()
	const html, nothing = "text/html; charset=utf-8", "text/plain; charset=utf-8"
	for _, c := range []struct {
		base, path string
		status     int
		kind       string
	}{
		{"", "/", 200, html},
		{"/", "/", 200, html},
		{"", "/index.html", 200, html},
		{"", "/loans", 200, html},
		{"", "/books/f9bf70d6-e56d-4cab-be6b-294cd05f599f/edit", 200, html},
		{"", "/books/", 200, html},
		{"", "/b%C3%BCcher?q=a/../b", 200, html},
		{"", "/icon.svg", 200, "image/svg+xml"},
		{"", "/assets/index-a1.js", 200, "text/javascript; charset=utf-8"},
		{"", "/assets/tiny-b2.css", 200, "text/css; charset=utf-8"},
		{"", "/assets/index-00.js", 404, nothing},
		{"", "/assets/nothing", 404, nothing},
		{"", "/favicon.ico", 404, nothing},
		{"", "/manifest.webmanifest", 200, "application/manifest+json"},
		{"/library", "/library/manifest.webmanifest", 200, "application/manifest+json"},
		{"/library", "/manifest.webmanifest", 404, nothing},
		{"", "/.gitkeep", 404, nothing},
		{"", "/.well-known/security.txt", 404, nothing},
		{"/library", "/library/", 200, html},
		{"/library/", "/library/loans", 200, html},
		{"/library", "/library/icon.svg", 200, "image/svg+xml"},
		{"/library", "/icon.svg", 404, nothing},
		{"/library", "/", 404, nothing},
		{"/library", "/loans", 404, nothing},
		{"/library", "/libraryloans", 404, nothing},
	} {
		cfg := somewhere
		cfg.BasePath = c.base
		resp := serving(t, cfg).ask("GET", c.path)
		if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != c.kind {
			t.Errorf("%s under %q: %d %s, want %d %s", c.path, c.base, resp.StatusCode, resp.Header.Get("Content-Type"), c.status, c.kind)
		}
	}
}

func TestBasePathWithoutItsSlashLeadsToIt(t *testing.T) {
	t.Parallel()
	cfg := somewhere
	cfg.BasePath = "/a/library"
	resp := serving(t, cfg).ask("GET", "/a/library?code=1&state=2")
	if resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != "/a/library/?code=1&state=2" {
		t.Errorf("%d to %q", resp.StatusCode, resp.Header.Get("Location"))
	}
}

func TestPathsThatCouldBeReadInTwoWaysAre400(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	for _, path := range []string{
		"//", "//evil.example", "//evil.example/..", "/a//b", "/books//", "/..", "/../etc/passwd", "/a/../b", "/./a", "/a/.",
		"/assets/..%2findex.html", "/assets%2Findex-a1.js", "/%2e%2e/a", "/.%2E/a", "/a%5cb", "/a%00", "/a%0d%0aX:y", "/a%1f", "/a%7f",
		"/a;b", "/a%3Bb", "/a%252e",
	} {
		resp := h.ask("GET", path)
		if resp.StatusCode != 400 || resp.Header.Get("Location") != "" {
			t.Errorf("%q: %d, Location %q", path, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	r := httptest.NewRequest("OPTIONS", "/", nil)
	r.URL.Path = "*"
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != 400 {
		t.Errorf("OPTIONS *: %d", w.Code)
	}
}

func TestOnlyGetAndHeadAreAnswered(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FOO"} {
		resp := h.ask(method, "/")
		if resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, Allow %q", method, resp.StatusCode, resp.Header.Get("Allow"))
		}
	}
	for _, path := range []string{"/", "/assets/index-a1.js", "/icon.svg", "/loans"} {
		for _, encoding := range []string{"identity", "gzip"} {
			get, head := h.ask("GET", path, "Accept-Encoding", encoding), h.ask("HEAD", path, "Accept-Encoding", encoding)
			if head.StatusCode != 200 || text(t, head.Body) != "" {
				t.Errorf("HEAD %s: %d, or a body", path, head.StatusCode)
			}
			for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding", "ETag", "Cache-Control", "Vary"} {
				if got, want := head.Header.Get(name), get.Header.Get(name); got != want {
					t.Errorf("HEAD %s: %s is %q, for GET it is %q", path, name, got, want)
				}
			}
		}
	}
}

func TestEveryAnswerCarriesThePolicy(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
			"connect-src 'self' https://api.example:8443 https://login.example; manifest-src 'self'; worker-src 'self'; " +
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
			"require-trusted-types-for 'script'; trusted-types svelte-trusted-html library-decoder",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(self), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Referrer-Policy":              "no-referrer",
		"X-Content-Type-Options":       "nosniff",
	}
	h := serving(t, somewhere)
	tag := h.ask("GET", "/").Header.Get("ETag")
	for what, resp := range map[string]*http.Response{
		"page": h.ask("GET", "/"), "file": h.ask("GET", "/assets/index-a1.js"), "nothing": h.ask("GET", "/a.b"),
		"bad path": h.ask("GET", "/a//b"), "bad method": h.ask("POST", "/"), "unchanged": h.ask("GET", "/", "If-None-Match", tag),
	} {
		for name, value := range want {
			if got := resp.Header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("%s: %s is %q, want %q", what, name, got, value)
			}
		}
		if resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: sets a cookie", what)
		}
	}
}

func TestOnlyTheWorkerThatReadsBarcodesMayCompileWebAssembly(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	want := "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"
	worker := h.ask("GET", "/assets/decoder-c3.js")
	for what, resp := range map[string]*http.Response{
		"worker": worker, "unchanged": h.ask("GET", "/assets/decoder-c3.js", "If-None-Match", worker.Header.Get("ETag")),
	} {
		if got := resp.Header.Values("Content-Security-Policy"); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", what, got)
		}
	}
	module := h.ask("GET", "/assets/zxing_reader.wasm")
	if got := module.Header.Get("Content-Type"); got != "application/wasm" {
		t.Errorf("the module is %q", got)
	}
	for _, path := range []string{"/", "/desk", "/assets/index-a1.js", "/assets/zxing_reader.wasm"} {
		if got := h.ask("GET", path).Header.Get("Content-Security-Policy"); strings.Contains(got, "wasm") {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestOneOriginForBothIsNamedOnce(t *testing.T) {
	t.Parallel()
	cfg := Config{Issuer: "https://one.example/login", API: "https://one.example/library-server"}
	if p := serving(t, cfg).policy; !strings.Contains(p, "; connect-src 'self' https://one.example; ") {
		t.Errorf("policy: %s", p)
	}
}

func TestAddressesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "login.example", "ftp://login.example", "https://", "https://a;script-src *", "https://a;b", "https://a'b", "https://*"} {
		for what, cfg := range map[string]Config{"issuer": {Issuer: bad, API: "https://a"}, "API": {Issuer: "https://a", API: bad}} {
			if _, err := newHandler(cfg, build()); err == nil || !strings.Contains(err.Error(), what) || CheckAddress(bad) == nil {
				t.Errorf("%q as %s: %v", bad, what, err)
			}
		}
	}
}

func TestClientThatWasNotBuiltSaysHow(t *testing.T) {
	t.Parallel()
	h, err := newHandler(somewhere, fstest.MapFS{".gitkeep": {}})
	testkit.NoError(t, err)
	for _, path := range []string{"/", "/loans"} {
		resp := h.ask("GET", path)
		if resp.StatusCode != 503 || resp.Header.Get("Cache-Control") != "no-store" || !strings.Contains(text(t, resp.Body), "make web") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, resp.Header.Get("Cache-Control"))
		}
	}
	if resp := h.ask("GET", "/a.js"); resp.StatusCode != 404 {
		t.Errorf("a file: %d", resp.StatusCode)
	}
}

func TestWhatIsEmbeddedCanBeServed(t *testing.T) {
	t.Parallel()
	h, err := New(somewhere)
	testkit.NoError(t, err)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if built := strings.Contains(w.Body.String(), "login.example"); built != (w.Code == 200) || !strings.Contains(w.Body.String(), "<title>Library</title>") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func unzipped(t testing.TB, r io.Reader) string {
	t.Helper()
	z, err := gzip.NewReader(r)
	testkit.NoError(t, err)
	return text(t, z)
}
