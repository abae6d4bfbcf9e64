package web

import (
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWhatIsSmallerCompressedIsSentSoToWhoTakesIt(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	for _, c := range []struct {
		accepted string
		gzip     bool
	}{
		{"gzip", true}, {"GZIP", true}, {"gzip, deflate, br, zstd", true}, {"br;q=1.0, gzip;q=0.5", true}, {"*", true}, {"x-gzip", true},
		{"gzip ; q=0.1", true}, {"identity, *;q=0.5", true}, {"*;q=0, gzip", true},
		{"", false}, {"identity", false}, {"br", false}, {"gzip;q=0", false}, {"gzip; q=0.000", false}, {"*, gzip;q=0", false},
		{"*;q=0", false}, {"gzip;q=much", false}, {"gzipped", false},
	} {
		resp := h.ask("GET", "/assets/index-a1.js", "Accept-Encoding", c.accepted)
		if got := resp.Header.Get("Content-Encoding"); (got == "gzip") != c.gzip || got != "" && got != "gzip" {
			t.Errorf("%q: Content-Encoding %q", c.accepted, got)
			continue
		}
		if resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: Vary %q", c.accepted, resp.Header.Get("Vary"))
		}
		length, read := resp.Header.Get("Content-Length"), ""
		if c.gzip {
			read = unzipped(t, resp.Body)
		} else {
			read = text(t, resp.Body)
		}
		if read != script || (length == strconv.Itoa(len(script))) == c.gzip {
			t.Errorf("%q: %s bytes: %.40q", c.accepted, length, read)
		}
	}
	if resp := h.ask("GET", "/assets/tiny-b2.css", "Accept-Encoding", "gzip"); resp.Header.Get("Content-Encoding") != "" || text(t, resp.Body) != "a{}" {
		t.Error("a file that only grows is compressed")
	}
}

func TestTagsDifferByContentAndEncoding(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	other := somewhere
	other.ClientID = "another"
	seen := map[string]string{}
	for _, c := range []struct {
		of             *handler
		path, encoding string
	}{
		{h, "/", "identity"}, {h, "/assets/index-a1.js", "identity"}, {h, "/assets/index-a1.js", "gzip"}, {h, "/icon.svg", "gzip"},
		{serving(t, other), "/", "identity"},
	} {
		tag := c.of.ask("GET", c.path, "Accept-Encoding", c.encoding).Header.Get("ETag")
		if !strings.HasPrefix(tag, `"`) || !strings.HasSuffix(tag, `"`) || len(tag) < 12 {
			t.Errorf("%s %s: tag %s", c.path, c.encoding, tag)
		}
		if before, found := seen[tag]; found {
			t.Errorf("%s %s has the tag of %s", c.path, c.encoding, before)
		}
		seen[tag] = c.path + " " + c.encoding
	}
}

func TestWhoHasTheFileGets304(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	const path = "/assets/index-a1.js"
	plain := h.ask("GET", path).Header.Get("ETag")
	zipped := h.ask("GET", path, "Accept-Encoding", "gzip").Header.Get("ETag")
	for _, c := range []struct {
		rule, method, has, accepts string
		status                     int
	}{
		{"the same", "GET", plain, "", 304},
		{"the same, head", "HEAD", plain, "", 304},
		{"the same, compressed", "GET", zipped, "gzip", 304},
		{"weakened on the way", "GET", "W/" + zipped, "gzip", 304},
		{"among others", "GET", `"x", ` + plain + `,"y"`, "", 304},
		{"anything", "GET", "*", "", 304},
		{"the other encoding", "GET", zipped, "", 200},
		{"the other encoding, compressed", "GET", plain, "gzip", 200},
		{"something else", "GET", `"x"`, "", 200},
		{"nonsense", "GET", strings.Trim(plain, `"`), "", 200},
	} {
		resp := h.ask(c.method, path, "If-None-Match", c.has, "Accept-Encoding", c.accepts)
		if resp.StatusCode != c.status {
			t.Errorf("%s: %d, want %d", c.rule, resp.StatusCode, c.status)
		}
		if body := text(t, resp.Body); c.status == 304 && (body != "" || resp.Header.Get("Content-Encoding") != "" ||
			resp.Header.Get("ETag") == "" || resp.Header.Get("Vary") == "" || resp.Header.Get("Cache-Control") == "") {
			t.Errorf("%s: %v %q", c.rule, resp.Header, body)
		}
	}
}

func TestOnlyFilesNamedByTheirContentAreCached(t *testing.T) {
	t.Parallel()
	h := serving(t, somewhere)
	for path, want := range map[string]string{
		"/": "no-cache", "/loans": "no-cache", "/icon.svg": "no-cache", "/a.b": "no-store", "/a//b": "no-store",
		"/assets/index-a1.js": "public, max-age=31536000, immutable", "/assets/index-00.js": "no-store",
	} {
		if got := h.ask("GET", path).Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestFileOfUnknownTypeIsNoSecret(t *testing.T) {
	t.Parallel()
	files := build()
	files["assets/film.xyz"] = &fstest.MapFile{}
	if _, err := newHandler(somewhere, files); err == nil || !strings.Contains(err.Error(), "assets/film.xyz") {
		t.Errorf("error: %v", err)
	}
}
