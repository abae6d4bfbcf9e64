// Command english counts relative clauses in the comments of production Go files: the words who,
// whom, whose, which, that, what and those, for every 100 words of a package. The Go standard
// library has about one. It fails above the limit and names the files with the most.
//
//	go run ./scripts/english                  # every package
//	go run ./scripts/english service sqlstore # these folders, with all of their files
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"unicode"
)

const (
	limit    = 2.5 // for every 100 words
	minWords = 300 // a package with fewer words of comments is not judged
	worst    = 3   // files named for a package above the limit
)

// notCounted are the folders of tests and of programs that help with the work.
var notCounted = []string{"e2e/", "bench/", "storetest/", "deploy/", "scripts/", "packaging/", "cli/clitest/",
	"internal/pgtest/", "internal/testdb/", "internal/testidp/", "internal/testkit/", "internal/testmail/"}

var counted = []string{"who", "whom", "whose", "which", "that", "what", "those"}

// tally counts the words of the comments of a file or a package.
type tally struct {
	name         string
	words, found int
	files        []tally
}

func (t tally) rate() float64 { return 100 * float64(t.found) / float64(max(t.words, 1)) }

func main() {
	log.SetFlags(0)
	flag.Parse()
	packages, err := read(os.DirFS("."), sources(flag.Args()))
	if err != nil {
		log.Fatal(err)
	}
	if !report(os.Stdout, packages, flag.NArg() > 0) {
		os.Exit(1)
	}
}

// sources lists the Go files that git tracks in folders, or everywhere.
func sources(folders []string) []string {
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		log.Fatalf("git ls-files: %v", err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(file string) bool {
		return !isProduction(file) || len(folders) > 0 && !slices.Contains(folders, path.Dir(file))
	})
}

func isProduction(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") &&
		!slices.ContainsFunc(notCounted, func(folder string) bool { return strings.HasPrefix(file, folder) })
}

// count counts the words of all comments of a Go file, without directives such as //go:embed.
func count(name string, source []byte) (tally, error) {
	t := tally{name: name}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return t, err
	}
	for _, group := range file.Comments {
		letters := func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }
		for _, word := range strings.FieldsFunc(group.Text(), letters) {
			t.words++
			if slices.Contains(counted, strings.ToLower(word)) {
				t.found++
			}
		}
	}
	return t, nil
}

// read counts the files, by package.
func read(root fs.FS, files []string) ([]tally, error) {
	byFolder := map[string]*tally{}
	for _, name := range files {
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, err
		}
		file, err := count(name, source)
		if err != nil {
			return nil, err
		}
		p := byFolder[path.Dir(name)]
		if p == nil {
			p = &tally{name: path.Dir(name)}
			byFolder[p.name] = p
		}
		p.words, p.found, p.files = p.words+file.words, p.found+file.found, append(p.files, file)
	}
	var packages []tally
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		packages = append(packages, *byFolder[folder])
	}
	return packages, nil
}

// report prints the packages above the limit, or with every file of all packages. It reports
// whether no package is above the limit.
func report(out io.Writer, packages []tally, everything bool) bool {
	good := true
	for _, p := range packages {
		bad := p.words >= minWords && p.rate() > limit+0.05
		good = good && !bad
		if !bad && !everything {
			continue
		}
		fmt.Fprintf(out, "%s: %.1f in 100 words are relative (%d words of comments, limit %.1f)\n", p.name, p.rate(), p.words, limit)
		files := slices.SortedFunc(slices.Values(p.files), func(a, b tally) int { return cmp.Compare(b.found, a.found) })
		if !everything {
			files = files[:min(len(files), worst)]
		}
		for _, f := range files {
			fmt.Fprintf(out, "  %-45s %3d in %4d words, %.1f\n", f.name, f.found, f.words, f.rate())
		}
	}
	return good
}
