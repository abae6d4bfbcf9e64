package hooks

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
	"example.org/library/webhook"
)

// reading is a store in which nothing can be changed.
type reading struct{ webhook.Store }

func (reading) HookTx(context.Context, func(webhook.Tx) error) error {
	return errors.New("a transaction")
}

func unusedHooks(t *testing.T, f fixture.Store) {
	clock := testkit.NewClock(fixture.BorrowedAt)
	s := newService(f, f.Hooks, clock.Now)
	begin(t, f, s)
	add := func(key string) {
		t.Helper()
		_, _, err := s.hooks.Add(f.Ctx, key)
		testkit.NoError(t, err)
	}
	add("the old address")
	add("the new one")
	for range 3 {
		clock.Advance(webhook.SaidEvery)
		testkit.NoError(t, s.hooks.Trim(f.Ctx, []string{"the new one"}))
	}
	inUse, err := s.hooks.InUse(f.Ctx)
	testkit.NoError(t, err)
	if len(inUse) != 1 || inUse[0].Key != "the new one" {
		t.Errorf("in use are %+v", inUse)
	}
	kept, err := s.hooks.All(f.Ctx)
	testkit.NoError(t, err)
	testkit.Equal(t, len(kept), 2) // for days: its process may come back
	clock.Advance(time.Minute)
	add("the old address")
	inUse, err = s.hooks.InUse(f.Ctx)
	testkit.NoError(t, err)
	testkit.Equal(t, len(inUse), 2)
}
