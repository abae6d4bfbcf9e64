package postgres

import (
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// TestASlowGroupOfSeveralWaitsForOneMore shows when the next group waits, and for whom.
func TestASlowGroupOfSeveralWaitsForOneMore(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before int  // members of the group before
		slow   bool // it was
		queued int  // who wait when it ends
		come   int  // who must come until the next group begins; 0 if it begins at once
	}{
		"a quick group":                       {before: 5, slow: false, come: 0},
		"a slow member alone":                 {before: 1, slow: true, come: 0},
		"a slow group":                        {before: 2, slow: true, come: 3},
		"a slow group, and some wait":         {before: 4, slow: true, queued: 3, come: 2},
		"a slow group, and enough wait":       {before: 4, slow: true, queued: 5, come: 0},
		"a slow group that could not grow":    {before: maxGroup, slow: true, queued: maxGroup - 1, come: 1},
		"a slow group, and a whole one waits": {before: maxGroup, slow: true, queued: maxGroup, come: 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGroupCommit(nil, nil)
			g.running = 1
			g.queue = make([]*member, tt.queued)
			filled := g.waitForMore(&group{members: make([]*member, tt.before), slow: tt.slow})
			if (filled != nil) != (tt.come > 0) {
				t.Fatalf("it waits: %v", filled != nil)
			}
			for i := range tt.come {
				select {
				case <-filled:
					t.Fatalf("after %d have come it waits no longer", i)
				default:
				}
				g.queue = append(g.queue, nil)
				g.signalFilled()
			}
			if tt.come > 0 {
				<-filled
			}
		})
	}
}

func TestNoGroupWaitsForMoreForLong(t *testing.T) {
	t.Parallel()
	g := newGroupCommit(nil, nil)
	g.running = 1
	began := time.Now()
	g.awaitFilled(&group{members: make([]*member, 3), slow: true})
	if took := time.Since(began); took < fillTimeout || took > testkit.Bound(10*time.Second) {
		t.Errorf("it waited for %v", took)
	}
}

func TestOnlyTheWorkerThatTakesTheNextGroupWaitsForMore(t *testing.T) {
	t.Parallel()
	g := newGroupCommit(nil, nil)
	g.running = 1
	slow := &group{members: make([]*member, 3), slow: true}
	filled := g.waitForMore(slow)
	g.running = 2 // another one, which is quick, runs beside it
	if other := g.waitForMore(slow); other != nil {
		t.Error("both wait")
	}
	g.queue = make([]*member, 4)
	g.signalFilled()
	select {
	case <-filled:
	default:
		t.Error("the first waits although enough have come")
	}
}
