// Command figures measures the source code and prints a Markdown table, so that two
// states of the project are compared by the same rules.
//
//	go run ./scripts/figures                  # the files as they are
//	go run ./scripts/figures v1.0.0           # a revision
//	go run ./scripts/figures v1.0.0 main      # several, side by side
//	go run ./scripts/figures -duplicates      # where the repetitions are
//	go run ./scripts/figures -long            # which files and functions are too long
//	go run ./scripts/figures -drills          # which files the drills count
//	go run ./scripts/figures -test 9m40s      # with the time that make test took
//
// What is counted:
//
//   - Production code is every package that cmd/library needs, found by its imports, and
//     every file of web/src that is not a test or written by a program. Programs that help
//     with the work (scripts, packaging) are neither production nor tests. All other Go
//     and browser code is tests.
//   - Lines of code are lines that are not blank. The lengths of files and functions
//     include blank lines, because the limits in CONTRIBUTING.md do.
//   - A duplicate group is at least six equal lines of code in two or more places; spaces,
//     comments, imports, lines without a word and those that only close a tag or a block
//     of a component are left out of the comparison.
//   - A drill counts the files that name an existing example: see drills.go.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	showDuplicates := flag.Bool("duplicates", false, "list the duplicate groups instead")
	showLong := flag.Bool("long", false, "list the files and functions over the limits instead")
	showDrills := flag.Bool("drills", false, "list the files of each drill instead")
	testTime := flag.String("test", "", "what make test took, such as 9m40s")
	ciTime := flag.String("ci", "", "what .ci/run took")
	flag.Parse()

	revisions := flag.Args()
	if len(revisions) == 0 {
		revisions = []string{""}
	}
	var columns []measured
	for _, revision := range revisions {
		t, err := treeOf(revision)
		if err != nil {
			log.Fatal(err)
		}
		switch {
		case *showDuplicates:
			printDuplicates(t)
		case *showLong:
			printLong(t)
		case *showDrills:
			printDrills(t)
		default:
			columns = append(columns, measure(t))
		}
	}
	if len(columns) > 0 {
		last := &columns[len(columns)-1]
		last.set("`make test`", *testTime)
		last.set("`.ci/run`", *ciTime)
		printTable(columns)
	}
}

// treeOf reads the files of a revision, or those of the working tree.
func treeOf(revision string) (tree, error) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return tree{}, fmt.Errorf("git rev-parse: %w", err)
	}
	dir := strings.TrimSpace(string(root))
	if revision == "" {
		files, err := workingTree(dir)
		if err != nil {
			return tree{}, err
		}
		return newTree("working tree", files)
	}
	files, err := archived(dir, revision)
	if err != nil {
		return tree{}, err
	}
	return newTree(revision, files)
}

// workingTree is the sources that git knows of or would add, by path.
func workingTree(dir string) (map[string]string, error) {
	out, err := exec.Command("git", "-C", dir, "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := map[string]string{}
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if !isSource(path) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not yet for git
		} else if err != nil {
			return nil, err
		}
		files[path] = string(content)
	}
	return files, nil
}

// archived is the sources of a revision, by path.
func archived(dir, revision string) (map[string]string, error) {
	out, err := exec.Command("git", "-C", dir, "archive", "--format=tar", revision).Output()
	if err != nil {
		return nil, fmt.Errorf("git archive %s: %w", revision, err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(bytes.NewReader(out)); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		if !isSource(header.Name) {
			continue
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		files[header.Name] = string(content)
	}
}
