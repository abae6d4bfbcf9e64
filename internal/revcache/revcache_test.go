package revcache_test

import (
	"fmt"
	"testing"

	"example.org/library/internal/revcache"
)

type cache = revcache.Cache[string, int]

func TestAValueIsGoodUntilWhatItDependsOnChanges(t *testing.T) {
	t.Parallel()
	everything := func(j *revcache.Journal) { j.ChangeAll() }
	change := func(subjects ...string) func(*revcache.Journal) {
		return func(j *revcache.Journal) { j.Change(subjects...) }
	}
	for _, c := range []struct {
		rule    string
		depends []string
		happens []func(*revcache.Journal)
		good    bool
	}{
		{"nothing happens", []string{"a"}, nil, true},
		{"its subject changes", []string{"a"}, []func(*revcache.Journal){change("a")}, false},
		{"one of its subjects changes", []string{"a", "b", "c"}, []func(*revcache.Journal){change("x", "b")}, false},
		{"another subject changes", []string{"a"}, []func(*revcache.Journal){change("b"), change("c", "d")}, true},
		{"something changes that has no name", []string{"a"}, []func(*revcache.Journal){change()}, true},
		{"its subject changes, then others", []string{"a"}, []func(*revcache.Journal){change("a"), change("b")}, false},
		{"everything changes", []string{"a"}, []func(*revcache.Journal){everything}, false},
		{"everything changes, and it depends on nothing", nil, []func(*revcache.Journal){everything, change("b")}, false},
		{"a subject changes, and it depends on none", nil, []func(*revcache.Journal){change("b")}, true},
		{"it depends on anything", []string{revcache.Anything}, []func(*revcache.Journal){change("b")}, false},
		{"it depends on anything, also without a name", []string{revcache.Anything}, []func(*revcache.Journal){change()}, false},
		{"it depends on anything, and nothing happens", []string{revcache.Anything}, nil, true},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			for _, looked := range []bool{false, true} { // whether somebody looks after each change
				var j revcache.Journal
				var values cache
				j.Change("a", "b") // before it was read
				values.Put(j.At(""), "key", 7, 1, c.depends...)
				for _, happen := range c.happens {
					happen(&j)
					if looked {
						values.Get(j.At(""), "key")
					}
				}
				if got, ok := values.Get(j.At(""), "key"); ok != c.good || ok && got != 7 {
					t.Errorf("looked %v: %d, %v, want %v", looked, got, ok, c.good)
				}
			}
		})
	}
}

func TestWhatChangesWhileAValueIsReadCounts(t *testing.T) {
	t.Parallel()
	var j revcache.Journal
	var values cache
	at := j.At("")
	j.Change("a") // after the revision was learned, perhaps before the value was read
	values.Put(at, "key", 7, 1, "a")
	if _, ok := values.Get(j.At(""), "key"); ok {
		t.Error("the value is taken for a newer one than it may be")
	}
	values.Put(at, "other", 7, 1, "b")
	if _, ok := values.Get(j.At(""), "other"); !ok {
		t.Error("a value that the change is not about is lost")
	}
}

func TestAValueOfAnotherStoreIsNotFound(t *testing.T) {
	t.Parallel()
	var j, other revcache.Journal
	var values cache
	values.Put(j.At(""), "key", 7, 1)
	if _, ok := values.Get(other.At(""), "key"); ok {
		t.Error("a value was found at the revision of another store")
	}
	values.Put(revcache.Revision{}, "key", 8, 1)
	if _, ok := values.Get(revcache.Revision{}, "key"); ok {
		t.Error("a value was kept at no revision")
	}
}

func TestTheJournalForgetsOnTheSafeSide(t *testing.T) {
	t.Parallel()
	var j revcache.Journal
	var values cache
	values.Put(j.At(""), "changed", 1, 1, "first")
	values.Put(j.At(""), "unchanged", 1, 1, "never")
	values.Put(j.At(""), "looked at", 1, 1, "never")
	j.Change("first")
	for i := range 100_000 { // more than it remembers
		j.Change(fmt.Sprint(i))
		if _, ok := values.Get(j.At(""), "looked at"); !ok {
			t.Fatalf("after %d changes a value that is looked at all the time is lost", i)
		}
	}
	if _, ok := values.Get(j.At(""), "changed"); ok {
		t.Error("a change was forgotten, and with it that a value is old")
	}
	if _, ok := values.Get(j.At(""), "unchanged"); ok {
		t.Error("it cannot be known that nothing has changed for so long")
	}
}

func TestTheCostsOfAllValuesStayWithinTheBound(t *testing.T) {
	t.Parallel()
	var j revcache.Journal
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
		{"c", 2, 2},
		{"d", 8, 10},
	} {
		c.Put(j.At(""), step.key, 0, step.cost)
		if got := c.Cost(); got != step.want {
			t.Errorf("after %s of %d: %d, want %d", step.key, step.cost, got, step.want)
		}
	}
	if _, ok := c.Get(j.At(""), "b"); ok {
		t.Error("a value that was dropped is there")
	}
}
