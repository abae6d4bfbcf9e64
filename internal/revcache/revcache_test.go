package revcache_test

import (
	"testing"

	"example.org/library/internal/revcache"
)

type cache = revcache.Cache[string, string, int]

func TestAValueIsGivenOnlyAtTheRevisionItWasPutUnder(t *testing.T) {
	t.Parallel()
	var c cache
	if _, ok := c.Get("", "a"); ok {
		t.Error("an empty cache has a value")
	}
	c.Put("1", "a", 10, 1)
	for _, step := range []struct {
		revision, key string
		want          int
		ok            bool
	}{
		{"1", "a", 10, true},
		{"1", "b", 0, false},
		{"2", "a", 0, false}, // the store has changed
		{"1", "a", 10, true}, // nothing was put since
	} {
		if got, ok := c.Get(step.revision, step.key); got != step.want || ok != step.ok {
			t.Errorf("%s at %s: %d, %v, want %d, %v", step.key, step.revision, got, ok, step.want, step.ok)
		}
	}
	c.Put("2", "b", 20, 1)
	for _, revision := range []string{"1", "2"} {
		if _, ok := c.Get(revision, "a"); ok {
			t.Errorf("a value of revision 1 is there at %s after one of revision 2 was put", revision)
		}
	}
	if c.Cost() != 1 {
		t.Error("values of an earlier revision are kept")
	}
}

func TestTheCostsOfAllValuesStayWithinTheBound(t *testing.T) {
	t.Parallel()
	c := cache{Max: 10}
	for _, step := range []struct {
		key        string
		cost, want int
	}{
		{"a", 4, 4},
		{"b", 6, 10},
		{"large", 11, 10}, // does not fit at all: what is there stays
		{"c", 1, 1},       // does not fit beside the others: they are dropped
		{"c", 1, 1},       // a value that is replaced counts once
		{"d", 9, 10},
	} {
		c.Put("1", step.key, 0, step.cost)
		if got := c.Cost(); got != step.want {
			t.Errorf("after %s of %d: %d, want %d", step.key, step.cost, got, step.want)
		}
	}
	if _, ok := c.Get("1", "b"); ok {
		t.Error("a value that was dropped is there")
	}
}
