package httpserver

import (
	"net"
	"testing"
	"time"
)

// deadlines is a connection that notes its write deadlines.
type deadlines struct {
	net.Conn
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

func TestAWriteDeadlineMovesOnlyWhenItMatters(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for _, c := range []struct {
		rule  string
		next  time.Time
		moves bool
	}{
		{"a little later", start.Add(writeSlack - time.Millisecond), false},
		{"the same", start, false},
		{"much later", start.Add(writeSlack), true},
		{"earlier", start.Add(-time.Millisecond), true},
		{"none at all", time.Time{}, true},
	} {
		inner := &deadlines{}
		conn := &conn{Conn: inner}
		conn.SetWriteDeadline(start)
		conn.SetWriteDeadline(c.next)
		if moved := len(inner.set) == 2; moved != c.moves || !inner.set[0].Equal(start) {
			t.Errorf("%s: deadlines %v", c.rule, inner.set)
		}
	}
}
