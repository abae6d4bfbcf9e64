package testkit

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Bound returns a limit on a busy machine for work of less than d on an idle one. Tests of a
// promised time use it, so they fail for a broken promise and not for a busy machine.
func Bound(d time.Duration) time.Duration {
	return time.Duration(float64(d) * max(1, load()/float64(runtime.NumCPU())))
}

// Busy reports whether a fixed time may be missed because of other work on this machine.
func Busy() bool { return Bound(time.Second) >= 2*time.Second }

// load returns the number of processes ready to run, in the last minute or now, 0 if it is
// unknown.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	return parseLoad(string(text))
}

// parseLoad parses a line such as "3.41 2.70 2.59 5/812 24071".
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
