package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"example.org/library/httpapi"
)

// newLogger makes the program's logger. Call flush before the program ends.
func newLogger(w io.Writer, format string, level slog.Level) (log *slog.Logger, flush func()) {
	out := &logBuffer{w: w}
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(out, options)
	if format == "json" {
		h = slog.NewJSONHandler(out, options)
	}
	return slog.New(promptHandler{h, out}), out.flush
}

// promptHandler lets the events of requests wait a moment to be written
// together; everything else a person may be waiting for is written at once.
type promptHandler struct {
	slog.Handler
	out *logBuffer
}

func (h promptHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Message != httpapi.RequestEvent || r.Level > slog.LevelInfo {
		h.out.flush()
	}
	return err
}

func (h promptHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return promptHandler{h.Handler.WithAttrs(attrs), h.out}
}

func (h promptHandler) WithGroup(name string) slog.Handler {
	return promptHandler{h.Handler.WithGroup(name), h.out}
}

// logBuffer saves a system call per request: it writes what has come together
// within flushDelay, or as soon as it is much.
type logBuffer struct {
	w     io.Writer
	mu    sync.Mutex
	buf   bytes.Buffer
	armed bool
}

const (
	flushDelay = 100 * time.Millisecond
	flushSize  = 64 << 10
)

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Write(line)
	if b.buf.Len() >= flushSize {
		b.flushLocked()
	} else if !b.armed {
		b.armed = true
		time.AfterFunc(flushDelay, b.flush)
	}
	return len(line), nil
}

func (b *logBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = false
	b.flushLocked()
}

// flushLocked drops what cannot be written: a full disk must not stop the
// service, nor fill its memory.
func (b *logBuffer) flushLocked() {
	b.w.Write(b.buf.Bytes())
	b.buf.Reset()
}
