package faults

import (
	"testing"
	"time"
)

// standstill is how long something is locked, frozen or paused.
const standstill = 8 * time.Second

// wantSoon wants that nobody waited longer than is promised.
func (h history) wantSoon(t testing.TB) {
	t.Helper()
	for _, a := range h.answers {
		if a.took > bound+slack {
			t.Errorf("%s, called after %v, took %v: %d %s", a.Act, a.called.Round(time.Millisecond), a.took.Round(time.Millisecond), a.status, a.code)
		}
	}
}

// wantBounded wants that everybody was answered soon, and clearly.
func (h history) wantBounded(t testing.TB) {
	t.Helper()
	h.wantSoon(t)
	if n := h.tally(); n["cut off"]+n["no connection"]+n["outcome_unknown"] > 0 {
		t.Errorf("answers are missing or unclear: %v", n)
	}
}

// wantRefused expects that somebody got 503 unavailable: the fault had an effect.
func (h history) wantRefused(t testing.TB) {
	t.Helper()
	if h.tally()["unavailable"] == 0 {
		t.Error("nobody noticed anything; this test tests nothing")
	}
}

// wantUnnoticed wants that callers whom a fault does not concern were served, and
// soon.
func (h history) wantUnnoticed(t testing.TB) {
	t.Helper()
	if n := h.tally(); n["unavailable"]+n["overloaded"]+n["outcome_unknown"]+n["cut off"]+n["no connection"] > 0 {
		t.Errorf("callers whom it does not concern noticed: %v", n)
	}
	most := 0.99
	if len(h.answers) < 1000 {
		most = 0.95 // of few answers, those during one pause of the machine are more than a hundredth
	}
	if h.quantile(most) > brief || h.slowest() > brief+slack {
		t.Errorf("callers whom it does not concern waited: %.0f of a hundred for less than %v, one for %v", 100*most, h.quantile(most), h.slowest())
	}
}
