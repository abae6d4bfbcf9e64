package pagination_test

import (
	"slices"
	"strconv"
	"testing"

	"example.org/library/internal/pagination"
)

type place int

func (p place) String() string { return strconv.Itoa(int(p)) }

// TestAWholeListMayBeFoundManyRecordsAtATime reads eight records, of which three are found at
// once, and of which each is read when it is handed out.
func TestAWholeListMayBeFoundManyRecordsAtATime(t *testing.T) {
	found := 0
	p := pagination.Pager[int, place]{
		Count: func() (int, error) { return 8, nil },
		Ahead: 3,
		ReadKeys: func(limit int, after *place) (keys []int, err error) {
			found++
			first := 1
			if after != nil {
				first = int(*after) + 1
			}
			for i := first; i <= 8 && len(keys) < limit; i++ {
				keys = append(keys, i)
			}
			return keys, nil
		},
		ReadIDs: func(ids []string) (records []int, err error) {
			for _, id := range ids {
				n, _ := strconv.Atoi(id)
				records = append(records, n)
			}
			return records, nil
		},
		ID:     strconv.Itoa,
		Show:   func(n int) int { return n },
		Bytes:  func(int) int { return 1 },
		Cursor: func(n int) place { return place(n) },
	}
	l, err := pagination.Read(p)
	if err != nil || l.Total != 8 {
		t.Fatal(l.Total, err)
	}
	var got []int
	for n, err := range l.All {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 7, 8}) || found != 3 {
		t.Errorf("%v, found in %d steps", got, found)
	}
}
