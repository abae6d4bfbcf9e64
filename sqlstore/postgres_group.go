package sqlstore

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"example.org/library"
)

// groups runs the loans of several callers in one transaction on PostgreSQL, which
// then parses, plans and commits once for all of them. A group is those who have
// queued up while the groups before it were running. Nobody waits for company as long
// as groups are quick.
//
// A member is a transaction that loads a book and saves a decision about it, and
// reads nothing else. Its own goroutine runs its rules; the group loads for all its
// members, waits for their decisions, and writes them.
//
// Each of them is still all or nothing, and none can spoil another:
//   - A group has each book once, and each reader once if loans are counted. So
//     no member can see, or miss, what another one does.
//   - A group takes the locks that are free and waits for none. A member whose
//     book or caller somebody else has runs alone. So does everybody when
//     anything at all goes wrong before COMMIT is sent.
//   - Whoever is refused writes nothing, and nobody hears of success before the
//     group is committed.
type groups struct {
	store *Store

	mu      sync.Mutex
	queue   []*member
	hoped   int             // how many are hoped for by the group that waits for company
	company chan struct{}   // closed when they are there; nil if they are, or are not waited for
	busy    map[string]bool // books of the groups that are running
	running int
	slow    int // of those that are running
	stuck   int // of those that are slow
}

const (
	// As long as groups are quick, one at a time is best, because the fewer they are
	// the larger. While one is slow, the next runs beside it if enough wait for it;
	// while one is stuck, whoever waits. So many run at most.
	slowGroup  = 2 * time.Millisecond
	enough     = 4
	stuckGroup = 20 * time.Millisecond
	maxGroups  = 4
	// A slow group shows that the database or the machine has other work, perhaps groups
	// of other processes. Then the next group waits up to this long until its queue has one
	// member more than the slow one had, or as many as a group may have: meanwhile the
	// others get on, and larger groups cost less.
	companyPatience = time.Millisecond
	// maxGroup bounds how long the first of a group waits for the last. As many
	// books can be told of one transaction: see the revision in the migrations.
	maxGroup = 16
	// memberPatience is how long a group waits for the decisions of its members,
	// and groupPatience for the database: then there is time left to run alone.
	memberPatience = 50 * time.Millisecond
	groupPatience  = time.Second
)

// errAlone says that a transaction must be run again, alone.
var errAlone = errors.New("sqlstore: the transaction cannot be run together with others")

// member is a transaction that may be run in a group.
type member struct {
	own  context.Context // ends when the caller's patience does
	load library.Load

	loaded chan struct{} // closed when the next three are set
	caller library.User
	found  *library.Circulation
	err    error // errAlone, or nil

	decided  chan struct{} // closed when the next four are set
	failed   bool          // it has nothing to save
	refused  bool          // it has tried what it must do alone
	decision *library.Decision
	after    []queued // what it has to send besides the decision

	ended   chan struct{} // closed when the rest is set
	outcome error
	panic   any // of the group, for its members
}

func newGroups(s *Store) *groups { return &groups{store: s, busy: make(map[string]bool)} }

// do runs fn once, together with others if it allows that. The contexts are those
// of runPipeline.
func (g *groups) do(ctx, own context.Context, fn func(library.Tx) error) error {
	err := g.run(ctx, own, fn)
	if errors.Is(err, errAlone) {
		return g.store.runPipeline(ctx, own, fn)
	}
	return err
}

func (g *groups) run(ctx, own context.Context, fn func(library.Tx) error) error {
	p := &pipeline{store: g.store, own: own, began: time.Now()}
	defer p.end(ctx)
	m := &member{own: own, failed: true, loaded: make(chan struct{}), decided: make(chan struct{}), ended: make(chan struct{})}
	err := func() error {
		defer close(m.decided) // also if fn panics
		err := fn(&tx{dialect: &g.store.dialect, sql: p, pipeline: p, member: m})
		m.failed, m.after = err != nil || m.refused, p.queue
		return err
	}()
	switch {
	case p.member == nil:
		return p.finish(ctx, err)
	case m.refused:
		<-m.ended // it has locks
		return errAlone
	case err != nil || !m.saves():
		return err
	}
	m.awaitEnd()
	return m.outcome
}

// awaitEnd waits for the end of the group. A fault of ours in it ends the requests of
// its members and not the program.
func (m *member) awaitEnd() {
	<-m.ended
	if m.panic != nil {
		panic(m.panic)
	}
}

// saves reports whether a member has something to save.
func (m *member) saves() bool { return !m.failed && (m.decision != nil || len(m.after) > 0) }

// join waits until a group has loaded what a member asks for. Where others wait
// for the book alone, everybody waits behind them. From then on the pipeline of
// the member sends nothing: what it is to send goes with the group.
func (g *groups) join(ctx context.Context, p *pipeline, m *member, l library.Load) (library.User, *library.Circulation, error) {
	mayJoin := l.Together && l.Book != "" && l.Caller != "" && l.Reader == "" && p.isNew()
	if !mayJoin || m.load.Book != "" || g.store.turns.isTaken(atBook(l)) {
		return library.User{}, nil, errAlone
	}
	m.load = l
	g.mu.Lock()
	g.queue = append(g.queue, m)
	g.greet()
	g.start()
	g.mu.Unlock()
	select {
	case <-m.loaded:
		if m.err != nil {
			m.awaitEnd() // the group may have locks that the member asks for
			return library.User{}, nil, m.err
		}
		p.member, p.queue = m, nil
		return m.caller, m.found, nil
	case <-ctx.Done():
		return library.User{}, nil, dbError(ctx, "begin transaction", ctx.Err())
	case <-m.own.Done():
		return library.User{}, nil, wrap("begin transaction", library.ErrUnavailable, m.own.Err())
	}
}

// start lets somebody work for those who wait, unless somebody soon will.
func (g *groups) start() {
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
func (g *groups) work() {
	runtime.Gosched()
	for now := g.next(); now != nil; now = g.next() {
		slow := time.AfterFunc(slowGroup, func() { g.late(now, &now.slow, &g.slow) })
		stuck := time.AfterFunc(stuckGroup, func() { g.late(now, &now.stuck, &g.stuck) })
		g.together(now.members)
		slow.Stop()
		stuck.Stop()
		g.end(now)
		runtime.Gosched()
		g.awaitCompany(now)
	}
}

// awaitCompany waits, after a slow group of several, until one more has queued up.
func (g *groups) awaitCompany(last *group) {
	company := g.hope(last)
	if company == nil {
		return
	}
	patience := time.NewTimer(companyPatience)
	defer patience.Stop()
	select {
	case <-company:
	case <-patience.C:
	}
}

// hope is closed when the wait is over. It is nil if there is nothing to wait for, or
// somebody else takes the next group.
func (g *groups) hope(last *group) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running != g.slow+1 {
		return nil
	}
	g.hoped, g.company = min(len(last.members)+1, maxGroup), nil
	if last.slow && len(last.members) > 1 && len(g.queue) < g.hoped {
		g.company = make(chan struct{})
	}
	return g.company
}

// greet ends the wait for company when it is there.
func (g *groups) greet() {
	if g.company != nil && len(g.queue) >= g.hoped {
		close(g.company)
		g.company = nil
	}
}

// late lets the next group run beside one that takes long.
func (g *groups) late(now *group, is *bool, count *int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !now.ended {
		*is = true
		*count++
		g.start()
	}
}

// next takes the next group out of the queue. It is nil if there is none, or somebody
// else will take it: those who are left in the queue may wait for books of groups that
// are running.
func (g *groups) next() *group {
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

func (g *groups) end(last *group) {
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
func (g *groups) choose() []*member {
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

// gone reports whether the caller does not wait any more.
func (m *member) gone() bool {
	select {
	case <-m.decided:
		return true
	default:
		return false
	}
}

// sameTime reports whether what is overdue at one time is so at the other, as
// far as anybody could tell.
func sameTime(a, b time.Time) bool { return a.Sub(b).Abs() < time.Second }

// together runs a group. Whatever happens, its members learn of it.
func (g *groups) together(members []*member) {
	ctx := context.Background()
	own, cancel := context.WithTimeout(ctx, groupPatience)
	defer cancel()
	var saved []*member
	var crash any
	err := func() error {
		defer func() { crash = recover() }()
		return g.store.runPipeline(ctx, own, func(t library.Tx) (err error) {
			found, err := loadTogether(t.(*tx), members)
			if err != nil {
				return err
			}
			found.tell(members)
			saved = decisions(members)
			return saveTogether(t.(*tx), found, saved)
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

// decisions waits for the members and returns those who have something to save.
func decisions(members []*member) []*member {
	patience := time.NewTimer(memberPatience)
	defer patience.Stop()
	var saved []*member
	for _, m := range members {
		if m.err != nil {
			continue
		}
		m.outcome = errAlone // for those who come too late
		select {
		case <-m.decided:
			if m.saves() {
				saved = append(saved, m)
			}
		case <-patience.C:
			patience.Reset(0)
		}
	}
	return saved
}
