package main

import (
	"fmt"
	"regexp"
	"strings"
)

// fewest is from how many equal lines on code counts as repeated.
const fewest = 6

// place is a line of a file, as it is compared.
type place struct {
	file *file
	line int // from 1
	text string
}

// group is a repetition: the places where a run of equal lines begins.
type group []place

var (
	word    = regexp.MustCompile(`[\pL\d]`)
	space   = regexp.MustCompile(`\s+`)
	bracket = regexp.MustCompile(`^(</\w+>|<style>|\{/\w+\})$`) // of a component: it says no more than a brace does in Go
)

// compared is the lines of a file that count, each without spaces at its ends.
func compared(f *file) []place {
	var all []place
	skipped := importLines(f)
	for i, line := range f.lines {
		text := space.ReplaceAllString(strings.TrimSpace(line), " ")
		if i+1 <= skipped || !word.MatchString(text) || f.browser && bracket.MatchString(text) || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "*") || strings.HasPrefix(text, "import ") {
			continue
		}
		all = append(all, place{f, i + 1, text})
	}
	return all
}

// importLines is how many lines of a Go file come before its first declaration.
func importLines(f *file) int {
	n := 0
	for i, line := range f.lines {
		switch {
		case strings.HasPrefix(line, "package "), strings.HasPrefix(line, "import "):
			n = i + 1
		case strings.HasPrefix(line, ")") && n > 0 && strings.HasPrefix(f.lines[n-1], "import ("):
			return i + 1
		}
	}
	return n
}

// duplicates finds the runs of equal lines. Runs that overlap, such as the six windows
// of a run of eleven lines, are one group.
func duplicates(files []*file) []group {
	windows := map[string][]int{} // by text, where in all it begins
	var all []place
	ends := map[int]bool{} // after these no run goes on: the next line is of another file
	for _, f := range files {
		all = append(all, compared(f)...)
		ends[len(all)-1] = true
	}
	for i := range all {
		if text, ok := window(all, ends, i); ok {
			windows[text] = append(windows[text], i)
		}
	}
	seen := map[string]bool{}
	var groups []group
	for i := range all {
		text, ok := window(all, ends, i)
		if !ok || seen[text] || len(windows[text]) < 2 {
			continue
		}
		groups = append(groups, places(all, windows[text]))
		markOverlapping(all, ends, windows, seen, text)
	}
	return groups
}

// window is the lines from i on that are compared at once.
func window(all []place, ends map[int]bool, i int) (string, bool) {
	if i+fewest > len(all) {
		return "", false
	}
	var text []string
	for j := i; j < i+fewest; j++ {
		if ends[j] && j < i+fewest-1 {
			return "", false
		}
		text = append(text, all[j].text)
	}
	return strings.Join(text, "\n"), true
}

// markOverlapping marks every repeated window that is connected with this one.
func markOverlapping(all []place, ends map[int]bool, windows map[string][]int, seen map[string]bool, text string) {
	for waiting := []string{text}; len(waiting) > 0; {
		text, waiting = waiting[len(waiting)-1], waiting[:len(waiting)-1]
		if seen[text] {
			continue
		}
		seen[text] = true
		for _, at := range windows[text] {
			for _, next := range []int{at - 1, at + 1} {
				if next < 0 {
					continue
				}
				if neighbour, ok := window(all, ends, next); ok && len(windows[neighbour]) > 1 {
					waiting = append(waiting, neighbour)
				}
			}
		}
	}
}

func places(all []place, at []int) group {
	var g group
	for _, i := range at {
		g = append(g, all[i])
	}
	return g
}

func printDuplicates(t tree) {
	for _, part := range [][]*file{t.only(production, false), t.only(production, true), t.only(test, false)} {
		for _, g := range duplicates(part) {
			for _, p := range g {
				fmt.Printf("%s:%d: %s\n", p.file.path, p.line, p.text)
			}
			fmt.Println()
		}
	}
}
