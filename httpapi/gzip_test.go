package httpapi_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// addManyBooks makes the list of books longer than what is sent as it is.
func (w *world) addManyBooks(t *testing.T) {
	t.Helper()
	fields := make([]library.BookFields, 40)
	for i := range fields {
		fields[i].Title = fmt.Sprintf("Volume %d of a long series about the history of libraries", i)
	}
	w.addBooks(t, fields...)
}

// asked sends a request as it is, without a look at the contract, and returns the bytes of the body.
func (w *world) asked(t *testing.T, path string, header http.Header) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, w.server.URL+w.base+path, nil)
	testkit.NoError(t, err)
	req.Header = header.Clone()
	req.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
	resp, err := w.server.Client().Transport.RoundTrip(req)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp, body
}

func TestLongListsAreCompressedForPagesThatReadGzip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addManyBooks(t)
	plain, body := w.asked(t, "/books", http.Header{"Accept-Encoding": {"identity"}})
	for _, c := range []struct {
		path, origin, codings string
		compressed            bool
	}{
		{"/books", clientOrigin, "gzip", true},
		{"/books", clientOrigin, "gzip, deflate, br, zstd", true},
		{"/books", clientOrigin, "deflate,  gzip", true},
		{"/books", clientOrigin, "gzip;q=0", false},
		{"/books", clientOrigin, "identity", false},
		{"/books", clientOrigin, "x-gzip", false},
		{"/books", "", "gzip", false},
		{"/books?limit=2", clientOrigin, "gzip", false},
	} {
		h := http.Header{"Accept-Encoding": {c.codings}}
		if c.origin != "" {
			h.Set("Origin", c.origin)
		}
		resp, got := w.asked(t, c.path, h)
		if is := resp.Header.Get("Content-Encoding") == "gzip"; is != c.compressed || strings.HasSuffix(resp.Header.Get("ETag"), `-gzip"`) != c.compressed {
			t.Errorf("%s for %q that takes %q: compressed %v, tag %s", c.path, c.origin, c.codings, is, resp.Header.Get("ETag"))
			continue
		}
		if c.path == "/books" && !strings.Contains(resp.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("Vary %q of a list that may be compressed", resp.Header.Get("Vary"))
		}
		if !c.compressed {
			continue
		}
		if len(got)*3 > len(body) {
			t.Errorf("%d bytes of %d", len(got), len(body))
		}
		z, err := gzip.NewReader(strings.NewReader(string(got)))
		testkit.NoError(t, err)
		text, err := io.ReadAll(z)
		testkit.NoError(t, err)
		testkit.Equal(t, string(text), string(body), "the same list")
		testkit.Equal(t, resp.Header.Get("X-Total-Count"), plain.Header.Get("X-Total-Count"), "the total")
	}
}

func TestACompressedListIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addManyBooks(t)
	page := http.Header{"Accept-Encoding": {"gzip"}, "Origin": {clientOrigin}}
	first, _ := w.asked(t, "/books", page)
	zipped := first.Header.Get("ETag")
	unzipped := strings.Replace(zipped, `-gzip"`, `"`, 1)
	for _, tag := range []string{zipped, "W/" + zipped, unzipped} {
		h := page.Clone()
		h.Set("If-None-Match", tag)
		resp, body := w.asked(t, "/books", h)
		if resp.StatusCode != http.StatusNotModified || len(body) > 0 || resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("If-None-Match: %s gives %d, %d bytes", tag, resp.StatusCode, len(body))
		}
		testkit.Equal(t, resp.Header.Get("ETag"), strings.TrimPrefix(tag, "W/"), "the tag of what the caller has")
	}
	w.addBooks(t, library.BookFields{Title: "Another book"})
	page.Set("If-None-Match", zipped)
	if resp, _ := w.asked(t, "/books", page); resp.StatusCode != http.StatusOK {
		t.Errorf("after a change the old tag gives %d", resp.StatusCode)
	}
}

func TestATagOfACompressedFormIsGoodForAnEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tag := strings.TrimSuffix(w.tagOf(t, peterParker, bookPath), `"`) + `-gzip"`
	w.send(t, request{as: peterParker, method: http.MethodPut, path: bookPath, body: `{"title":"Cleaner Code"}`, header: field("If-Match", tag)}).want(t, 200, "")
}
