package httpserver

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// bodyLimits gives requests with a body a time by which it must have come, and
// says goodbye in the answers of a server that drains.
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
		// An answer that is given before the body has come to its end is the
		// last one on the connection. Without this, net/http would wait for the
		// rest of the body before it sends the answer, and again before it
		// closes the connection.
		b.header = w.Header()
		b.header["Connection"] = closing
		defer func() {
			if !b.ended {
				control.SetReadDeadline(time.Now())
			}
		}()
	}
	l.handler.ServeHTTP(w, r)
}

var closing = []string{"close"}

// body is the body of a request. Whoever reads it waits for the client.
type body struct {
	io.ReadCloser
	conn   *conn       // nil where there is none
	header http.Header // of the answer
	last   bool        // the connection is closed in any case
	ended  bool
}

func (b *body) Read(p []byte) (int, error) {
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
