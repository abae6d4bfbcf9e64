package httpserver

import (
	"bytes"
	"crypto/tls"
	"net"
	"strconv"
)

// refusing is a connection on which net/http's own refusals, of requests that no
// handler sees, are replaced by ours.
type refusing struct {
	net.Conn
	refusal func(status int) []byte
}

// refusingListener makes its connections refusing, if there is a refusal.
type refusingListener struct {
	net.Listener
	refusal func(status int) []byte
}

func (l refusingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil || l.refusal == nil {
		return c, err
	}
	return &refusing{c, l.refusal}, nil
}

func (c *refusing) Write(b []byte) (int, error) {
	status, ok := ownRefusal(b)
	if !ok {
		return c.Conn.Write(b)
	}
	if _, err := c.Conn.Write(c.refusal(status)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// CloseWrite lets net/http say goodbye before it hangs up. From then on the
// connection only waits for the client to have heard it.
func (c *refusing) CloseWrite() error {
	if inner := innermost(c); inner != nil {
		inner.wait()
	}
	return closeWrite(c.Conn)
}

// refusingTLS is refusing over TLS.
type refusingTLS struct {
	refusing
	tls *tls.Conn
}

// ConnectionState is how net/http learns that the connection is secure.
func (c *refusingTLS) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }

// ownRefusal recognizes a refusal of net/http's own: its headers stand in an
// order in which those of a handler never do, or it is the answer to an Expect
// that net/http does not know, which no handler gives. A body never looks like
// that: where one begins with the same words, it has no line breaks of HTTP.
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
