package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// events is what go test says of two packages, one of which does not compile.
const events = `
{"Action":"build-output","ImportPath":"example.org/library/auth","Output":"auth/x.go:1:1: undefined: x\n"}
{"Action":"build-fail","ImportPath":"example.org/library/auth"}
{"Action":"fail","Package":"example.org/library/auth","Elapsed":0,"FailedBuild":"example.org/library/auth"}
{"Action":"run","Package":"example.org/library/httpapi","Test":"TestA"}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"run","Package":"example.org/library/httpapi","Test":"TestA/it's_on_postgres"}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestA/it's_on_postgres","Output":"    a_test.go:7: got 1\n"}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestA/it's_on_postgres","Output":"        want 2\n"}
{"Action":"fail","Package":"example.org/library/httpapi","Test":"TestA/it's_on_postgres","Elapsed":2.5}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestA","Output":"--- FAIL: TestA (2.50s)\n"}
{"Action":"fail","Package":"example.org/library/httpapi","Test":"TestA","Elapsed":2.5}
{"Action":"run","Package":"example.org/library/httpapi","Test":"TestB"}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestB","Output":"    b_test.go:1: only root can\n"}
{"Action":"skip","Package":"example.org/library/httpapi","Test":"TestB","Elapsed":0}
{"Action":"run","Package":"example.org/library/httpapi","Test":"TestC"}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestC","Output":"chatter\n"}
{"Action":"pass","Package":"example.org/library/httpapi","Test":"TestC","Elapsed":1.5}
{"Action":"run","Package":"example.org/library/httpapi","Test":"TestD"}
{"Action":"output","Package":"example.org/library/httpapi","Test":"TestD","Output":"panic: on purpose\n"}
{"Action":"fail","Package":"example.org/library/httpapi","Elapsed":4}
not an event
`

// hung are two tests at once, of which one never ends; the stacks are taken for what the other says.
const hung = `
{"Action":"run","Package":"p","Test":"TestHangs"}
{"Action":"run","Package":"p","Test":"TestPasses"}
{"Action":"output","Package":"p","Test":"TestPasses","Output":"panic: test timed out after 1m\n"}
{"Action":"output","Package":"p","Test":"TestPasses","Output":"goroutine 7 [chan receive]:\n"}
{"Action":"pass","Package":"p","Test":"TestPasses","Elapsed":1}
{"Action":"fail","Package":"p","Elapsed":60}
`

func TestTheStacksOfATestThatHangsAreShown(t *testing.T) {
	t.Parallel()
	r := newResults(nil)
	var out strings.Builder
	r.read(strings.NewReader(hung[1:]), &out, &sync.Mutex{})
	r.printFailures(&out)
	if want := "---- p TestHangs: never ended\npanic: test timed out after 1m\ngoroutine 7 [chan receive]:\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in:\n%s", want, out.String())
	}
}

func TestWhatIsSaidOfARun(t *testing.T) {
	t.Parallel()
	r := newResults([]string{"./..."})
	var out strings.Builder
	r.read(strings.NewReader(events[1:]), &out, &sync.Mutex{})
	r.printFailures(&out)
	out.WriteString(r.summary())
	if !r.failed() {
		t.Error("nothing has failed")
	}
	for _, want := range []string{
		"not an event\n",
		"  FAIL     0.0s  auth (0 tests)\n", "auth/x.go:1:1: undefined: x\n",
		"  FAIL     2.5s  httpapi TestA/it's_on_postgres\n",
		"---- httpapi TestA/it's_on_postgres: failed after 2.5s\n    a_test.go:7: got 1\n        want 2\n",
		"---- httpapi TestD: never ended\npanic: on purpose\n",
		": 1 tests passed, 1 skipped, 3 failed\n",
		"  skipped: httpapi TestB: b_test.go:1: only root can\n",
		"  FAILED: go test -count=1 ./auth\n",
		"  FAILED: go test -count=1 ./httpapi -run '^TestA$/^it.s_on_postgres$'\n",
		"  FAILED: go test -count=1 ./httpapi -run '^TestD$'\n",
		"  slowest packages:\n       4.0s  httpapi",
		"  slowest tests:\n       2.5s  httpapi TestA/it's_on_postgres\n       1.5s  httpapi TestC\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	for _, no := range []string{"chatter", "=== RUN", "---- httpapi TestA:"} {
		if strings.Contains(out.String(), no) {
			t.Errorf("%q in:\n%s", no, &out)
		}
	}
}

func TestARunWithoutFailures(t *testing.T) {
	t.Parallel()
	r := newResults(nil)
	for _, action := range []string{"run", "output", "pass"} {
		r.take(event{Action: action, Package: module, Test: "TestA", Output: "fine\n"})
		r.take(event{Action: action, Package: module, Test: "TestA/PUT_/books/{id}", Output: "fine\n"})
	}
	if line := r.take(event{Action: "pass", Package: module, Elapsed: 1}); line != "  ok       1.0s  . (2 tests)\n" {
		t.Errorf("of a package it says %q", line)
	}
	if r.failed() {
		t.Error("it has failed")
	}
	if got := again(r.of(module, "TestA")); got != "go test -count=1 . -run '^TestA$'" {
		t.Errorf("to run it again: %s", got)
	}
}

func TestALongListOfPackagesIsCounted(t *testing.T) {
	t.Parallel()
	args := []string{"-race", "-run", strings.Repeat("x", 101)}
	for i := range 30 {
		args = append(args, fmt.Sprint(module, "/p", i))
	}
	if got, want := shortArgs(args), "-race -run "+strings.Repeat("x", 100)+"… ./p0 ./p1 ./p2 and 27 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
