package postgres

import (
	"context"
	"errors"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// single is a group of one, which its member runs by itself: no other goroutine is woken
// up for it. Callers that come meanwhile wait for the next group.
type single struct {
	now         *group
	slow, stuck *time.Timer
	tx          *pipeline
	found       engine.Group
}

// joinNobody loads for a member whom nobody is with.
func (g *groupCommit) joinNobody(ctx context.Context, p *pipeline) (library.User, *library.Circulation, error) {
	m := p.candidate
	now := &group{members: []*member{m}}
	s := &single{now: now, tx: &pipeline{engine: g.engine, own: p.own, began: p.began}}
	s.slow, s.stuck = g.watch(now)
	m.single = s
	var err error
	if s.found, err = g.loadAll(ctx, s.tx, now.members); err == nil {
		handOut(s.found, now.members)
		err = m.err
	}
	if err != nil {
		g.endAlone(ctx, m)
		return library.User{}, nil, errAlone
	}
	p.member, p.queue = m, nil
	return m.caller, m.found, nil
}

// finish writes what the member has decided; err is what has become of that.
func (s *single) finish(ctx context.Context, m *member, err error) error {
	switch {
	case m.refused:
		return errAlone
	case err != nil || !m.saves():
		return err
	}
	err = s.tx.finish(ctx, saveAll(ctx, s.tx, s.found, s.now.members))
	if err != nil && !errors.Is(err, library.ErrOutcomeUnknown) {
		return errAlone
	}
	return err
}

// endAlone ends a group of one, if a member is that, also if its rule has panicked.
func (g *groupCommit) endAlone(ctx context.Context, m *member) {
	s := m.single
	if s == nil {
		return
	}
	m.single = nil
	s.tx.end(ctx)
	s.slow.Stop()
	s.stuck.Stop()
	g.end(s.now)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	g.start()
}
