package httpapi

import (
	"io"
	"net/http"
	"testing"
)

// What the tricks in headers.go save.
func BenchmarkHeaders(b *testing.B) {
	id := []string{"0123456789abcdef"}
	b.Run("shared", func(b *testing.B) {
		b.ReportAllocs()
		hs := newHeaders(false)
		for b.Loop() {
			hs.write(make(http.Header), id)
		}
	})
	b.Run("Set", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			h := make(http.Header)
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("X-Frame-Options", "DENY")
			h.Set("Cache-Control", "no-store")
			h.Set("Vary", "Origin, Authorization")
			h.Set("X-Request-Id", id[0])
		}
	})
	// What net/http does with the headers of a response: copy and write them.
	for name, more := range map[string][]string{"eight": {"A", "B", "C"}, "nine": {"A", "B", "C", "Content-Length"}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			hs := newHeaders(false)
			for b.Loop() {
				h := make(http.Header)
				hs.write(h, id)
				for _, header := range more {
					h[header] = id
				}
				h.Clone().Write(io.Discard)
			}
		})
	}
}
