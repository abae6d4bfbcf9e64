package httpserver

import (
	"bytes"
	"crypto/tls"
	"net"
	"strconv"
)

// refusing is a connection with our refusals in place of net/http's own, given before any handler,
// if there are any. The rest of a refused request may still be on its way.
type refusing struct {
	net.Conn
	refusal func(status int) []byte // nil for none
}

// refusingListener makes its connections refusing.
type refusingListener struct {
	net.Listener
	refusal func(status int) []byte
}

func (l refusingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &refusing{c, l.refusal}, nil
}

func (c *refusing) Write(b []byte) (int, error) {
	status, ok := ownRefusal(b)
	if !ok {
		return c.Conn.Write(b)
	}
	innermost(c).sending.Store(true)
	if c.refusal == nil {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(c.refusal(status)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// CloseWrite is called by net/http before it waits for a while and then closes the connection.
// Close waits itself, and not longer than the client needs.
func (c *refusing) CloseWrite() error { return c.Close() }

// refusingTLS is refusing over TLS.
type refusingTLS struct {
	refusing
	tls *tls.Conn
}

// ConnectionState tells net/http about the secure connection.
func (c *refusingTLS) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }

// ownRefusal recognizes a refusal of net/http's own: by the order of its headers, never used for a
// handler's, or as the answer to an unknown Expect, never given by a handler. A body never looks
// like it: even with the same first words, it has no line breaks of HTTP.
func ownRefusal(b []byte) (status int, ok bool) {
	const statusLine = len("HTTP/1.1 400 ")
	if len(b) < statusLine || b[9] != '4' && b[9] != '5' || !bytes.HasPrefix(b, []byte("HTTP/1.")) {
		return 0, false
	}
	_, rest, found := bytes.Cut(b, []byte("\r\n"))
	status, err := strconv.Atoi(string(b[9:12]))
	if !found || err != nil {
		return 0, false
	}
	own := bytes.HasPrefix(rest, []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"))
	return status, own || status == 417
}
