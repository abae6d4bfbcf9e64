package postgres

import (
	"context"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// errAlone says that a transaction must be run again, alone.
var errAlone = errors.New("sqlstore: the transaction cannot be run together with others")

// member is a transaction that may be run in a group.
type member struct {
	own    context.Context // ends with the caller's timeout
	load   library.Load
	single *single // set if it is a group of one

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

// awaitEnd waits for the end of the group. A panic in it ends the requests of its
// members and not the program.
func (m *member) awaitEnd() {
	<-m.ended
	if m.panic != nil {
		panic(m.panic)
	}
}

// saves reports whether a member has something to save.
func (m *member) saves() bool { return !m.failed && (m.decision != nil || len(m.after) > 0) }

// JoinGroup loads together with others if the transaction may. If not, it waits in line
// for its book and its people, and reports false.
func (p *pipeline) JoinGroup(ctx context.Context, l library.Load) (library.User, *library.Circulation, bool, error) {
	if p.candidate != nil {
		caller, found, err := p.engine.group.join(ctx, p, l)
		if !errors.Is(err, errAlone) {
			return caller, found, true, err
		}
	}
	return library.User{}, nil, false, p.waitForKeys(ctx, keysFor(l)...)
}

// Decide keeps the decision of a member for its group. Copies have barcodes, which
// belong to the whole library: those who change them run alone, because what is
// refused to one of a group is refused to all.
func (p *pipeline) Decide(d library.Decision) (joined bool, err error) {
	m := p.member
	if m == nil {
		return false, nil
	}
	if m.found.Book.ID != d.BookID || m.decision != nil || len(d.AddedCopies)+len(d.EditedCopies)+len(d.RemovedCopies) > 0 {
		m.refused = true
		return true, errAlone
	}
	saved := d // so that only the decision of a member is allocated
	m.decision = &saved
	return true, nil
}

// join waits until a group has loaded what a member asks for. Where others wait
// for the book alone, everybody waits behind them. From then on the pipeline of
// the member sends nothing: what it is to send goes with the group.
func (g *groupCommit) join(ctx context.Context, p *pipeline, l library.Load) (library.User, *library.Circulation, error) {
	m := p.candidate
	mayJoin := l.Together && l.Book != "" && l.Caller != "" && l.Reader == "" && p.isNew()
	if !mayJoin || m.load.Book != "" || g.engine.locks.isLocked(bookKey(l)) {
		return library.User{}, nil, errAlone
	}
	m.load = l
	g.mu.Lock()
	if g.running == 0 && len(g.queue) == 0 {
		g.running++
		g.busy[l.Book] = true
		g.mu.Unlock()
		return g.joinNobody(ctx, p)
	}
	g.queue = append(g.queue, m)
	g.signalFilled()
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
		return library.User{}, nil, Error(ctx, "begin transaction", ctx.Err())
	case <-m.own.Done():
		return library.User{}, nil, engine.Wrap("begin transaction", library.ErrUnavailable, m.own.Err())
	}
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

// loadAll loads for the members.
func (g *groupCommit) loadAll(ctx context.Context, p *pipeline, members []*member) (engine.Group, error) {
	p.lends = true
	loads := make([]library.Load, len(members))
	for i, m := range members {
		loads[i] = m.load
	}
	return g.load(ctx, p, loads)
}

// handOut gives the members what was loaded for them.
func handOut(found engine.Group, members []*member) {
	for i, m := range members {
		ok := false
		if m.caller, m.found, ok = found.Loaded(i); !ok {
			m.err = errAlone
		}
		close(m.loaded)
	}
}

// saveAll writes what the members have decided.
func saveAll(ctx context.Context, p *pipeline, found engine.Group, members []*member) error {
	var all []*library.Decision
	var after []queued
	for _, m := range members {
		if m.decision != nil {
			all = append(all, m.decision)
		}
		after = append(after, m.after...)
	}
	var others func()
	if len(after) > 0 {
		others = func() { p.queue = append(p.queue, after...) }
	}
	return found.Save(ctx, p, all, others)
}

// decisions waits for the members and returns those who have something to save.
func decisions(members []*member) []*member {
	timeout := time.NewTimer(memberTimeout)
	defer timeout.Stop()
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
		case <-timeout.C:
			timeout.Reset(0)
		}
	}
	return saved
}
