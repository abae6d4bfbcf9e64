package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// types are the content types of files in a build. The machine's own list differs from machine to machine.
var types = map[string]string{
	".css":         "text/css; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff2":       "font/woff2",
}

// file is a file in every form for sending.
type file struct {
	kind    string // its content type
	keep    string // the Cache-Control header
	policy  string // its own Content-Security-Policy, "" for the page's
	tag     string // without quotes; of the plain form
	plain   []byte
	gzipped []byte // nil if it is not smaller
}

func newFile(name string, data []byte) (file, error) {
	kind, known := types[path.Ext(name)]
	if !known {
		return file{}, fmt.Errorf("the build of the client has %s in it, and nothing says what its content type is", name)
	}
	hash := sha256.Sum256(data)
	f := file{kind: kind, keep: "no-cache", tag: hex.EncodeToString(hash[:12]), plain: data}
	if strings.HasPrefix(name, assets) {
		f.keep = "public, max-age=31536000, immutable"
	}
	if strings.HasPrefix(name, decoder) {
		f.policy = decoderPolicy
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	if _, err = z.Write(data); err == nil {
		err = z.Close()
	}
	if err == nil && b.Len() < len(data) {
		f.gzipped = b.Bytes()
	}
	return f, err
}

// serve sends the file in the best form for the caller, or nothing if the caller has it already.
func (f file) serve(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	body, tag := f.plain, `"`+f.tag+`"`
	if f.gzipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header) {
			body, tag = f.gzipped, `"`+f.tag+`-gzip"`
			h.Set("Content-Encoding", "gzip")
		}
	}
	if f.policy != "" {
		h.Set("Content-Security-Policy", f.policy)
	}
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", f.keep)
	if status != http.StatusOK {
		h.Set("Cache-Control", "no-store")
	} else {
		h.Set("ETag", tag)
		if matches(r.Header, tag) {
			h.Del("Content-Type")
			h.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// takesGzip reports whether the caller accepts gzip.
func takesGzip(h http.Header) bool {
	any := false
	for entry := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		coding, parameters, _ := strings.Cut(strings.ToLower(entry), ";")
		weight, weighted := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		takes := !weighted || err == nil && q > 0
		switch strings.TrimSpace(coding) {
		case "gzip", "x-gzip":
			return takes
		case "*":
			any = takes
		}
	}
	return any
}

// matches reports whether the caller has the form with this tag already. Weak tags count: compressing
// proxies make them out of ours.
func matches(h http.Header, tag string) bool {
	for entry := range strings.SplitSeq(strings.Join(h.Values("If-None-Match"), ","), ",") {
		entry = strings.TrimSpace(entry)
		if entry == "*" || strings.TrimPrefix(entry, "W/") == tag {
			return true
		}
	}
	return false
}
