package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// kind says what a file is for.
type kind int

const (
	other kind = iota
	production
	test
	tool
)

// file is a file of source code.
type file struct {
	path    string
	lines   []string
	kind    kind
	browser bool      // of the browser client
	syntax  *ast.File // of a Go file
}

// code is how many lines are not blank.
func (f *file) code() int {
	n := 0
	for _, line := range f.lines {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

func (f *file) folder() string { return path.Dir(f.path) }

// tree is the source code of one state of the project.
type tree struct {
	name      string
	files     []*file
	positions *token.FileSet
}

// newTree sorts the files, whose content is given by path, into production and tests.
func newTree(name string, files map[string]string) (tree, error) {
	t := tree{name: name, positions: token.NewFileSet()}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		f := &file{path: p, lines: strings.Split(strings.TrimSuffix(files[p], "\n"), "\n"), browser: isBrowser(p)}
		if strings.HasSuffix(p, ".go") {
			var err error
			if f.syntax, err = parser.ParseFile(t.positions, p, files[p], parser.ParseComments); err != nil {
				return tree{}, err
			}
		}
		t.files = append(t.files, f)
	}
	t.classify()
	return t, nil
}

func isSource(p string) bool {
	if strings.HasPrefix(p, "web/dist/") || strings.Contains(p, "/testdata/") || isWritten(p) {
		return false
	}
	switch path.Ext(p) {
	case ".go", ".sql", ".yaml":
		return true
	case ".ts", ".js", ".mjs", ".svelte", ".css":
		return strings.HasPrefix(p, "web/")
	}
	return false
}

// isWritten reports whether a program writes the file, so that nobody has to edit it.
func isWritten(p string) bool {
	return strings.HasSuffix(p, "/schema.d.ts") || strings.HasPrefix(p, "sqlstore/") && path.Base(p) == "schema.sql"
}

func isBrowser(p string) bool {
	return strings.HasPrefix(p, "web/") && !strings.HasSuffix(p, ".go")
}

func (t tree) classify() {
	needed := t.needed()
	for _, f := range t.files {
		switch {
		case f.browser:
			f.kind = browserKind(f.path)
		case strings.HasPrefix(f.path, "scripts/") || strings.HasPrefix(f.path, "packaging/"):
			f.kind = tool
		case f.syntax == nil: // SQL and YAML, which only drills count
			f.kind = other
		case strings.HasSuffix(f.path, "_test.go") || !slices.Contains(needed, f.folder()):
			f.kind = test
		default:
			f.kind = production
		}
	}
}

func browserKind(p string) kind {
	switch {
	case strings.Contains(p, ".test.") || strings.HasPrefix(p, "web/e2e/"):
		return test
	case strings.HasPrefix(p, "web/src/"):
		return production
	}
	return tool
}

const module = "example.org/library"

// needed is the folders of the packages that cmd/library imports, directly or not.
func (t tree) needed() []string {
	folders := []string{"cmd/library"}
	for i := 0; i < len(folders); i++ {
		for _, f := range t.files {
			if f.syntax == nil || f.folder() != folders[i] || strings.HasSuffix(f.path, "_test.go") {
				continue
			}
			for _, spec := range f.syntax.Imports {
				if folder, ours := folderOf(spec); ours && !slices.Contains(folders, folder) {
					folders = append(folders, folder)
				}
			}
		}
	}
	return folders
}

func folderOf(spec *ast.ImportSpec) (folder string, ours bool) {
	imported, _ := strconv.Unquote(spec.Path.Value)
	if imported == module {
		return ".", true
	}
	return strings.CutPrefix(imported, module+"/")
}

// only is the files of a kind.
func (t tree) only(k kind, browser bool) []*file {
	var found []*file
	for _, f := range t.files {
		if f.kind == k && f.browser == browser {
			found = append(found, f)
		}
	}
	return found
}
