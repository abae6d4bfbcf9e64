package bench

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// TestARequestComparedWithOneWithoutEndedSessions reads with as many ended sessions as may be kept, and
// without --logout, and compares the processor time.
func TestARequestComparedWithOneWithoutEndedSessions(t *testing.T) {
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			idp := testidp.New(t)
			token := idp.Mint(t, testidp.Claims{"email": reader, "scope": "library_user", "sid": "a session that goes on"})
			service := func(name string, ended int, flags ...string) *contender {
				database := newDatabase(t)
				addBooks(t, database, 1)
				endSessions(t, database, ended)
				cmd := program(database, idp)
				cmd.Args = append(cmd.Args, flags...)
				return startContender(t, name, cmd, request("GET", base+book, token)).on(t, database)
			}
			services := []*contender{service("100,000 ended sessions", library.MaxLogouts, "--logout", "--logout-audience", "library-web"), service("without --logout", 0)}
			all := inRounds(t, conns, func(s *contender) newWorker { return s.asker(t, s.one) }, services...)
			ratios := ratiosOf(all[0], all[1], ownTime)
			t.Logf("%s GET /books/{id} with 100,000 ended sessions: %s of the processor time, target 1.05 or less", name, spread(ratios))
			if len(ratios) >= 5 && slices.Min(ratios) > 1.05 {
				t.Errorf("no round was below 1.05")
			}
		})
	}
}

func startContender(t *testing.T, name string, cmd *exec.Cmd, one []byte) *contender {
	t.Helper()
	addr := start(t, cmd)
	return &contender{name: name, addrs: []string{addr}, pids: []int{cmd.Process.Pid}, log: unknownLog{}, one: one}
}

// endSessions ends so many sessions, all of them in one transaction.
func endSessions(t *testing.T, database string, n int) {
	t.Helper()
	ctx := library.WithStoreTimeout(t.Context(), 5*time.Minute)
	store, err := sqlstore.Open(ctx, database)
	testkit.NoError(t, err)
	defer store.Close()
	testkit.NoError(t, store.Tx(ctx, func(tx library.Tx) error {
		for i := range n {
			var d library.Digest
			copy(d[:], strconv.Itoa(i))
			if err := tx.AddLogout(ctx, library.Logout{Token: d, Ends: d, Until: time.Now().Add(time.Hour)}); err != nil {
				return fmt.Errorf("ended session %d: %w", i, err)
			}
		}
		return nil
	}))
}
