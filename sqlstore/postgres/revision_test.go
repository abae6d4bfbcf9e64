package postgres

import (
	"testing"

	"example.org/library/internal/testkit"
)

// An answer that comes late says less than what is known; a counter that has gone back is something else.
func TestAnswersAboutCountersMayOvertakeEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule            string
		known           []int64
		place, counters string
		first, second   bool // whether the books are as they were
	}{
		{"the same again", []int64{5, 7}, "p", "5;7", true, true},
		{"one more", []int64{5, 7}, "p", "5;8,8 first", false, true},
		{"two more of one counter", []int64{5, 7}, "p", "5;9,9 first,8 second,7 other", false, false},
		{"something of the past", []int64{5, 7}, "p", "6,6 -,5 first;7", true, true},
		{"an answer that was overtaken", []int64{4, 7}, "p", "4;7", true, true},
		{"one that was overtaken in part", []int64{4, 6}, "p", "4;8,8 second,7 first,6 x", true, false},
		{"a number that is missing", []int64{5, 7}, "p", "5;9,9 first", false, false},
		{"everything", []int64{5, 7}, "p", "5;8,8 x *", false, false},
		{"a counter that has gone back", []int64{5, 7}, "p", "5;6,6 x", false, false},
		{"counters elsewhere", []int64{5, 7}, "q", "5;7", false, false},
		{"more counters", []int64{5, 7}, "p", "5;7;0", false, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			learn := new(revision).learn
			before, err := learn(nil, "p", "5,5 x;7,7 x")
			testkit.NoError(t, err)
			after, err := learn(c.known, c.place, c.counters)
			testkit.NoError(t, err)
			if first, second := after.Unchanged(before, "first"), after.Unchanged(before, "second"); first != c.first || second != c.second {
				t.Errorf("unchanged: %v and %v, want %v and %v", first, second, c.first, c.second)
			}
		})
	}
	if _, err := new(revision).learn(nil, "p", "5;x"); err == nil {
		t.Error("what is no number is taken for one")
	}
}
