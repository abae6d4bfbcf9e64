//go:build !race

package e2e

// raceEnabled says that the test binary, and with it the program under test,
// is built with the race detector.
const raceEnabled = false

// scaled is how much of something is enough: all of it.
func scaled(n int) int { return n }
