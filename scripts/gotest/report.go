package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	module  = "example.org/library"
	slowest = 10 // tests and packages that are named
)

// short is a package as a person writes it.
func short(pkg string) string {
	if pkg == module {
		return "."
	}
	return strings.TrimPrefix(pkg, module+"/")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// said is the output of a test without the line that says how it ended.
func said(one *result) string {
	var kept strings.Builder
	for line := range strings.Lines(one.output.String()) {
		if !strings.HasPrefix(strings.TrimLeft(line, " "), "--- ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// printRunning names what runs at the moment, the longest first.
func (r *results) printRunning(out io.Writer) {
	running := r.having(func(one *result) bool { return one.test != "" && one.action == "" && !one.paused && !one.hasSubs })
	slices.SortFunc(running, func(a, b *result) int { return a.began.Compare(b.began) })
	var names []string
	for _, one := range running[:min(len(running), 4)] {
		names = append(names, fmt.Sprintf("%s %s (%.0fs)", short(one.pkg), one.test, time.Since(one.began).Seconds()))
	}
	if len(names) == 0 {
		names = []string{"the compiler"}
	}
	fmt.Fprintf(out, "  ... after %.0fs, %d packages have ended; running: %s\n", time.Since(r.began).Seconds(), r.ended, strings.Join(names, ", "))
}

// printFailures prints all that was said by what failed.
func (r *results) printFailures(out io.Writer) {
	for _, one := range r.failures() {
		fmt.Fprintf(out, "\n---- %s %s: %s\n%s", short(one.pkg), cmp.Or(one.test, "(the package)"), one.verdict(), said(one))
	}
}

func (one *result) verdict() string {
	if one.action == "" {
		return "never ended"
	}
	if one.flaky {
		return "*** failed after " + seconds(one.took) + " and passed at the second try ***"
	}
	return "failed after " + seconds(one.took)
}

// summary is what a person reads first.
func (r *results) summary() string {
	var s strings.Builder
	count := func(action string) int {
		return len(r.having(func(one *result) bool { return one.test != "" && !one.hasSubs && one.action == action }))
	}
	failures := r.failures()
	flaky := len(slices.DeleteFunc(slices.Clone(failures), func(one *result) bool { return !one.flaky }))
	fmt.Fprintf(&s, "\ngo test %s\n%d packages in %s: %d tests passed, %d skipped, %d failed",
		shortArgs(r.args), r.ended, time.Since(r.began).Round(time.Second), count("pass"), count("skip"), len(failures)-flaky)
	if flaky > 0 {
		fmt.Fprintf(&s, ", *** %d FLAKY ***", flaky)
	}
	s.WriteString("\n")
	r.printSlowest(&s, "packages", func(one *result) bool { return one.test == "" })
	r.printSlowest(&s, "tests", func(one *result) bool { return one.test != "" && !one.hasSubs })
	for _, one := range r.having(func(one *result) bool { return one.test != "" && one.action == "skip" }) {
		fmt.Fprintf(&s, "  skipped: %s %s: %s\n", short(one.pkg), one.test, strings.Join(strings.Fields(said(one)), " "))
	}
	for _, one := range failures {
		if one.flaky {
			fmt.Fprintf(&s, "  FLAKY: %s %s passed at the second try; it failed before: %s\n", short(one.pkg), one.test, again(one))
		} else {
			fmt.Fprintf(&s, "  FAILED: %s\n", again(one))
		}
	}
	return s.String()
}

// shortArgs are the arguments without a long pattern and a long list of packages.
func shortArgs(args []string) string {
	var words []string
	packages := 0
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, module):
			if packages++; packages > 3 {
				continue
			}
		case len(arg) > 100:
			arg = arg[:100] + "…"
		}
		words = append(words, strings.ReplaceAll(arg, module, "."))
	}
	if packages > 3 {
		words = append(words, fmt.Sprintf("and %d more", packages-3))
	}
	return strings.Join(words, " ")
}

func (r *results) printSlowest(out io.Writer, what string, holds func(*result) bool) {
	all := r.having(func(one *result) bool { return holds(one) && one.took > time.Second })
	slices.SortFunc(all, func(a, b *result) int { return cmp.Compare(b.took, a.took) })
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(out, "  slowest %s:\n", what)
	for _, one := range all[:min(len(all), slowest)] {
		fmt.Fprintf(out, "    %7s  %s %s\n", seconds(one.took), short(one.pkg), one.test)
	}
}

// again is the command that runs one test alone.
func again(one *result) string {
	pkg := "./" + short(one.pkg)
	if pkg == "./." {
		pkg = "."
	}
	if one.test == "" {
		return "go test -count=1 " + pkg
	}
	return fmt.Sprintf("go test -count=1 %s -run '%s'", pkg, pattern(one))
}

// pattern returns the regular expression by which go test chooses one test, without quotes.
func pattern(one *result) string {
	var parts []string
	for part := range strings.SplitSeq(one.test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return strings.ReplaceAll(strings.Join(parts, "/"), "'", ".")
}
