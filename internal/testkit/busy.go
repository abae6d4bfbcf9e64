package testkit

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Bound is how long something may take on this machine now that takes less than d on one
// that has nothing else to do. Tests that hold the program to a time use it, so that they
// fail when a promise is forgotten and not when a machine is busy.
func Bound(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(1, load()/float64(runtime.NumCPU())))
}

// Busy reports whether so much else runs on this machine that a fixed time may be missed.
func Busy() bool { return Bound(time.Second) >= 2*time.Second }

// load is how many processes wanted to run during the last minute, or do at the moment.
// Where the system does not say, it is 0.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	return parseLoad(string(text))
}

// parseLoad reads a line such as "3.41 2.70 2.59 5/812 24071".
func parseLoad(line string) float64 {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return 0
	}
	running, _, _ := strings.Cut(fields[3], "/")
	var most float64
	for _, text := range []string{fields[0], running} {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			most = max(most, n)
		}
	}
	return most
}
