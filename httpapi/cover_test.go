package httpapi_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/library/internal/testkit"
)

// onePixel is the smallest picture there is.
var onePixel = pngOf(1, 1)

func pngOf(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i*7) | 0x80
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const coverPath = bookPath + "/cover"

func putCover(as string, picture []byte) request {
	return request{as: as, method: http.MethodPut, path: coverPath, body: string(picture)}
}

// sizeOf is the size of a JPEG.
func sizeOf(t *testing.T, file []byte) [2]int {
	t.Helper()
	config, err := jpeg.DecodeConfig(bytes.NewReader(file))
	testkit.NoError(t, err)
	return [2]int{config.Width, config.Height}
}

func TestACoverIsSetShownAndTakenAway(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.open = open })
			before := w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 200, "")
			if before.book(t).Cover != nil || strings.Contains(string(before.body), "cover") {
				t.Errorf("a book without a cover says %s", before.body)
			}
			w.send(t, request{as: bruceWayne, path: coverPath}).want(t, 404, "no_cover")
			w.send(t, request{as: peterParker, method: http.MethodDelete, path: coverPath}).want(t, 404, "no_cover")

			set := w.send(t, putCover(peterParker, pngOf(1280, 1920))).want(t, 204, "")
			after := w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 200, "")
			book := after.book(t)
			if book.Cover == nil || book.Cover.Version == "" || after.tag() == before.tag() {
				t.Fatalf("cover %v, tag %s", book.Cover, after.tag())
			}
			for _, b := range w.send(t, request{as: bruceWayne, path: "/books"}).books(t) {
				if (b.Cover != nil) != (b.Identifier == cleanCode) {
					t.Errorf("in the list, %s has the cover %v", b.Title, b.Cover)
				}
			}
			large := w.send(t, request{as: bruceWayne, path: coverPath}).want(t, 200, "")
			small := w.send(t, request{as: bruceWayne, path: coverPath + "?size=small"}).want(t, 200, "")
			if sizeOf(t, large.body) != [2]int{640, 960} || sizeOf(t, small.body) != [2]int{200, 300} {
				t.Errorf("%v and %v", sizeOf(t, large.body), sizeOf(t, small.body))
			}
			if large.tag() != set.tag() || small.tag() == large.tag() {
				t.Errorf("tags: %s when set, %s and %s", set.tag(), large.tag(), small.tag())
			}
			w.send(t, putCover(peterParker, onePixel)).want(t, 204, "")
			if again := w.send(t, request{as: bruceWayne, path: bookPath}).book(t); again.Cover.Version == book.Cover.Version {
				t.Error("another cover has the same version")
			}
			w.send(t, request{as: peterParker, method: http.MethodDelete, path: coverPath}).want(t, 204, "")
			w.send(t, request{as: bruceWayne, path: coverPath}).want(t, 404, "no_cover")
			if got := w.send(t, request{as: bruceWayne, path: bookPath}).book(t); got.Cover != nil {
				t.Errorf("the book still says %v", got.Cover)
			}
		})
	}
}

func TestACoverIsCachedByItsVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send(t, putCover(peterParker, onePixel)).want(t, 204, "")
	version := w.send(t, request{as: bruceWayne, path: bookPath}).book(t).Cover.Version
	const kept, asked = "private, max-age=31536000, immutable", "private, no-cache"
	for _, tt := range []struct{ query, want string }{
		{"", asked}, {"?v=", asked}, {"?v=older", asked}, {"?v=" + version, kept}, {"?size=small&v=" + version, kept}, {"?size=large", asked},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			a := w.send(t, request{as: bruceWayne, method: method, path: coverPath + tt.query}).want(t, 200, "")
			if got := a.header.Get("Cache-Control"); got != tt.want || a.header.Get("Content-Type") != "image/jpeg" || (len(a.body) == 0) != (method == http.MethodHead) {
				t.Errorf("%s %q: %s, %s, %d bytes", method, tt.query, got, a.header.Get("Content-Type"), len(a.body))
			}
			for _, tag := range []string{a.tag(), "W/" + a.tag(), `"x", ` + a.tag(), "*"} {
				not := w.send(t, request{as: bruceWayne, method: method, path: coverPath + tt.query, header: field("If-None-Match", tag)}).want(t, 304, "")
				if not.tag() != a.tag() || not.header.Get("Cache-Control") != tt.want {
					t.Errorf("304 of %q: %v", tt.query, not.header)
				}
			}
		}
	}
	small := w.send(t, request{as: bruceWayne, path: coverPath + "?size=small"}).tag()
	w.send(t, request{as: bruceWayne, path: coverPath, header: field("If-None-Match", small)}).want(t, 200, "")
}

func TestWhatIsNoCoverIsRefused(t *testing.T) {
	t.Parallel()
	bomb := pngOf(1, 1)
	binary.BigEndian.PutUint32(bomb[16:], 100_000)
	binary.BigEndian.PutUint32(bomb[20:], 100_000)
	fixCRC(bomb)
	as := func(kind string, r request) request { r.header = field("Content-Type", kind); return r }
	play(t, []scenario{
		{rule: "a reader may not", ask: putCover(bruceWayne, onePixel), status: 403, code: "role_missing"},
		{rule: "nobody may not", ask: putCover("", onePixel), status: 401, code: "missing_token"},
		{rule: "a book that is not there", ask: request{as: peterParker, method: http.MethodPut, path: "/books/" + unknownID + "/cover", body: string(onePixel)}, status: 404, code: "book_not_found"},
		{rule: "a cover of a book that is not there", ask: request{as: bruceWayne, path: "/books/" + unknownID + "/cover"}, status: 404, code: "book_not_found"},
		{rule: "another type", ask: as("image/gif", putCover(peterParker, onePixel)), status: 415, code: "not_picture"},
		{rule: "JSON", ask: as("application/json", putCover(peterParker, onePixel)), status: 415, code: "not_picture"},
		{rule: "no type", ask: request{as: peterParker, method: http.MethodPut, path: coverPath}, status: 415, code: "not_picture"},
		{rule: "the label does not count", ask: as("image/jpeg", putCover(peterParker, onePixel)), status: 204},
		{rule: "something else", ask: as("image/png", putCover(peterParker, []byte("<html>"))), status: 400, code: "bad_image"},
		{rule: "nothing", ask: as("image/png", putCover(peterParker, nil)), status: 400, code: "bad_image"},
		{rule: "a part of a picture", ask: putCover(peterParker, pngOf(90, 90)[:300]), status: 400, code: "bad_image"},
		{rule: "too many pixels", ask: putCover(peterParker, bomb), status: 400, code: "image_too_large"},
		{rule: "too many bytes", ask: putCover(peterParker, append(pngOf(2, 2), make([]byte, 5<<20)...)), status: 413, code: "body_too_large"},
		{rule: "an unknown size", ask: request{as: bruceWayne, path: coverPath + "?size=huge"}, status: 400, code: "bad_query"},
		{rule: "an unknown parameter", ask: request{as: bruceWayne, path: coverPath + "?width=3"}, status: 400, code: "bad_query"},
	})
}

func TestACoverComesAndGoesAsAnEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tag := w.send(t, request{as: peterParker, path: bookPath}).tag()
	w.send(t, putCover(peterParker, onePixel)).want(t, 204, "")
	w.send(t, request{as: peterParker, method: http.MethodPut, path: bookPath, body: `{"title":"Late"}`, header: field("If-Match", tag)}).want(t, 412, "outdated")
	w.send(t, request{as: peterParker, method: http.MethodPut, path: bookPath, body: `{"title":"Edited"}`}).want(t, 200, "")
	if got := w.send(t, request{as: bruceWayne, path: bookPath}).book(t); got.Title != "Edited" || got.Cover == nil {
		t.Errorf("after an edit: %+v", got)
	}
	w.send(t, request{as: peterParker, method: http.MethodDelete, path: bookPath}).want(t, 204, "")
	w.send(t, request{as: bruceWayne, path: coverPath}).want(t, 404, "book_not_found")
}

// coverSource is a server with covers. Which one depends on the ISBN.
func coverSource(t *testing.T) string {
	t.Helper()
	picture, large := pngOf(300, 400), append(pngOf(2, 2), make([]byte, 6<<20)...) // not while somebody waits, who gives up after seconds
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/b/"), ".jpg") {
		case "9780306406157":
			w.Write(picture)
		case "9780132350884":
			w.WriteHeader(http.StatusNotFound)
		case "9780201633610":
			w.WriteHeader(http.StatusInternalServerError)
		case "9781491929124":
			w.Write([]byte("<html>"))
		case "9780596007126":
			w.Write(large)
		default:
			http.Redirect(w, r, "https://example.com/elsewhere", http.StatusFound)
		}
	}))
	t.Cleanup(source.Close)
	return source.URL + "/b/{isbn}.jpg"
}

// A question is given up after some seconds, within which a busy machine may not come to the upload: there it is tried again.
func TestASlowSourceOfCoversHoldsUpNoUpload(t *testing.T) {
	t.Parallel()
	n := givenUpUntilUpload(t)
	for tries := 1; tries < 5 && n > 0 && testkit.Busy(); tries++ {
		n = givenUpUntilUpload(t)
	}
	if n > 0 {
		t.Errorf("the upload has waited until %d questions were given up", n)
	}
}

// givenUpUntilUpload uploads a cover while a source answers none of its questions, and returns how many of these were given up meanwhile.
func givenUpUntilUpload(t *testing.T) int32 {
	t.Helper()
	asked, release := make(chan bool, 100), make(chan bool)
	var givenUp atomic.Int32
	source := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		select {
		case <-release:
		case <-r.Context().Done():
			givenUp.Add(1)
		}
	}))
	t.Cleanup(source.Close)
	w := newWorld(t, func(s *setup) { s.covers = source.URL + "/{isbn}" })
	b := w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":"T","isbn":"0306406152"}`}).book(t)
	var fetches sync.WaitGroup
	for range 17 { // more than there are places
		fetches.Go(func() {
			w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books/" + b.Identifier + "/cover/fetch"})
		})
	}
	for range 5 { // as many as a source is asked at once; the others wait for their turn
		<-asked
		w.send(t, request{as: peterParker, path: bookPath}).want(t, 200, "")
	}
	w.send(t, putCover(peterParker, onePixel)).want(t, 204, "")
	n := givenUp.Load()
	close(release)
	fetches.Wait()
	return n
}

func TestACoverIsFetchedFromItsSource(t *testing.T) {
	t.Parallel()
	source := coverSource(t)
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.open, s.covers = open, source })
			if me := w.send(t, request{as: peterParker, path: "/me"}); !strings.Contains(string(me.body), `"coverSource":true`) {
				t.Errorf("%s", me.body)
			}
			for _, tt := range []struct {
				isbn   string
				status int
				code   string
			}{
				{"0-306-40615-2", 204, ""}, {"", 404, "no_cover_found"}, {"12345", 404, "no_cover_found"}, {"978-0-13-235088-4", 404, "no_cover_found"},
				{"978-0-201-63361-0", 503, "source_failed"}, {"9781491929124", 503, "source_failed"}, {"9780596007126", 503, "source_failed"},
				{"9780140449136", 503, "source_failed"},
			} {
				b := w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books", body: `{"title":"T","isbn":"` + tt.isbn + `"}`}).book(t)
				path := "/books/" + b.Identifier + "/cover"
				a := w.send(t, request{as: peterParker, method: http.MethodPost, path: path + "/fetch", header: field("Idempotency-Key", "k"+b.Identifier)}).want(t, tt.status, tt.code)
				if tt.status != 204 {
					w.send(t, request{as: peterParker, path: path}).want(t, 404, "no_cover")
					continue
				}
				again := w.send(t, request{as: peterParker, method: http.MethodPost, path: path + "/fetch", header: field("Idempotency-Key", "k"+b.Identifier)}).want(t, 204, "")
				got := w.send(t, request{as: bruceWayne, path: path}).want(t, 200, "")
				if sizeOf(t, got.body) != [2]int{300, 400} || got.tag() != a.tag() || again.tag() != a.tag() || again.header.Get("Idempotency-Replayed") != "true" {
					t.Errorf("%v, %v, %v", a.header, again.header, got.header)
				}
			}
			w.send(t, request{as: bruceWayne, method: http.MethodPost, path: coverPath + "/fetch"}).want(t, 403, "role_missing")
			w.send(t, request{as: peterParker, method: http.MethodPost, path: "/books/" + unknownID + "/cover/fetch"}).want(t, 404, "book_not_found")
		})
	}
	w := newWorld(t)
	w.send(t, request{as: peterParker, method: http.MethodPost, path: coverPath + "/fetch"}).want(t, 404, "covers_off")
	if me := w.send(t, request{as: peterParker, path: "/me"}); !strings.Contains(string(me.body), `"coverSource":false`) {
		t.Errorf("%s", me.body)
	}
}

// fixCRC makes the header of a PNG valid again.
func fixCRC(file []byte) { binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29])) }
