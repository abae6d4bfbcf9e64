package faults

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// TestTheSearchFindsWhatIsWrong makes sure that the tests of this package would
// notice: it falsifies what is in the database, or the answers to readers.
func TestTheSearchFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	l := open(t, emptySQLite(t), 1)
	c := l.gather(t)
	testkit.Eventually(t, "readers have done a lot", func() bool { return c.sofar().tally()["done"] >= 100 })
	h := c.end()
	h.verify(t)
	written := l.loans(t)
	last := func(act string) *answer {
		for i := len(h.answers) - 1; i >= 0; i-- {
			if a := &h.answers[i]; a.isDone() && a.Act == act && (act == "return" || written[a.loan].user == a.Reader) {
				return a
			}
		}
		t.Fatalf("nobody has done: %s", act)
		return nil
	}
	want := func(what string, found problems, sentence string) {
		t.Helper()
		if !strings.Contains(strings.Join(found, "\n"), sentence) {
			t.Errorf("%s: found %q", what, found)
		}
	}
	falsified := func(change func(map[string]loan)) problems {
		copied := map[string]loan{}
		for id, one := range written {
			copied[id] = one
		}
		change(copied)
		return h.unwritten(copied)
	}
	borrowed := last("borrow")
	want("a loan is lost", falsified(func(m map[string]loan) { delete(m, borrowed.loan) }), "lost: loan")
	want("a loan too many", falsified(func(m map[string]loan) { m["x"] = loan{book: borrowed.Book, user: borrowed.Reader} }), "are in no answer")
	want("a book twice", falsified(func(m map[string]loan) {
		m["x"], m["y"] = loan{book: "b", isOpen: true}, loan{book: "b", isOpen: true}
	}), "with 2 readers")
	want("returns are lost", falsified(func(m map[string]loan) {
		for id, one := range m {
			one.isOpen = true
			m[id] = one
		}
	}), "lost: the return")

	one := last("return")
	was := *one
	one.who = one.Reader
	want("a return that left the book with its reader", h.disorder(t), "no order")
	*one = was
	one.status, one.code = 500, "internal"
	want("a 500", h.badAnswers(), "500")
	one.status, one.code = 503, "unavailable"
	want("a 503 that does not say when to come back", h.badAnswers(), "503")
	want("a change of which was said that it did not happen", h.disorder(t), "no order")
}

// TestTheNetworkCanBeBroken is for the relay.
func TestTheNetworkCanBeBroken(t *testing.T) {
	t.Parallel()
	echo := func(prefix string) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		testkit.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				go func() { io.WriteString(conn, prefix); io.Copy(conn, conn) }()
			}
		}()
		return l.Addr().String()
	}
	r := newRelay(t, echo("a"))
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", r.listener.Addr().String())
		testkit.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	read := func(conn net.Conn, n int, timeout time.Duration) (string, error) {
		conn.SetReadDeadline(time.Now().Add(timeout))
		buffer := make([]byte, n)
		n, err := io.ReadFull(conn, buffer)
		return string(bytes.TrimRight(buffer[:n], "\x00")), err
	}
	first := dial()
	if text, err := read(first, 1, 10*time.Second); text != "a" {
		t.Fatalf("%q, %v", text, err)
	}
	r.freeze()
	io.WriteString(first, "x")
	if text, err := read(first, 1, 100*time.Millisecond); err == nil {
		t.Errorf("%q passes a network that stands still", text)
	}
	r.thaw()
	if text, err := read(first, 1, 10*time.Second); text != "x" {
		t.Errorf("what was sent while it stood still: %q, %v", text, err)
	}
	r.snip()
	if text, err := read(first, 1, 10*time.Second); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("after a cut: %q, %v", text, err)
	}
	r.lead(echo("b"))
	if text, err := read(dial(), 1, 10*time.Second); text != "b" {
		t.Errorf("elsewhere: %q, %v", text, err)
	}
}
