package testkit

import (
	"testing"
	"testing/synctest"
	"time"
)

// bounded is a test with a deadline of its own.
type bounded struct {
	testing.TB
	deadline time.Time
}

func (b bounded) Deadline() (time.Time, bool) { return b.deadline, !b.deadline.IsZero() }

func TestAWaitEndsShortlyBeforeTheTestIsEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left     time.Duration
		from, to time.Duration
	}{
		"ten minutes":  {10 * time.Minute, 9 * time.Minute, 10 * time.Minute},
		"nothing left": {-time.Minute, time.Second, time.Second},
	} {
		if got := Timeout(bounded{t, time.Now().Add(c.left)}); got < c.from || got > c.to {
			t.Errorf("%s: a wait may take %v", name, got)
		}
	}
	if got := Timeout(bounded{TB: t}); got != 10*time.Minute {
		t.Errorf("without a deadline a wait may take %v", got)
	}
}

func TestAWaitEndsWithItsCondition(t *testing.T) {
	t.Parallel()
	asked := 0
	Eventually(t, "the third question", func() bool { asked++; return asked == 3 })
	values := make(chan int, 1)
	values <- 7
	if got := Receive(t, "a number", values); got != 7 || asked != 3 {
		t.Errorf("got %d after %d questions", got, asked)
	}
}

func TestABusyMachineGetsMoreTime(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]float64{
		"3.41 2.70 2.59 1/812 24071":  3.41,
		"3.41 2.70 2.59 25/812 24071": 25,
		"":                            0,
		"a b c d":                     0,
	} {
		if got := parseLoad(line); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	if got := Bound(time.Second); got < time.Second {
		t.Errorf("a second became %v", got)
	}
}

func TestAwayFromMidnightIsTheNewDayIfItIsNear(t *testing.T) {
	t.Parallel()
	for at, want := range map[time.Duration]time.Duration{
		12 * time.Hour:                 12 * time.Hour,
		23*time.Hour + 59*time.Minute:  24 * time.Hour,
		22*time.Hour + 59*time.Minute:  23 * time.Hour, // midnight in Berlin, in winter
		24*time.Hour - time.Nanosecond: 24 * time.Hour,
		24*time.Hour + time.Nanosecond: 24*time.Hour + time.Nanosecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now() // a midnight of UTC
			time.Sleep(at)
			AwayFromMidnight()
			Equal(t, time.Since(began), want)
		})
	}
}
