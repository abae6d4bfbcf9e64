package main

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"example.org/library/httpapi"
)

// logs is where the program says what happens: events of requests, of which
// there are many, and everything else.
type logs struct {
	*slog.Logger
	out    *logBuffer
	format func([]byte, *httpapi.Event) []byte
	quiet  bool // no events of requests
}

func newLogs(w io.Writer, format string, level slog.Level) *logs {
	out := &logBuffer{w: w}
	options := &slog.HandlerOptions{Level: level}
	l := &logs{out: out, quiet: level > slog.LevelInfo}
	if format == "json" {
		l.Logger, l.format = slog.New(slog.NewJSONHandler(prompt{out}, options)), appendJSON
	} else {
		l.Logger, l.format = slog.New(slog.NewTextHandler(prompt{out}, options)), appendText
	}
	return l
}

// request writes the event of a request in the form of the other log lines; see
// request_log.go.
func (l *logs) request(e *httpapi.Event) {
	if l.quiet {
		return
	}
	l.out.append(func(line []byte) []byte { return l.format(line, e) })
}

// prompt writes at once: a person may be waiting for it.
type prompt struct{ out *logBuffer }

func (p prompt) Write(line []byte) (int, error) {
	p.out.append(func(b []byte) []byte { return append(b, line...) })
	p.out.flush()
	return len(line), nil
}

// logBuffer saves a system call per request: it writes what has come together
// within flushDelay, or as soon as it is much.
type logBuffer struct {
	w     io.Writer
	mu    sync.Mutex
	buf   []byte
	armed bool
}

const (
	flushDelay = 100 * time.Millisecond
	flushSize  = 64 << 10
)

func (b *logBuffer) append(line func([]byte) []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf = line(b.buf)
	if len(b.buf) >= flushSize {
		b.flushLocked()
	} else if !b.armed {
		b.armed = true
		time.AfterFunc(flushDelay, b.flush)
	}
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
	if len(b.buf) > 0 {
		b.w.Write(b.buf)
	}
	b.buf = b.buf[:0]
}
