package httpserver

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// conn is a connection with the time since it has waited for its client, to send or to take something.
type conn struct {
	net.Conn
	conns   *conns
	since   atomic.Int64 // see now; 0 while it does not wait
	sending atomic.Bool  // the client may still be sending what nobody will read
	left    sync.Once
}

// connKey is where a request's context has its *conn.
type connKey struct{}

// innermost returns the conn inside a connection of net/http.
func innermost(c net.Conn) *conn {
	for {
		switch outer := c.(type) {
		case *conn:
			return outer
		case *refusing:
			c = outer.Conn
		case *refusingTLS:
			c = outer.tls
		case *tls.Conn:
			c = outer.NetConn()
		default:
			return nil
		}
	}
}

var started = time.Now()

// now is the time since the start of the program, never 0.
func now() int64 { return int64(time.Since(started)) + 1 }

func (c *conn) wait() { c.since.Store(now()) }

func (c *conn) work() { c.since.Store(0) }

// Write waits for the client to take the data. It does not overwrite a state noted meanwhile.
func (c *conn) Write(b []byte) (int, error) {
	before, began := c.since.Load(), now()
	c.since.Store(began)
	n, err := c.Conn.Write(b)
	c.since.CompareAndSwap(began, before)
	return n, err
}

// Close closes the connection, after giving a client still sending the time to read the answer. With unread data of the
// client, the system would reset the connection, and the client would lose the rest of the answer.
func (c *conn) Close() error {
	if c.sending.Swap(false) && !c.conns.ended.Load() {
		c.linger()
	}
	return c.hangUp()
}

// hangUp closes the connection at once.
func (c *conn) hangUp() error {
	c.left.Do(func() { c.conns.leave(c) })
	return c.Conn.Close()
}

// lingering is how long data of a client are still read and dropped.
const lingering = 5 * time.Second

// linger closes the connection for writing, and then drops further data: for as long as clients
// may take, or until they hang up. It works beneath HTTP and TLS, because these data must not be
// taken for a request, and need not be decrypted.
func (c *conn) linger() {
	c.wait()
	c.Conn.SetReadDeadline(time.Now().Add(lingering))
	closeWrite(c.Conn)
	for dropped := make([]byte, 8<<10); ; {
		if _, err := c.Conn.Read(dropped); err != nil {
			return
		}
	}
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}
