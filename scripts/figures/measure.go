package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// The limits of CONTRIBUTING.md.
const (
	longFile     = 300
	longFunction = 45
)

// measured is one column of the table.
type measured struct {
	name   string
	labels []string
	values map[string]string
}

func (m *measured) set(label, value string) {
	if value == "" {
		return
	}
	m.labels = append(m.labels, label)
	m.values[label] = value
}

func (m *measured) add(label string, format string, args ...any) {
	m.set(label, fmt.Sprintf(format, args...))
}

// length is how long something with a name is.
type length struct {
	name  string
	lines int
}

func (l length) String() string { return fmt.Sprintf("%d (%s)", l.lines, l.name) }

// summary says of some lengths what the table shows.
type summary struct {
	count, total, over int
	longest            length
}

func summarize(lengths []length, limit int) summary {
	s := summary{count: len(lengths)}
	for _, l := range lengths {
		s.total += l.lines
		if l.lines > limit {
			s.over++
		}
		if l.lines > s.longest.lines {
			s.longest = l
		}
	}
	return s
}

func (s summary) average() float64 { return float64(s.total) / float64(max(s.count, 1)) }

func measure(t tree) measured {
	m := measured{name: t.name, values: map[string]string{}}
	sources := t.only(production, false)
	packages := summarize(packageLengths(sources), 5000)
	m.add("packages in the program", "%d", packages.count)
	m.add("lines of code a package, average", "%.0f", packages.average())
	m.add("largest package", "%s", packages.longest)
	m.add("packages over 5000 lines", "%d", packages.over)
	m.addLengths("files (Go)", summarize(fileLengths(sources), longFile), longFile)
	m.addLengths("functions (Go)", summarize(t.functionLengths(sources), longFunction), longFunction)
	m.add("production code (Go), lines", "%d", lines(sources))
	m.add("test code (Go), lines", "%d", lines(t.only(test, false)))

	browser := t.only(production, true)
	m.addLengths("files (browser)", summarize(fileLengths(browser), longFile), longFile)
	m.add("production code (browser), lines", "%d", lines(browser))
	m.add("test code (browser), lines", "%d", lines(t.only(test, true)))
	m.add("SQL, lines", "%d", lines(t.sql()))

	m.add("duplicate groups, production (Go)", "%d", len(duplicates(sources)))
	m.add("duplicate groups, production (browser)", "%d", len(duplicates(browser)))
	m.add("duplicate groups, tests (Go)", "%d", len(duplicates(t.only(test, false))))
	for _, d := range drills {
		m.set("drill: "+d.name+", files", d.count(t))
	}
	return m
}

func (m *measured) addLengths(what string, s summary, limit int) {
	m.add(what, "%d", s.count)
	m.add(what+", average lines", "%.1f", s.average())
	m.add(what+", longest", "%s", s.longest)
	m.add(fmt.Sprintf("%s over %d lines", what, limit), "%d", s.over)
}

func lines(files []*file) int {
	n := 0
	for _, f := range files {
		n += f.code()
	}
	return n
}

// sql is what makes the tables of the program.
func (t tree) sql() []*file {
	var found []*file
	for _, f := range t.files {
		if strings.HasSuffix(f.path, ".sql") && strings.Contains(f.path, "/migrations/") {
			found = append(found, f)
		}
	}
	return found
}

func packageLengths(files []*file) []length {
	byFolder := map[string]int{}
	for _, f := range files {
		byFolder[f.folder()] += f.code()
	}
	var all []length
	for folder, n := range byFolder {
		all = append(all, length{folder, n})
	}
	slices.SortFunc(all, func(a, b length) int { return cmp.Compare(a.name, b.name) })
	return all
}

func fileLengths(files []*file) []length {
	var all []length
	for _, f := range files {
		all = append(all, length{f.path, len(f.lines)})
	}
	return all
}

func (t tree) functionLengths(files []*file) []length {
	var all []length
	for _, f := range files {
		for _, declaration := range f.syntax.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
				n := t.positions.Position(function.End()).Line - t.positions.Position(function.Pos()).Line + 1
				all = append(all, length{f.path + ": " + function.Name.Name, n})
			}
		}
	}
	return all
}

func printLong(t tree) {
	sources := t.only(production, false)
	for _, l := range append(overLimit(fileLengths(append(sources, t.only(production, true)...)), longFile),
		overLimit(t.functionLengths(sources), longFunction)...) {
		fmt.Println(l)
	}
}

func overLimit(lengths []length, limit int) []length {
	return slices.DeleteFunc(lengths, func(l length) bool { return l.lines <= limit })
}

func printTable(columns []measured) {
	var labels []string
	for _, c := range columns {
		for _, label := range c.labels {
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	head, line := "|", "|---|"
	for _, c := range columns {
		head += " | " + c.name
		line += "---|"
	}
	fmt.Println(head + " |\n" + line)
	for _, label := range labels {
		fmt.Print("| " + label)
		for _, c := range columns {
			fmt.Print(" | " + c.values[label])
		}
		fmt.Println(" |")
	}
}
