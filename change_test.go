package library_test

import (
	"math"
	"strings"
	"testing"

	"example.org/library"
)

func TestAPositionIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for _, p := range []library.Position{
		{}, {Seq: 1, Nonce: -1}, {TxID: 1, Seq: 2, Nonce: 3}, {TxID: math.MaxInt64, Seq: math.MaxInt64, Nonce: math.MinInt64},
	} {
		got, ok := library.ParsePosition(p.String())
		if !ok || got != p {
			t.Errorf("%+v is read as %+v, %t", p, got, ok)
		}
		if strings.ContainsAny(p.String(), "\r\n \x00") || len(p.String()) != 32 {
			t.Errorf("%+v is written as %q", p, p)
		}
	}
}

func TestWhatIsNoPositionIsRefused(t *testing.T) {
	t.Parallel()
	good := library.Position{TxID: 5, Seq: 6, Nonce: 7}.String()
	for _, bad := range []string{
		"", " ", "0", "1-2-3", good[1:], good + "A", good + "=", " " + good[1:], good[:31] + "\n", good[:30] + "\r\n", good[:31] + "é",
		strings.Replace(good, "A", "+", 1), strings.Replace(good, "A", "/", 1), strings.Repeat("A", 1<<20), "\x00" + good[1:],
		library.Position{TxID: -1}.String(), library.Position{Seq: -1}.String(), "' OR 1=1 --' OR 1=1 --' OR 1=1 --",
	} {
		if p, ok := library.ParsePosition(bad); ok {
			t.Errorf("%.60q is read as %+v", bad, p)
		}
	}
}

func TestPositionsHaveAnOrder(t *testing.T) {
	t.Parallel()
	ordered := []library.Position{{Nonce: 9}, {Seq: 1, Nonce: 2}, {Seq: 2}, {TxID: 1}, {TxID: 1, Seq: 1}}
	for i, p := range ordered {
		for j, q := range ordered {
			if got := p.Compare(q); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%+v to %+v: %d", p, q, got)
			}
		}
	}
}
