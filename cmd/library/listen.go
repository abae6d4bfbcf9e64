package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"example.org/library/httpapi"
)

// listen binds an address; a fault names the flag that changes it.
func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, cannotListen(flag, err)
	}
	return steadyListener{l}, nil
}

func cannotListen(flag string, err error) error {
	return fmt.Errorf("cannot listen (choose another address with %s): %w", flag, err)
}

// maxHeader leaves room for the largest token that is looked at, 16 KiB, so
// that a larger one is told why it is refused.
const maxHeader = 128 << 10

// newHTTPServer has a limit for every way in which a client can be slow. There
// is no ReadTimeout: it would also end long answers. Requests with a body get
// theirs from the handler.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      60 * time.Second, // long lists extend it as they go
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * is a request like any other, not one for net/http.
		DisableGeneralOptionsHandler: true,
	}
}

// steadyListener makes connections that move their write deadline only now and
// then. net/http moves it at every request, which costs a twentieth of a small
// answer, to be exact to the nanosecond about a minute.
type steadyListener struct{ net.Listener }

func (l steadyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &steadyConn{Conn: conn}, nil
}

type steadyConn struct {
	net.Conn
	writeBy atomic.Int64 // the deadline that is set, in nanoseconds since 1970; 0 for none
}

// CloseWrite lets net/http say goodbye before it hangs up.
func (c *steadyConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Close()
}

// Write passes on what net/http writes, but for the answers that it makes up
// itself, to requests that are no HTTP: they get our headers and our body.
func (c *steadyConn) Write(b []byte) (int, error) {
	if status, ok := ownAnswer(b); ok {
		if _, err := c.Conn.Write(httpapi.Malformed(status, time.Now())); err != nil {
			return 0, err
		}
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// ownAnswer recognizes an answer of net/http's own: its headers stand in an
// order in which those of a handler never do.
func ownAnswer(b []byte) (status int, ok bool) {
	const statusLine = len("HTTP/1.1 400 ")
	if len(b) < statusLine || b[9] != '4' && b[9] != '5' || !bytes.HasPrefix(b, []byte("HTTP/1.")) {
		return 0, false
	}
	_, rest, _ := bytes.Cut(b, []byte("\r\n"))
	if !bytes.HasPrefix(rest, []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")) {
		return 0, false
	}
	status, err := strconv.Atoi(string(b[9:12]))
	return status, err == nil
}

// writeSlack is by how much a write deadline may come early.
const writeSlack = 5 * time.Second

func (c *steadyConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.writeBy.Store(0)
		return c.Conn.SetWriteDeadline(t)
	}
	if late := t.UnixNano() - c.writeBy.Load(); late >= 0 && late < int64(writeSlack) {
		return nil
	}
	c.writeBy.Store(t.UnixNano())
	return c.Conn.SetWriteDeadline(t)
}
