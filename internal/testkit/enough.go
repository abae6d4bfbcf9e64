package testkit

import "os"

// Full reports whether tests run in full: .ci/run sets the variable TEST_FULL.
func Full() bool { return os.Getenv("TEST_FULL") != "" }

// Enough returns n if tests run in full, otherwise a quarter of it: of concurrent readers,
// random sequences or books. A quarter finds most faults.
func Enough(n int) int {
	if Full() {
		return n
	}
	return max(1, n/4)
}
