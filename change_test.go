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
		{}, {Minor: 1, Mark: -1}, {Major: 1, Minor: 2, Mark: 3}, {Major: math.MaxInt64, Minor: math.MaxInt64, Mark: math.MinInt64},
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
	good := library.Position{Major: 5, Minor: 6, Mark: 7}.String()
	for _, bad := range []string{
		"", " ", "0", "1-2-3", good[1:], good + "A", good + "=", " " + good[1:], good[:31] + "\n", good[:30] + "\r\n", good[:31] + "é",
		strings.Replace(good, "A", "+", 1), strings.Replace(good, "A", "/", 1), strings.Repeat("A", 1<<20), "\x00" + good[1:],
		library.Position{Major: -1}.String(), library.Position{Minor: -1}.String(), "' OR 1=1 --' OR 1=1 --' OR 1=1 --",
	} {
		if p, ok := library.ParsePosition(bad); ok {
			t.Errorf("%.60q is read as %+v", bad, p)
		}
	}
}

func TestPositionsHaveAnOrder(t *testing.T) {
	t.Parallel()
	ordered := []library.Position{{Mark: 9}, {Minor: 1, Mark: 2}, {Minor: 2}, {Major: 1}, {Major: 1, Minor: 1}}
	for i, p := range ordered {
		for j, q := range ordered {
			if got := p.Compare(q); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%+v to %+v: %d", p, q, got)
			}
		}
	}
}
