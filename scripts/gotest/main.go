// Gotest runs go test and says where it is, what took long and how to run what failed.
//
//	go run ./scripts/gotest [flags of go test] PACKAGE...
//
// It prints a line for each package that has ended, every half minute the tests that are
// still running, and at the end the complete output of what failed, the slowest packages
// and tests, every test that was skipped, and a command for each that failed. The variable
// TEST_SUMMARY names a file to which the end of that is appended.
//
// With TEST_RERUN=1, each test that failed is run once more by itself. If it passes then, it
// is reported as flaky and does not fail the run.
//
// Start reading at run; results.go keeps the results, report.go prints them, rerun.go runs
// failed tests again.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// heartbeat is how often the tests that still run are named.
const heartbeat = 30 * time.Second

func main() {
	r := newResults(os.Args[1:])
	failed, err := r.run(".", os.Getenv("TEST_RERUN") == "1", os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

// run runs go test in a folder, with failed tests once more if rerun says so, prints what happens and reports whether anything failed.
func (r *results) run(dir string, rerun bool, out io.Writer) (failed bool, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, r.args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	events, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	var mu sync.Mutex
	done := make(chan struct{})
	var beats sync.WaitGroup
	beats.Go(func() {
		for tick := time.NewTicker(heartbeat); ; {
			select {
			case <-done:
				return
			case <-tick.C:
				mu.Lock()
				r.printRunning(out)
				mu.Unlock()
			}
		}
	})
	r.read(events, out, &mu)
	close(done)
	beats.Wait()
	ended := cmd.Wait()
	unexplained := ended != nil && !r.failed()
	if rerun {
		if err := r.rerun(dir, out); err != nil {
			return true, err
		}
	}
	r.printFailures(out)
	summary := r.summary()
	io.WriteString(out, summary)
	return unexplained || r.failed(), keep(summary)
}

// keep appends the summary to the file for the summary of several runs.
func keep(summary string) error {
	name := os.Getenv("TEST_SUMMARY")
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(file, summary); err != nil {
		return err
	}
	return file.Close()
}

// read takes in all events. A line that is none is printed as it is.
func (r *results) read(in io.Reader, out io.Writer, mu sync.Locker) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			mu.Lock()
			if json.Unmarshal(line, &e) != nil {
				out.Write(line)
			} else if text := r.take(e); text != "" {
				io.WriteString(out, text)
			}
			mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}
