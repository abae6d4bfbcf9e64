package command

import (
	"slices"
	"testing"
)

func TestShortIdentifiersAreUnique(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ids, want []string }{
		{nil, []string{}},
		{[]string{"f9bf70d6-e56d-4cab-be6b-294cd05f599f"}, []string{"f9bf70d6"}},
		{[]string{"0199aaaa-1111-x", "0199aaaa-1112-x", "b"}, []string{"0199aaaa-1111", "0199aaaa-1112", "b"}},
		{[]string{"same-same-same", "same-same-same"}, []string{"same-sam", "same-sam"}},
	} {
		if got := ShortIDs(c.ids); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v", c.ids, got)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 100000: "100,000"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
