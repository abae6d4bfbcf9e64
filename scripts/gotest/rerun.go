package main

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// mostReruns is the number of failures above which none is run again: so many do not fail by chance.
const mostReruns = 10

// rerunnable returns the failures to run once more. It returns none if there are too many, if a package did not compile, panicked
// or timed out, or if the race detector found anything: a second run without the race proves nothing.
func (r *results) rerunnable() []*result {
	failures := r.failures()
	if r.raced || len(failures) > mostReruns {
		return nil
	}
	for _, one := range failures {
		if one.test == "" || one.action == "" || r.crash[one.pkg] != nil {
			return nil
		}
	}
	return failures
}

// rerun runs each failed test once more by itself, in the folder dir, and marks as flaky the tests that pass.
func (r *results) rerun(dir string, out io.Writer) error {
	for _, one := range r.rerunnable() {
		fmt.Fprintf(out, "\n*** %s %s failed and is run once more by itself. ***\n", short(one.pkg), one.test)
		cmd := exec.Command("go", slices.Concat([]string{"test", "-json"}, flags(r.args), []string{"-count=1", "-run", pattern(one), one.pkg})...)
		cmd.Dir, cmd.Stderr = dir, out
		events, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		second := newResults(nil)
		second.read(events, out, &sync.Mutex{})
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
			return err
		}
		one.flaky = !second.failed() && second.of(one.pkg, one.test).action == "pass"
		second.printFailures(out)
	}
	return nil
}

// flags returns the flags among the arguments of go test, without the packages.
func flags(args []string) (found []string) {
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			continue
		}
		found = append(found, args[i])
		alone := strings.Contains(args[i], "=") || args[i] == "-race" || args[i] == "-v" || args[i] == "-short"
		if !alone && i+1 < len(args) {
			i++
			found = append(found, args[i])
		}
	}
	return found
}
