package hooks

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// reading is a store in which nothing can be changed.
type reading struct{ library.Store }

func (reading) Tx(context.Context, func(library.Tx) error) error { return errors.New("a transaction") }

func unusedHooks(t *testing.T, f fixture.Store) {
	clock := testkit.NewClock(fixture.BorrowedAt)
	s := library.NewService(f.Store, library.WithClock(clock.Now))
	begin(t, f, s)
	add := func(key string) {
		t.Helper()
		_, _, err := s.AddHook(f.Ctx, key)
		testkit.NoError(t, err)
	}
	add("the old address")
	add("the new one")
	for range 3 {
		clock.Advance(library.HookSaidEvery)
		testkit.NoError(t, s.TrimHooks(f.Ctx, []string{"the new one"}))
	}
	inUse, err := s.HooksInUse(f.Ctx)
	testkit.NoError(t, err)
	if len(inUse) != 1 || inUse[0].Key != "the new one" {
		t.Errorf("in use are %+v", inUse)
	}
	kept, err := s.Hooks(f.Ctx)
	testkit.NoError(t, err)
	testkit.Equal(t, len(kept), 2) // for days: its process may come back
	clock.Advance(time.Minute)
	add("the old address")
	inUse, err = s.HooksInUse(f.Ctx)
	testkit.NoError(t, err)
	testkit.Equal(t, len(inUse), 2)
}
