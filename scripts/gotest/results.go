package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json; see go doc test2json.
type event struct {
	Time        time.Time
	Action      string
	Package     string
	ImportPath  string // of the output of the compiler
	Test        string
	Elapsed     float64 // seconds
	Output      string
	FailedBuild string
}

// name is a test, or with an empty second part a package.
type name struct{ pkg, test string }

// result is what became of a test or a package.
type result struct {
	name
	action  string // pass, fail or skip; "" while it runs
	took    time.Duration
	began   time.Time
	paused  bool // it waits for its turn among parallel tests
	output  strings.Builder
	hasSubs bool
	flaky   bool // it failed, and passed when it was run once more
}

type results struct {
	args  []string
	began time.Time
	all   map[name]*result
	order []*result
	built map[string]*strings.Builder // the output of the compiler, by package
	ended int                         // packages
	crash map[string]*strings.Builder // what a package said from its last words on, whichever test they are taken for
	raced bool                        // the race detector has found something, in any test
}

func newResults(args []string) *results {
	return &results{args: args, began: time.Now(), all: map[name]*result{}, built: map[string]*strings.Builder{}, crash: map[string]*strings.Builder{}}
}

func (r *results) of(pkg, test string) *result {
	n := name{pkg, test}
	if r.all[n] == nil {
		r.all[n] = &result{name: n, began: time.Now()}
		r.order = append(r.order, r.all[n])
	}
	return r.all[n]
}

// take takes in an event and returns what is to be printed at once.
func (r *results) take(e event) string {
	switch e.Action {
	case "build-output":
		if r.built[e.ImportPath] == nil {
			r.built[e.ImportPath] = &strings.Builder{}
		}
		r.built[e.ImportPath].WriteString(e.Output)
		return ""
	case "build-fail":
		return ""
	}
	one := r.of(e.Package, e.Test)
	switch e.Action {
	case "run":
		one.began = time.Now()
		if parent := r.parent(one); parent != nil {
			parent.hasSubs = true
		}
	case "pause":
		one.paused = true
	case "cont":
		one.paused, one.began = false, time.Now()
	case "output":
		if !isMark(e.Output) {
			one.output.WriteString(e.Output)
			r.noteCrash(e)
			r.raced = r.raced || strings.Contains(e.Output, "DATA RACE")
		}
	case "pass", "fail", "skip":
		one.action, one.took = e.Action, time.Duration(e.Elapsed*float64(time.Second))
		if text := r.built[e.FailedBuild]; e.FailedBuild != "" && text != nil {
			one.output.WriteString(text.String())
		}
		if one.test == "" {
			r.explainCrash(one.pkg)
		}
		return r.afterEnd(one)
	}
	return ""
}

// noteCrash keeps what a process says when it ends before its tests do, such as the stacks of a test that has hung. go test
// takes it for what the last test says that has said something, also if that one passes.
func (r *results) noteCrash(e event) {
	if r.crash[e.Package] == nil {
		if !strings.HasPrefix(e.Output, "panic: ") && !strings.HasPrefix(e.Output, "fatal error: ") && !strings.HasPrefix(e.Output, "SIGQUIT: ") {
			return
		}
		r.crash[e.Package] = &strings.Builder{}
	}
	r.crash[e.Package].WriteString(e.Output)
}

// explainCrash gives the last words of a package to the first test that never ended, unless it has them.
func (r *results) explainCrash(pkg string) {
	open := r.having(func(t *result) bool { return t.pkg == pkg && t.test != "" && t.action == "" })
	if crash := r.crash[pkg]; crash != nil && len(open) > 0 && !strings.Contains(open[0].output.String(), crash.String()) {
		open[0].output.WriteString(crash.String())
	}
}

// parent is the test that a test is a part of, nil if there is none. A name may have slashes
// of its own, such as that of a path.
func (r *results) parent(one *result) *result {
	for i := len(one.test) - 1; i > 0; i-- {
		if one.test[i] == '/' && r.all[name{one.pkg, one.test[:i]}] != nil {
			return r.all[name{one.pkg, one.test[:i]}]
		}
	}
	return nil
}

// isMark reports whether a line says nothing that its event does not.
func isMark(line string) bool {
	text := strings.TrimLeft(line, " ")
	return strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- PASS") || line == "PASS\n" || line == "FAIL\n" ||
		strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t")
}

// afterEnd is the line about a package that has ended or a test that has failed. What a
// test said that has passed is forgotten.
func (r *results) afterEnd(one *result) string {
	switch {
	case one.test == "":
		r.ended++
		return r.packageLine(one)
	case one.action == "fail" && !one.hasSubs:
		return fmt.Sprintf("  FAIL  %7s  %s %s\n", seconds(one.took), short(one.pkg), one.test)
	case one.action == "pass":
		one.output.Reset()
	}
	return ""
}

func (r *results) packageLine(one *result) string {
	tests := r.having(func(t *result) bool { return t.pkg == one.pkg && t.test != "" && t.action != "" })
	if one.action == "skip" && len(tests) == 0 {
		return "" // it has no tests
	}
	word := "ok  "
	if one.action == "fail" {
		word = "FAIL"
	}
	return fmt.Sprintf("  %s  %7s  %s (%d tests)\n", word, seconds(one.took), short(one.pkg), len(tests))
}

func (r *results) having(holds func(*result) bool) (found []*result) {
	for _, one := range r.order {
		if holds(one) {
			found = append(found, one)
		}
	}
	return found
}

// failures are the tests that failed or never ended, and the packages that failed although
// none of their tests did. A test whose parts failed says nothing that they do not.
func (r *results) failures() []*result {
	inPackage, within := map[string]bool{}, map[name]bool{}
	for _, one := range r.order {
		if one.test == "" || !one.isBad() {
			continue
		}
		inPackage[one.pkg] = true
		for i, c := range one.test {
			if c == '/' {
				within[name{one.pkg, one.test[:i]}] = true
			}
		}
	}
	bad := r.having(func(one *result) bool {
		if one.test == "" {
			return one.action == "fail" && !inPackage[one.pkg]
		}
		return one.isBad() && !(within[one.name] && strings.TrimSpace(said(one)) == "")
	})
	slices.SortStableFunc(bad, func(a, b *result) int { return strings.Compare(a.pkg, b.pkg) })
	return bad
}

func (one *result) isBad() bool { return one.action == "fail" || one.action == "" }

// failed reports whether anything failed, also when it was run once more.
func (r *results) failed() bool {
	return slices.ContainsFunc(r.failures(), func(one *result) bool { return !one.flaky })
}
