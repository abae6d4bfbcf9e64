// Testclock runs tests while the wall clock passes a moment at which something begins: a quarter of an hour, a day, a year.
//
//	go run ./scripts/testclock [-moment quarter] [-seed N] [-tests 80] [-run REGEXP] PACKAGE...
//
// Without a moment it takes one at random. It prints what it took and how to repeat that. Each test begins shortly before the
// moment, so that the moment comes while it runs; tests run one after the other in each package. Only the wall clock
// differs: the monotonic clock, by which Go waits and measures, is the real one. PostgreSQL and other programs that tests
// start have the real clock, too.
//
// Start reading at run. overlay.go makes the clock, moments.go has the moments.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	err := run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		os.Exit(ended.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, "testclock:", err)
		os.Exit(2)
	}
}

// run chooses the moment and the tests, and runs them.
func run() error {
	name := flag.String("moment", "", "the moment: "+strings.Join(names(), ", ")+" (one at random)")
	seed := flag.Uint64("seed", 0, "what the random choices begin with; 0 for another one each time")
	tests := flag.Int("tests", 0, "how many tests to choose at random; 0 for all")
	lead := flag.Duration("lead", 0, "how long before the moment each test begins; 0 for 20 ms to 2.5 s at random")
	only := flag.String("run", "", "the tests to choose from, as a regular expression")
	skip := flag.String("skip", "", "tests to leave out, as a regular expression")
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64N(1_000_000) + 1
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	chosen := random.IntN(len(moments)) // also if it was named, so that the seed means the same
	if *name != "" {
		chosen = slices.Index(names(), *name)
		if chosen < 0 {
			return fmt.Errorf("there is no moment %q; there are %s", *name, strings.Join(names(), ", "))
		}
	}
	if early := time.Duration(20<<random.IntN(8)) * time.Millisecond; *lead == 0 {
		*lead = early
	}
	at := moments[chosen].next(time.Now())
	pattern, n, err := choose(flag.Args(), *only, *skip, *tests, random)
	if err != nil {
		return err
	}
	overlay, err := writeOverlay("build/testclock")
	if err != nil {
		return err
	}
	fmt.Printf("%d tests begin %v before %s (%s).\nTo repeat this: make test-clock MOMENT=%[4]s SEED=%d TESTS=%d LEAD=%[2]v RUN='%[7]s'\n",
		n, *lead, at.Format("2006-01-02 15:04:05 MST"), names()[chosen], *seed, *tests, *only)
	args := []string{"run", "./scripts/gotest", "-vet=off", "-ldflags=-w", "-overlay=" + overlay, "-count=1", "-parallel=1", "-timeout=20m", "-run=" + pattern}
	cmd := exec.Command("go", append(args, flag.Args()...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	// The moment comes at another point of the second run of a test, which might pass for this reason: there is none.
	cmd.Env = append(os.Environ(), clockVariable+"="+strconv.FormatInt(at.Add(-*lead).UnixNano(), 10), "TEST_RERUN=")
	return cmd.Run()
}

var declaration = regexp.MustCompile(`(?m)^func (Test\w+)\(\w+ \*testing\.T\)`)

// choose returns a regular expression for the tests of packages, all of them or some at random, and how many these are.
func choose(packages []string, only, skip string, most int, random *rand.Rand) (string, int, error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return "", 0, err
	}
	unwanted, err := regexp.Compile(skip)
	if err != nil {
		return "", 0, err
	}
	list := exec.Command("go", append([]string{"list", "-f", `{{$dir := .Dir}}{{range .TestGoFiles}}{{$dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$dir}}/{{.}}
{{end}}`}, packages...)...)
	list.Stderr = os.Stderr
	files, err := list.Output()
	if err != nil {
		return "", 0, err
	}
	var tests []string
	for _, file := range strings.Fields(string(files)) {
		source, err := os.ReadFile(file)
		if err != nil {
			return "", 0, err
		}
		for _, found := range declaration.FindAllSubmatch(source, -1) {
			if test := string(found[1]); test != "TestMain" && wanted.MatchString(test) && (skip == "" || !unwanted.MatchString(test)) {
				tests = append(tests, test)
			}
		}
	}
	slices.Sort(tests)
	tests = slices.Compact(tests)
	random.Shuffle(len(tests), func(i, j int) { tests[i], tests[j] = tests[j], tests[i] })
	if most > 0 && len(tests) > most {
		tests = tests[:most]
	}
	if len(tests) == 0 {
		return "", 0, errors.New("there are no such tests")
	}
	return "^(" + strings.Join(tests, "|") + ")$", len(tests), nil
}
