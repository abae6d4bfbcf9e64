package devidp

import (
	"fmt"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestTableExpiresAndIsBounded(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	var gone []string
	table := newTable(time.Minute, 3, func(s string) { gone = append(gone, s) })
	for i := range 5 {
		key := fmt.Sprint(i)
		table.put(key, key, now.Add(time.Duration(i)*time.Second))
	}
	if len(table.entries) != 3 || table.order.Len() != 3 || fmt.Sprint(gone) != "[0 1]" {
		t.Errorf("%d entries, gone %v", len(table.entries), gone)
	}
	table.touch("2", now.Add(10*time.Second))
	if _, ok := table.get("3", now.Add(63*time.Second)); ok {
		t.Error("3 has not expired")
	}
	if v, ok := table.get("2", now.Add(69*time.Second)); !ok || v != "2" {
		t.Error("2 has expired")
	}
	table.put("5", "5", now.Add(64*time.Second))
	if fmt.Sprint(gone) != "[0 1 3 4]" || len(table.entries) != 2 {
		t.Errorf("gone %v", gone)
	}
}

// sizes are the numbers of everything that is remembered.
func (s *state) sizes() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]int{
		"sessions": len(s.sessions.entries), "browsers": len(s.browsers),
		"families": len(s.families.entries), "codes": len(s.codes.entries), "redeemed": len(s.redeemed),
		"revoked": len(s.revoked.entries), "spent": len(s.spent.entries),
		"failures": len(s.failures.entries),
	}
}

func TestStateIsBoundedUnderFlood(t *testing.T) {
	t.Parallel()
	c := testkit.NewClock(time.Unix(1e9, 0))
	s := newState(c.Now)
	for i := range 24_000 {
		user := fmt.Sprint("user", i%50)
		sess := s.startSession(user, "")
		text := s.newCode(code{sessionID: sess.id, user: user})
		if i%2 == 0 {
			s.redeem(text, func(code) ([]string, *oauthError) { return nil, nil })
		}
		s.startFamily(user, "client", nil, nil)
		s.revoke(fmt.Sprint(i))
		s.spend(fmt.Sprint(i))
		s.attempt(fmt.Sprint("account", i), func() bool { return false })
	}
	want := map[string]int{
		"sessions": maxSessions, "browsers": maxSessions, "families": maxFamilies, "codes": maxCodes, "redeemed": maxFamilies,
		"revoked": maxRevoked, "spent": maxSpentForms, "failures": maxFailures,
	}
	for name, got := range s.sizes() {
		if got > want[name] {
			t.Errorf("%s: %d, at most %d", name, got, want[name])
		}
	}
	c.Advance(24 * time.Hour)
	s.startFamily("user0", "client", nil, nil)
	for _, name := range []string{"sessions", "families"} {
		testkit.Equal(t, s.sizes()[name], 1, name)
	}
	for _, name := range []string{"browsers", "redeemed"} {
		testkit.Equal(t, s.sizes()[name], 0, name)
	}
}

// A visitor who has not logged in takes no memory.
func TestLoginPagesTakeNoMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 100 {
		w.browser().get(authAddress(authQuery("library-web", webCallback)))
	}
	for name, n := range w.provider.state.sizes() {
		testkit.Equal(t, n, 0, name)
	}
}
