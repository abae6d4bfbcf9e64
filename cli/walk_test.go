package cli

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"example.org/library/client"
)

func TestWalkReadsNoMoreThanWanted(t *testing.T) {
	t.Parallel()
	const total = 1234
	for _, c := range []struct{ limit, shown, pages int }{
		{1, 1, 1}, {30, 30, 1}, {500, 500, 1}, {501, 501, 2}, {1234, 1234, 3}, {5000, 1234, 3}, {0, 1234, 3},
	} {
		far, pages := &walked{}, 0
		got, err := collect(walk(c.limit, far, func(limit int, cursor string) (client.Page[int], error) {
			pages++
			from, _ := strconv.Atoi(cursor)
			p := client.Page[int]{Total: total}
			for n := from; n < min(from+limit, total); n++ {
				p.Items = append(p.Items, n)
			}
			if from+limit < total {
				p.Next = strconv.Itoa(from + limit)
			}
			return p, nil
		}))
		if err != nil || len(got) != c.shown || pages != c.pages || *far != (walked{c.shown, total}) {
			t.Errorf("--limit %d: %d in %d pages, %+v, %v", c.limit, len(got), pages, *far, err)
		}
	}
	wrong := errors.New("wrong")
	_, err := collect(walk(0, &walked{}, func(int, string) (client.Page[int], error) { return client.Page[int]{}, wrong }))
	if !errors.Is(err, wrong) {
		t.Error(err)
	}
	pages := 0
	_, err = collect(walk(0, &walked{}, func(_ int, cursor string) (client.Page[int], error) {
		if pages++; pages > 10 {
			return client.Page[int]{}, wrong
		}
		return client.Page[int]{Items: []int{1}, Next: map[string]string{"": "a", "a": "b", "b": "a"}[cursor]}, nil
	}))
	if err == nil || errors.Is(err, wrong) {
		t.Errorf("a circle is walked for ever: %v", err)
	}
}

func TestShortIdentifiersTellRecordsApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ids, want []string }{
		{nil, []string{}},
		{[]string{"f9bf70d6-e56d-4cab-be6b-294cd05f599f"}, []string{"f9bf70d6"}},
		{[]string{"0199aaaa-1111-x", "0199aaaa-1112-x", "b"}, []string{"0199aaaa-1111", "0199aaaa-1112", "b"}},
		{[]string{"same-same-same", "same-same-same"}, []string{"same-sam", "same-sam"}},
	} {
		if got := shortIDs(c.ids); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.ids, got)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 100000: "100,000"} {
		if got := thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
