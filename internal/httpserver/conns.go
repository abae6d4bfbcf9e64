package httpserver

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the result of Connections, and the files left to the rest of the program: databases, the key set, logs.
const (
	minConnections = 8
	maxConnections = 4096
	otherFiles     = 96
)

// Connections returns how many connections each of n servers may have, to keep them all within the
// open files of this process.
func Connections(n int) int {
	files := maxOpenFiles()
	each := (min(files, 1<<20) - min(files, otherFiles)) / uint64(n)
	return min(max(int(each), minConnections), maxConnections)
}

// conns is the connections of a server.
type conns struct {
	most  int
	log   *slog.Logger
	ended atomic.Bool // nobody waits for clients any more

	mu   sync.Mutex
	open map[*conn]struct{}
	full time.Time // when it was last logged that there are too many
}

func newConns(most int, log *slog.Logger) *conns {
	return &conns{most: most, log: log, open: make(map[*conn]struct{})}
}

// enterTimeout is how long a new connection waits while there are too many and requests of all of them are being worked
// on; it looks again every lookAgain. Later connections wait in the queue of the operating system.
const (
	enterTimeout = time.Second
	lookAgain    = 2 * time.Millisecond
)

// enter adds a connection. If there are too many, it closes the connection with the longest wait for its client. It
// returns false if there was none to close within enterTimeout: requests of all connections are being worked on.
func (cs *conns) enter(c *conn) bool {
	for began := time.Now(); ; time.Sleep(lookAgain) {
		oldest, ok := cs.add(c)
		if oldest != nil {
			oldest.hangUp()
		}
		if ok || time.Since(began) > enterTimeout {
			return ok
		}
	}
}

func (cs *conns) add(c *conn) (oldest *conn, ok bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.open) >= cs.most {
		cs.logFull()
		if oldest = cs.oldest(); oldest == nil {
			return nil, false
		}
		delete(cs.open, oldest)
	}
	c.wait()
	cs.open[c] = struct{}{}
	return oldest, true
}

// oldest returns the connection with the longest wait for its client.
func (cs *conns) oldest() (oldest *conn) {
	least := now()
	for c := range cs.open {
		if since := c.since.Load(); since != 0 && since <= least {
			oldest, least = c, since
		}
	}
	return oldest
}

// logFull logs too many connections, once a minute at most.
func (cs *conns) logFull() {
	if time.Since(cs.full) > time.Minute {
		cs.full = time.Now()
		cs.log.Warn("too many connections; those that wait for their clients are closed", "limit", cs.most)
	}
}

func (cs *conns) leave(c *conn) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.open, c)
}

// sendBuffer bounds the unread data kept by the system for a client. By default it keeps
// megabytes, and then lets a writer wait until a third of them is gone: a client reading slowly,
// but all the time, looks for minutes like one not reading at all.
const sendBuffer = 64 << 10

// listener accepts connections up to the limit.
type listener struct {
	net.Listener
	conns *conns
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, ok := accepted.(*net.TCPConn); ok {
			tcp.SetWriteBuffer(sendBuffer)
		}
		c := &conn{Conn: accepted, conns: l.conns}
		if l.conns.enter(c) {
			return c, nil
		}
		accepted.Close()
	}
}
