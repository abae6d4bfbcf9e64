package faults

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"example.org/library/internal/testkit"
)

// relay is the network between the program and its database. It can be cut,
// stand still, and lead elsewhere.
type relay struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	isCut  bool
	frozen chan struct{} // closed when bytes pass again; nil when they do
	conns  map[net.Conn]bool
}

// newRelay starts a relay to an address.
func newRelay(t testing.TB, target string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	r := &relay{listener: l, target: target, conns: map[net.Conn]bool{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go r.forward(conn)
		}
	}()
	t.Cleanup(func() { l.Close(); r.thaw(); r.cut() })
	return r
}

// through is the address of a database behind the relay.
func (r *relay) through(t testing.TB, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	testkit.NoError(t, err)
	u.Host = r.listener.Addr().String()
	return u.String()
}

func (r *relay) forward(in net.Conn) {
	defer in.Close()
	r.wait()
	r.mu.Lock()
	target := r.target
	r.mu.Unlock()
	out, err := net.Dial("tcp", target)
	if err != nil {
		reset(in)
		return
	}
	defer out.Close()
	if !r.enter(in, out) {
		reset(in)
		return
	}
	defer r.leave(in, out)
	go func() {
		defer out.Close()
		io.Copy(gate{out, r}, in)
	}()
	io.Copy(gate{in, r}, out)
}

// enter counts the two ends of a connection in, unless the network is cut.
func (r *relay) enter(ends ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range ends {
		r.conns[end] = true
	}
	return !r.isCut
}

func (r *relay) leave(ends ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range ends {
		delete(r.conns, end)
	}
}

// gate lets bytes pass while the relay is not frozen.
type gate struct {
	net.Conn
	relay *relay
}

func (g gate) Write(p []byte) (int, error) {
	g.relay.wait()
	return g.Conn.Write(p)
}

// wait returns when bytes may pass.
func (r *relay) wait() {
	r.mu.Lock()
	frozen := r.frozen
	r.mu.Unlock()
	if frozen != nil {
		<-frozen
	}
}

// snip ends every connection with a reset; new ones are fine.
func (r *relay) snip() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		reset(conn)
	}
	clear(r.conns)
}

// cut ends every connection, and refuses new ones.
func (r *relay) cut() {
	r.mu.Lock()
	r.isCut = true
	r.mu.Unlock()
	r.snip()
}

// lead sends new connections to another address, also after a cut.
func (r *relay) lead(target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target, r.isCut = target, false
}

// freeze lets no byte pass, and says so to nobody.
func (r *relay) freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen == nil {
		r.frozen = make(chan struct{})
	}
}

// thaw lets bytes pass again, those that have been waiting first.
func (r *relay) thaw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen != nil {
		close(r.frozen)
		r.frozen = nil
	}
}

// reset ends a connection as a network does that has forgotten it.
func reset(conn net.Conn) {
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}
