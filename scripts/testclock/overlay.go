package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// clockVariable tells a test process at which time its tests begin, in nanoseconds since 1970.
const clockVariable = "TEST_CLOCK"

// clockSource becomes a file of Go's package time. Processes that a test starts from its own binary have the test's clock.
const clockSource = `package time

import (
	"sync/atomic"
	"syscall"
)

var clockShift atomic.Int64

func init() {
	if shift, err := clockVariable("` + clockVariable + `_SHIFT"); err == nil {
		clockShift.Store(int64(shift))
		return
	}
	SetTestClock()
}

func clockVariable(name string) (int, error) {
	value, _ := syscall.Getenv(name)
	return atoi(value)
}

// SetTestClock sets the wall clock to the time at which a test begins.
func SetTestClock() {
	begin, err := clockVariable("` + clockVariable + `")
	sec, nsec, _ := runtimeNow()
	if err != nil || sec < 1e9 { // a bubble of synctest has a time of its own
		return
	}
	shift := int64(begin) - sec*1e9 - int64(nsec)
	clockShift.Store(shift)
	syscall.Setenv("` + clockVariable + `_SHIFT", Duration(shift).nanoseconds())
}

func (d Duration) nanoseconds() string {
	sign, n := "", uint64(d)
	if d < 0 {
		sign, n = "-", -n
	}
	digits := make([]byte, 0, 20)
	for digits = append(digits, byte('0'+n%10)); n > 9; {
		n /= 10
		digits = append([]byte{byte('0' + n%10)}, digits...)
	}
	return sign + string(digits)
}

func shifted(sec int64, nsec int32) (int64, int32) {
	shift := clockShift.Load() + int64(nsec)
	return sec + floor(shift), int32(shift - floor(shift)*1e9)
}

func floor(ns int64) int64 {
	if ns < 0 {
		return (ns - 1e9 + 1) / 1e9
	}
	return ns / 1e9
}
`

// patch is a text in a file of Go's library, and what takes its place.
type patch struct{ file, old, new string }

var patches = []patch{
	{"time/time.go", "\tsec, nsec, mono := runtimeNow()\n", "\tsec, nsec, mono := runtimeNow()\n\tsec, nsec = shifted(sec, nsec)\n"},
	// Both where a test begins, and where one goes on that runs beside others.
	{"testing/testing.go", "\tt.start = highPrecisionTimeNow()\n", "\tif t.level == 1 {\n\t\ttime.SetTestClock()\n\t}\n\tt.start = highPrecisionTimeNow()\n"},
}

// writeOverlay writes the files with which Go is compiled, and returns the name of their list. They do not depend on the
// moment, so that they are compiled once.
func writeOverlay(folder string) (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src")
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	add := func(name, text string) error {
		made := filepath.Join(folder, filepath.Base(name)+".txt") // no package of ours
		replace[filepath.Join(library, name)] = made
		return os.WriteFile(made, []byte(text), 0o644)
	}
	if err := add("time/testclock.go", clockSource); err != nil {
		return "", err
	}
	for _, p := range patches {
		text, err := os.ReadFile(filepath.Join(library, p.file))
		if err != nil {
			return "", err
		}
		if !strings.Contains(string(text), p.old) {
			return "", fmt.Errorf("%s of this version of Go has no line %q: change patches in scripts/testclock/overlay.go", p.file, strings.TrimSpace(p.old))
		}
		if err := add(p.file, strings.ReplaceAll(string(text), p.old, p.new)); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, list, 0o644)
}
