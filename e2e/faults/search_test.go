package faults

import (
	"strings"
	"testing"

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
