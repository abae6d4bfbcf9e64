package main

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"example.org/library/httpapi"
)

// What it saves to write the events of requests by hand.
func BenchmarkRequestEvents(b *testing.B) {
	e := &httpapi.Event{
		Time: time.Now(), RequestID: "0123456789abcdef", Method: "GET", Route: "/books/{id}",
		Status: 200, Took: 123456, Bytes: 1234, User: "c47641ee-e63c-4c13-8cd2-1c2490aee0b3", Remote: "127.0.0.1:4711",
	}
	b.Run("text", func(b *testing.B) {
		b.ReportAllocs()
		for line := []byte(nil); b.Loop(); {
			line = appendText(line[:0], e)
		}
	})
	b.Run("slog", func(b *testing.B) {
		b.ReportAllocs()
		log := slog.New(slog.NewTextHandler(io.Discard, nil))
		for b.Loop() {
			log.LogAttrs(context.Background(), slog.LevelInfo, "request",
				slog.String("requestId", e.RequestID), slog.String("method", e.Method), slog.String("route", e.Route),
				slog.Int("status", e.Status), slog.Duration("took", e.Took), slog.Int("bytes", e.Bytes),
				slog.String("user", e.User), slog.String("code", e.Code), slog.String("remote", e.Remote))
		}
	})
}
