package httpserver

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// conn is a connection that knows since when it has waited for its client: to
// send something, or to take something. It moves its write deadline only now and
// then. net/http moves it at every request, which costs a twentieth of a small
// answer, to be exact to the nanosecond about a minute.
type conn struct {
	net.Conn
	conns   *conns
	since   atomic.Int64 // see now; 0 while it does not wait
	writeBy atomic.Int64 // the deadline that is set, in nanoseconds since 1970; 0 for none
	sending atomic.Bool  // the client may still be sending what nobody will read
	left    sync.Once
}

// connKey is where a request's context has its *conn.
type connKey struct{}

// innermost is the conn inside of what net/http knows as a connection.
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

// Write waits for the client to take what is written. If something else has
// noted meanwhile what the connection does, that holds.
func (c *conn) Write(b []byte) (int, error) {
	before, began := c.since.Load(), now()
	c.since.Store(began)
	n, err := c.Conn.Write(b)
	c.since.CompareAndSwap(began, before)
	return n, err
}

// Close closes the connection, after a client who is still sending has had the time to
// read the answer. If data of the client were unread, the system would reset the
// connection, and the client would lose what it has not read yet.
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

// lingering is how long what a client is still sending is read and dropped.
const lingering = 5 * time.Second

// linger closes the connection for writing, and then drops what still comes: for as
// long as clients may take, or until they hang up. It does so beneath HTTP and TLS,
// because what comes now is not to be taken for a request, and need not be decrypted.
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

// writeSlack is by how much a write deadline may come early.
const writeSlack = 5 * time.Second

// SetWriteDeadline sets the deadline, unless it is already set to about the same.
func (c *conn) SetWriteDeadline(t time.Time) error {
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
