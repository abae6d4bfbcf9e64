package client

import (
	"errors"
	"strconv"
	"testing"

	"example.org/library/internal/testkit"
)

func TestPagesReadNoMoreThanWanted(t *testing.T) {
	t.Parallel()
	const total = 1234
	for _, c := range []struct{ limit, items, pages int }{
		{1, 1, 1}, {30, 30, 1}, {500, 500, 1}, {501, 501, 2}, {1234, 1234, 3}, {5000, 1234, 3}, {0, 1234, 3},
	} {
		asked, pages, items := 0, 0, 0
		for p, err := range Pages(c.limit, func(size int, cursor string) (Page[int], error) {
			asked += size
			from, _ := strconv.Atoi(cursor)
			p := Page[int]{Total: total}
			for n := from; n < min(from+size, total); n++ {
				p.Items = append(p.Items, n)
			}
			if from+size < total {
				p.Next = strconv.Itoa(from + size)
			}
			return p, nil
		}) {
			if err != nil || p.Total != total || p.Items[0] != items {
				t.Fatalf("limit %d: %v, a total of %d", c.limit, err, p.Total)
			}
			pages, items = pages+1, items+len(p.Items)
		}
		if items != c.items || pages != c.pages || c.limit > 0 && asked > c.limit {
			t.Errorf("limit %d: %d records in %d pages, %d asked for", c.limit, items, pages, asked)
		}
	}
}

func TestAPageThatIsLongerThanAskedForIsCut(t *testing.T) {
	t.Parallel()
	var got []int
	for item, err := range Items(Pages(2, func(int, string) (Page[int], error) { return Page[int]{Items: []int{1, 2, 3}, Total: 3}, nil })) {
		testkit.NoError(t, err)
		got = append(got, item)
	}
	if len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestPagesEndWithTheFirstError(t *testing.T) {
	t.Parallel()
	wrong, calls := errors.New("wrong"), 0
	for _, err := range Items(Pages(0, func(int, string) (Page[int], error) { calls++; return Page[int]{}, wrong })) {
		testkit.ErrorIs(t, err, wrong)
	}
	testkit.Equal(t, calls, 1, "calls")
}
