package e2e

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// relay is a network between the server and PostgreSQL that can be cut.
type relay struct {
	database string // address of an empty database, through the relay
	password string

	mu    sync.Mutex
	isCut bool
	conns []net.Conn
}

func newRelay(t testing.TB) *relay {
	t.Helper()
	direct, err := url.Parse(pgtest.URL(t))
	testkit.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	r := &relay{}
	r.password, _ = direct.User.Password()
	target := direct.Host
	direct.Host = l.Addr().String()
	r.database = direct.String()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go r.forward(conn, target)
		}
	}()
	t.Cleanup(func() { l.Close(); r.cut() })
	return r
}

func (r *relay) forward(conn net.Conn, target string) {
	defer conn.Close()
	out, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer out.Close()
	r.mu.Lock()
	if r.isCut {
		r.mu.Unlock()
		return
	}
	r.conns = append(r.conns, conn, out)
	r.mu.Unlock()
	go func() {
		io.Copy(out, conn)
		out.Close()
	}()
	io.Copy(conn, out)
}

func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
	for _, conn := range r.conns {
		conn.Close()
	}
	r.conns = nil
}

func (r *relay) repair() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = false
}
