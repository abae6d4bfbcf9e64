package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unsteady is a package with a test that fails always, one that fails the first time, and parts of one.
const unsteady = `package unsteady

import (
	"os"
	"testing"
)

func TestFailsAlways(t *testing.T) { t.Error("as ever") }

func TestPasses(t *testing.T) {}

func TestHasParts(t *testing.T) {
	t.Run("steady", func(t *testing.T) {})
	t.Run("at /books it's once", func(t *testing.T) {
		if os.Mkdir("was-here", 0o700) == nil {
			t.Error("the first time")
		}
	})
}
`

// TestMain keeps the runs of these tests out of the summary of the run that they are in.
func TestMain(m *testing.M) {
	os.Unsetenv("TEST_SUMMARY")
	os.Exit(m.Run())
}

func TestATestThatPassesAtTheSecondTryIsReportedAndDoesNotFailTheRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, run, flaky, failed string
	}{
		{"one that passes", "HasParts", "  FLAKY: . TestHasParts/at_/books_it's_once passed at the second try;", ""},
		{"one that fails again", "Test", "  FLAKY: . TestHasParts/at_/books_it's_once passed at the second try;", "  FAILED: go test -count=1 . -run '^TestFailsAlways$'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range map[string]string{"go.mod": "module " + module + "\n\ngo 1.24\n", "unsteady_test.go": unsteady} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var out strings.Builder
			r := newResults([]string{"-count=1", "-run", c.run, "."})
			failed, err := r.run(dir, true, &out)
			if err != nil {
				t.Fatal(err)
			}
			if failed != (c.failed != "") {
				t.Errorf("failed: %v", failed)
			}
			for _, want := range []string{"unsteady_test.go:16: the first time", "passed at the second try ***", c.flaky, c.failed} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, &out)
				}
			}
		})
	}
}

func TestWhatIsNoMatterOfChanceIsNotRunAgain(t *testing.T) {
	t.Parallel()
	fail := func(test string) []event {
		return []event{{Action: "run", Package: "p", Test: test}, {Action: "fail", Package: "p", Test: test}}
	}
	ended := event{Action: "fail", Package: "p"}
	says := func(text string) event { return event{Action: "output", Package: "p", Test: "TestB", Output: text} }
	var eleven []event
	for i := range mostReruns + 1 {
		eleven = append(eleven, fail(fmt.Sprint("Test", i))...)
	}
	for _, c := range []struct {
		name   string
		events []event
		want   int
	}{
		{"a failure", append(fail("TestA"), ended), 1},
		{"ten failures", append(slices.Clone(eleven[2:]), ended), 10},
		{"eleven failures", append(eleven, ended), 0},
		{"a race", append(fail("TestA"), says("WARNING: DATA RACE\n"), ended), 0},
		{"a race in the log of a program", append(fail("TestA"), says(`  err="WARNING: DATA RACE"`), ended), 0},
		{"a panic", append(fail("TestA"), says("panic: on purpose\n"), ended), 0},
		{"a test that never ended", append(fail("TestA"), event{Action: "run", Package: "p", Test: "TestB"}, ended), 0},
		{"a package that does not compile", append(fail("TestA"), ended, event{Action: "fail", Package: "q", FailedBuild: "q"}), 0},
	} {
		r := newResults(nil)
		for _, e := range c.events {
			r.take(e)
		}
		if got := len(r.rerunnable()); got != c.want {
			t.Errorf("%s: %d tests are run again, want %d", c.name, got, c.want)
		}
	}
}

func TestTheSecondRunHasTheFlagsOfTheFirst(t *testing.T) {
	t.Parallel()
	got := flags([]string{"-race", "-parallel", "4", "-ldflags=-w", "-skip", "Slow", "./e2e", module + "/auth", "-timeout", "30m"})
	if want := []string{"-race", "-parallel", "4", "-ldflags=-w", "-skip", "Slow", "-timeout", "30m"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
