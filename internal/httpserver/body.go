package httpserver

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// bodyLimits gives request bodies a deadline, lets clients get their answer while they still send,
// and closes connections after the answers of a draining server.
type bodyLimits struct {
	handler  http.Handler
	timeout  time.Duration
	draining *atomic.Bool
}

func (l bodyLimits) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	draining := l.draining.Load()
	if draining {
		w.Header()["Connection"] = closing // over HTTP/2, net/http makes a GOAWAY of it
	}
	if r.Body == http.NoBody || r.ContentLength == 0 {
		l.handler.ServeHTTP(w, r)
		return
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(l.timeout))
	b := &body{ReadCloser: r.Body, last: draining}
	b.conn, _ = r.Context().Value(connKey{}).(*conn)
	r.Body = b
	if r.ProtoMajor == 1 {
		b.serveLast(control, func() { l.handler.ServeHTTP(w, r) }, w.Header())
		return
	}
	l.handler.ServeHTTP(w, r)
	if asks := strings.EqualFold(r.Header.Get("Expect"), "100-continue"); !b.ended && (b.begun || !asks) {
		b.drop(control)
	}
}

var closing = []string{"close"}

// body is the body of a request. To read it is to wait for the client.
type body struct {
	io.ReadCloser
	conn   *conn       // nil where there is none
	header http.Header // of the answer
	last   bool        // the connection is closed in any case
	begun  bool
	ended  bool
}

func (b *body) Read(p []byte) (int, error) {
	b.begun = true
	if b.conn != nil {
		b.conn.wait()
		defer b.conn.work()
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.ended {
		b.ended = true
		if !b.last {
			delete(b.header, "Connection")
		}
	}
	return n, err
}

// serveLast serves a request of HTTP/1. An answer given before the end of the body is the last one
// on the connection. Otherwise, net/http would wait for the rest of the body before it sends the
// answer, and again before it closes the connection. The rest is dropped at the close.
func (b *body) serveLast(control *http.ResponseController, serve func(), header http.Header) {
	b.header = header
	b.header["Connection"] = closing
	defer func() {
		if !b.ended {
			control.SetReadDeadline(time.Now())
		}
	}()
	serve()
	if b.conn != nil {
		b.conn.sending.Store(!b.ended)
	}
}

// silence is after how long without data a client of HTTP/2 is taken to send no more of a body. Some stop as soon as
// they see a refusal, and then wait for the end of the answer, sent by net/http after the handler is done.
const silence = time.Second

// drop drops the rest of a body of HTTP/2, for as long as clients may take. Without it, net/http
// would reset the stream; then some clients do not read the answer and others wait for ever.
func (b *body) drop(control *http.ResponseController) {
	control.Flush()
	end := time.Now().Add(lingering)
	for dropped := make([]byte, 16<<10); ; {
		control.SetReadDeadline(time.Now().Add(min(silence, time.Until(end))))
		if _, err := b.Read(dropped); err != nil {
			return
		}
	}
}
