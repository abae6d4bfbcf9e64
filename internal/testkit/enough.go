package testkit

import "os"

// Full reports whether tests do all that they can, which .ci/run asks for with the
// variable TEST_FULL.
func Full() bool { return os.Getenv("TEST_FULL") != "" }

// Enough is how many times a test does something of which it does n in full: readers at
// once, random sequences, books. A quarter finds most of what all of them do.
func Enough(n int) int {
	if Full() {
		return n
	}
	return max(1, n/4)
}
