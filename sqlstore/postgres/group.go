package postgres

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// groupCommit runs the loans of several callers in one transaction, which then is
// parsed, planned and committed once for all of them. A group is those who have
// queued up while the groups before it were running. No group waits for more members
// as long as groups are quick.
//
// A member is a transaction that loads a book and saves a decision about it, and
// reads nothing else. Its own goroutine runs its rules; the group loads for all its
// members, waits for their decisions, and writes them: see [engine.Group].
//
// Each of them is still all or nothing, and none can spoil another:
//   - A group has each book once, and each reader once if loans are counted. So
//     no member can see, or miss, what another one does.
//   - A group takes the locks that are free and waits for none. A member whose
//     book or caller somebody else has runs alone. So does everybody when
//     anything at all goes wrong before COMMIT is sent.
//   - A member that is refused writes nothing, and none learns of success before the
//     group is committed.
type groupCommit struct {
	engine *Engine
	load   engine.GroupLoader

	mu      sync.Mutex
	queue   []*member
	wanted  int             // how many members the next group waits for
	filled  chan struct{}   // closed when they are there; nil if they are, or are not waited for
	busy    map[string]bool // books of the groups that are running
	running int
	slow    int // of those that are running
	stuck   int // of those that are slow
}

const (
	// As long as groups are quick, one at a time is best, because the fewer they are
	// the larger. While one is slow, the next runs beside it if enough wait for it;
	// while one is stuck, if any does. maxGroups run at most.
	slowGroup  = 2 * time.Millisecond
	enough     = 4
	stuckGroup = 20 * time.Millisecond
	maxGroups  = 4
	// A slow group shows that the database or the machine has other work, perhaps groups
	// of other processes. Then the next group waits up to this long until its queue has one
	// member more than the slow one had, or as many as a group may have: meanwhile the
	// others get on, and larger groups cost less.
	fillTimeout = time.Millisecond
	// maxGroup bounds how long the first of a group waits for the last. As many
	// books can be named for one transaction: see the revision in the migrations.
	maxGroup = 16
	// memberTimeout is how long a group waits for the decisions of its members,
	// and groupTimeout for the database: then there is time left to run alone.
	memberTimeout = 50 * time.Millisecond
	groupTimeout  = time.Second
)

func newGroupCommit(e *Engine, load engine.GroupLoader) *groupCommit {
	return &groupCommit{engine: e, load: load, busy: make(map[string]bool)}
}

// do runs fn once, together with others if it allows that. The contexts are those
// of runPipeline.
func (g *groupCommit) do(ctx, own context.Context, fn func(engine.Tx) error) error {
	err := g.run(ctx, own, fn)
	if errors.Is(err, errAlone) {
		return g.engine.runPipeline(ctx, own, func(p *pipeline) error { return fn(p) })
	}
	return err
}

func (g *groupCommit) run(ctx, own context.Context, fn func(engine.Tx) error) error {
	p := &pipeline{engine: g.engine, own: own, began: time.Now()}
	defer p.end(ctx)
	m := &member{own: own, failed: true, loaded: make(chan struct{}), decided: make(chan struct{}), ended: make(chan struct{})}
	defer g.endAlone(ctx, m)
	p.candidate = m
	err := func() error {
		defer close(m.decided) // also if fn panics
		err := fn(p)
		m.failed, m.after = err != nil || m.refused, p.queue
		return err
	}()
	switch {
	case p.member == nil:
		return p.finish(ctx, err)
	case m.single != nil:
		return m.single.finish(ctx, m, err)
	case m.refused:
		<-m.ended // it has locks
		return errAlone
	case err != nil || !m.saves():
		return err
	}
	m.awaitEnd()
	return m.outcome
}

// start lets a goroutine work for those who wait, unless one soon will.
func (g *groupCommit) start() {
	if g.running == g.slow && g.running < maxGroups && (len(g.queue) >= enough || len(g.queue) > 0 && g.running == g.stuck) {
		g.running++
		go g.work()
	}
}

// group is members that run together.
type group struct {
	members            []*member
	slow, stuck, ended bool
}

// work runs groups until nobody waits. Before each, those who are about to join and
// only wait for a processor get it.
func (g *groupCommit) work() {
	runtime.Gosched()
	for now := g.next(); now != nil; now = g.next() {
		slow, stuck := g.watch(now)
		g.together(now.members)
		slow.Stop()
		stuck.Stop()
		g.end(now)
		runtime.Gosched()
		g.awaitFilled(now)
	}
}

// awaitFilled waits, after a slow group of several, until one more has queued up.
func (g *groupCommit) awaitFilled(last *group) {
	filled := g.waitForMore(last)
	if filled == nil {
		return
	}
	timeout := time.NewTimer(fillTimeout)
	defer timeout.Stop()
	select {
	case <-filled:
	case <-timeout.C:
	}
}

// waitForMore is closed when the wait is over. It is nil if there is nothing to wait
// for, or if another goroutine takes the next group.
func (g *groupCommit) waitForMore(last *group) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running != g.slow+1 {
		return nil
	}
	g.wanted, g.filled = min(len(last.members)+1, maxGroup), nil
	if last.slow && len(last.members) > 1 && len(g.queue) < g.wanted {
		g.filled = make(chan struct{})
	}
	return g.filled
}

// signalFilled ends the wait when as many are there as it is for.
func (g *groupCommit) signalFilled() {
	if g.filled != nil && len(g.queue) >= g.wanted {
		close(g.filled)
		g.filled = nil
	}
}

// watch sees to it that others need not wait for a group that takes long.
func (g *groupCommit) watch(now *group) (slow, stuck *time.Timer) {
	return time.AfterFunc(slowGroup, func() { g.late(now, &now.slow, &g.slow) }),
		time.AfterFunc(stuckGroup, func() { g.late(now, &now.stuck, &g.stuck) })
}

// late lets the next group run beside one that takes long.
func (g *groupCommit) late(now *group, is *bool, count *int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !now.ended {
		*is = true
		*count++
		g.start()
	}
}

// next takes the next group out of the queue. It is nil if there is none, or another
// goroutine will take it: those who are left in the queue may wait for books of groups that
// are running.
func (g *groupCommit) next() *group {
	g.mu.Lock()
	defer g.mu.Unlock()
	var members []*member
	if g.running == g.slow+1 {
		members = g.choose()
	}
	if len(members) == 0 {
		g.running--
		return nil
	}
	return &group{members: members}
}

func (g *groupCommit) end(last *group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last.ended = true
	if last.slow {
		g.slow--
	}
	if last.stuck {
		g.stuck--
	}
	for _, m := range last.members {
		delete(g.busy, m.load.Book)
	}
}

// choose takes members out of the queue.
func (g *groupCommit) choose() []*member {
	var members, left []*member
	for _, m := range g.queue {
		switch {
		case m.gone():
		case len(members) == maxGroup, g.busy[m.load.Book], len(members) > 0 && !sameTime(members[0].load.Now, m.load.Now):
			left = append(left, m)
		default:
			g.busy[m.load.Book] = true
			members = append(members, m)
		}
	}
	g.queue = left
	return members
}

// sameTime reports whether what is overdue at one time is so at the other, as
// far as anybody could notice.
func sameTime(a, b time.Time) bool { return a.Sub(b).Abs() < time.Second }

// together runs a group. Whatever happens, its members learn of it.
func (g *groupCommit) together(members []*member) {
	ctx := context.Background()
	own, cancel := context.WithTimeout(ctx, groupTimeout)
	defer cancel()
	var saved []*member
	var crash any
	err := func() error {
		defer func() { crash = recover() }()
		return g.engine.runPipeline(ctx, own, func(p *pipeline) error {
			found, err := g.loadAll(ctx, p, members)
			if err != nil {
				return err
			}
			handOut(found, members)
			saved = decisions(members)
			return saveAll(ctx, p, found, saved)
		})
	}()
	if err != nil && !errors.Is(err, library.ErrOutcomeUnknown) {
		err = errAlone
	}
	for _, m := range members {
		select {
		case <-m.loaded:
		default:
			m.err = errAlone
			close(m.loaded)
		}
	}
	for _, m := range saved {
		m.outcome = err
	}
	for _, m := range members {
		m.panic = crash
		close(m.ended)
	}
}
