package httpapi

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"sync"

	"example.org/library/httpapi/internal/responsecache"
)

const varyCoded = varyUsual + ", Accept-Encoding"

// minGzip is the size of the smallest compressed body: a smaller one takes hardly longer
// on its way.
const minGzip = 4 << 10

var (
	// gzipWriters are used again: each holds large tables.
	gzipWriters = sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
		return z
	}}
)

// coded returns the body of a response in the form for the caller, and sets the headers
// of this form.
func (x *exchange) coded(r *responsecache.Response) (body []byte) {
	if len(r.Body) < minGzip {
		return r.Body
	}
	h := x.w.Header()
	h.Set("Vary", h.Get("Vary")+", Accept-Encoding")
	if !readsGzip(x.r.Header) {
		return r.Body
	}
	h.Set("Content-Encoding", "gzip")
	if r.Tag != "" {
		h.Set("ETag", codedTag(r.Tag))
	}
	return compress(r.Body)
}

// readsGzip reports whether the caller is a page of another origin and reads gzip. The
// libraries of programs ask for it without need, mostly from the same network, where
// compressing costs more than it saves.
func readsGzip(h http.Header) bool {
	if len(h["Origin"]) == 0 {
		return false
	}
	codings := strings.Split(strings.Join(h["Accept-Encoding"], ","), ",")
	return slices.ContainsFunc(codings, func(coding string) bool { return strings.TrimSpace(coding) == "gzip" })
}

func compress(body []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(body) / 4)
	z := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(z)
	z.Reset(&out)
	z.Write(body) // a buffer takes everything
	z.Close()
	return out.Bytes()
}

// gzipSuffix marks the tag of a compressed form: a strong tag stands for one sequence of bytes.
const gzipSuffix = `-gzip"`

func codedTag(tag string) string { return strings.TrimSuffix(tag, `"`) + gzipSuffix }

// plainTag returns the tag of the plain form.
func plainTag(tag string) string {
	if plain, ok := strings.CutSuffix(tag, gzipSuffix); ok {
		return plain + `"`
	}
	return tag
}

// tagOfCaller returns the tag of the caller's form.
func tagOfCaller(h http.Header, tag string) string {
	coded := codedTag(tag)
	for candidate := range tags(h["If-None-Match"]) {
		if strings.TrimPrefix(candidate, "W/") == coded {
			return coded
		}
	}
	return tag
}
