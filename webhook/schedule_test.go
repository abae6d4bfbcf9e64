package webhook_test

import (
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/webhook"
)

func TestPausesGrowFromFiveSeconds(t *testing.T) {
	t.Parallel()
	last := time.Duration(0)
	for n := 1; n <= 9; n++ {
		p := webhook.Pause(n)
		if p <= last {
			t.Errorf("after %d attempts %v", n, p)
		}
		last = p
	}
	testkit.Equal(t, webhook.Pause(1), 5*time.Second)
	testkit.Equal(t, webhook.Pause(1000), 30*time.Minute)
}

func TestAnEventIsGivenUpWhenItIsThreeDaysOldAndTheReceiverHasFailedAsLong(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 17, 8, 0, 0, 0, time.UTC)
	before := func(d time.Duration) time.Time { return now.Add(-d) }
	day := 24 * time.Hour
	for _, c := range []struct {
		rule string
		hook webhook.Hook
		age  time.Duration
		want bool
	}{
		{"both", webhook.Hook{Failing: before(3 * day)}, 3 * day, true},
		{"an event that came later", webhook.Hook{Failing: before(9 * day)}, 3*day - time.Minute, false},
		{"a standstill before the first attempt", webhook.Hook{Failing: before(time.Hour)}, 9 * day, false},
		{"never tried", webhook.Hook{}, 9 * day, false},
		{"off, and old", webhook.Hook{Off: true}, 3 * day, true},
		{"off", webhook.Hook{Off: true}, 2 * day, false},
		{"a clock that went back", webhook.Hook{Failing: now.Add(time.Hour)}, 9 * day, false},
	} {
		if got := webhook.IsLate(c.hook, webhook.Event{Collected: before(c.age)}, now); got != c.want {
			t.Errorf("%s: %v", c.rule, got)
		}
	}
	if h := webhook.Begun(webhook.Hook{Failing: before(9 * day)}, now); now.Sub(h.Failing) != webhook.GiveUpAfter-time.Hour {
		t.Errorf("after a standstill it has failed since %v", h.Failing)
	}
}

func TestAClockThatGoesBackDoesNotLengthenAPause(t *testing.T) {
	t.Parallel()
	now := time.Now()
	h := webhook.Failed(webhook.Hook{}, now)
	testkit.Equal(t, webhook.Wait(h, now.Add(-time.Hour)), 5*time.Second)
	testkit.Equal(t, webhook.Wait(h, now.Add(5*time.Second)), 0)
}

func TestPlainTextDoesNotLeaveThisMachine(t *testing.T) {
	t.Parallel()
	for address, isGood := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true, "192.0.2.1:80": false, "[2001:db8::1]:80": false, "0.0.0.0:80": false, "localhost:80": false,
	} {
		if err := webhook.ToThisMachine("tcp", address, nil); (err == nil) != isGood {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestTheSignatureIsThatOfStandardWebhooks(t *testing.T) {
	t.Parallel()
	// The example of the specification.
	got := secret(t).Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	testkit.Equal(t, got, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
}

func TestAnEventIsJSONWithoutEmptyMembers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 17, 8, 30, 0, 5000, time.FixedZone("", 3600))
	e := webhook.Event{Type: webhook.HoldReady, At: at, BookID: "b", BookTitle: "</script>\n\"é\"", Record: "h"}
	got := string(webhook.Encode(e, library.Person{}))
	testkit.Equal(t, got, `{"type":"hold.ready","timestamp":"2026-11-17T07:30:00Z","data":{"book":{"identifier":"b","title":"\u003c/script\u003e\n\"é\""},"hold":{"identifier":"h"}}}`)
	if strings.Contains(string(webhook.Encode(webhook.Event{Type: webhook.BookAdded}, library.Person{})), "loan") {
		t.Error("a book has a loan")
	}
}
