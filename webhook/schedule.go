package webhook

import (
	"time"

	"example.org/library/hook"
)

const (
	firstPause   = 5 * time.Second
	longestPause = 30 * time.Minute
	giveUpAfter  = 3 * 24 * time.Hour
)

// pause is how long to wait after this number of failed attempts.
func pause(attempts int) time.Duration {
	p := firstPause
	for ; attempts > 1 && p < longestPause; attempts-- {
		p *= 2
	}
	return min(p, longestPause)
}

// failed is the hook after an attempt that has failed.
func failed(h hook.Hook, now time.Time) hook.Hook {
	if h.Attempts++; h.Failing.IsZero() || h.Failing.After(now) {
		h.Failing = now
	}
	h.Next = now.Add(pause(h.Attempts))
	return h
}

// delivered is the hook after an event was taken.
func delivered(h hook.Hook, seq int64) hook.Hook {
	return hook.Hook{Key: h.Key, Position: seq}
}

// wait is how long the next attempt is away. A clock that went back does not make it longer
// than the pause.
func wait(h hook.Hook, now time.Time) time.Duration {
	if h.Next.IsZero() {
		return 0
	}
	return min(max(h.Next.Sub(now), 0), pause(h.Attempts))
}

// isLate reports whether an event is given up: the receiver has taken nothing for three days, and
// the event is as old. While the hook is off nothing is tried, and age alone counts.
func isLate(h hook.Hook, e hook.Event, now time.Time) bool {
	isTried := h.Off || !h.Failing.IsZero() && now.Sub(h.Failing) >= giveUpAfter
	return isTried && now.Sub(e.Collected) >= giveUpAfter
}

// begun is the hook at the start of a process. After a standstill there is an hour before anything is given up.
func begun(h hook.Hook, now time.Time) hook.Hook {
	if latest := now.Add(time.Hour - giveUpAfter); !h.Failing.IsZero() && h.Failing.Before(latest) {
		h.Failing = latest
	}
	return h
}
