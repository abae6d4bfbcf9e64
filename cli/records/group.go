package records

import (
	"cmp"
	"strconv"
	"strings"

	"example.org/library"
)

// CompareGroups has class 9 before class 10, and no group at the end. Case does not matter.
func CompareGroups(a, b string) int {
	if a == "" || b == "" {
		return cmp.Compare(b, a)
	}
	a, b = library.GroupKey(a), library.GroupKey(b)
	return cmp.Or(cmp.Compare(leadingNumber(a), leadingNumber(b)), cmp.Compare(a, b))
}

// leadingNumber is the number that a text begins with, or more than any if there is none.
func leadingNumber(s string) uint64 {
	digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 1 << 32
	}
	return n
}
