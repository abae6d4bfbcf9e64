//go:build race

package e2e

// raceEnabled says that the test binary, and with it the program under test,
// is built with the race detector.
const raceEnabled = true

// scaled is how much of something is enough: the race detector makes SQLite,
// which is Go here, some twenty times slower, and finds what it finds early.
func scaled(n int) int { return n / 10 }
