package library_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

const module = "example.org/library"

// mayImport says which other packages of the module each package may import. The
// domain is "". A new package has to be added here and in ARCHITECTURE.md.
var mayImport = map[string][]string{
	"":           {},
	"api":        {},
	"auth":       {"auth/claims"},
	"devidp":     {},
	"web":        {},
	"mail":       {},
	"cover":      {},
	"lookup":     {"", "bookfile"},
	"service":    {"", "trial"},
	"trial":      {""},
	"stocktake":  {"", "service"},
	"userimport": {""},
	"bookimport": {"", "service"},
	"signin":     {"", "service"},
	"sample":     {"", "service"},
	"search":     {""},
	"scim":       {""},
	"notice":     {"", "mail", "service"},
	"client":     {"api"},
	"profile":    {"client"},
	"terminal":   {},
	"bookfile":   {"", "api"},
	"userfile":   {"api"},
	"httpapi":    {"", "stocktake", "bookimport", "signin", "auth", "auth/dpop", "api", "bookfile", "cover", "scim", "search", "lookup", "mail", "notice", "userimport", "service", "statistics", "trial", "userfile", "httpapi/internal/directory", "httpapi/internal/feed", "httpapi/internal/importfile", "httpapi/internal/input", "httpapi/internal/responsecache", "internal/icalendar"},

	"auth/dpop": {"auth"},

	"auth/claims": {},

	"mail/mailbox": {},

	"httpapi/internal/directory":     {"", "scim", "service"},
	"httpapi/internal/feed":          {"", "api", "service"},
	"httpapi/internal/importfile":    {"", "bookimport", "api", "bookfile", "userimport", "userfile", "httpapi/internal/input"},
	"httpapi/internal/input":         {""},
	"httpapi/internal/responsecache": {""},

	"internal/icalendar": {},

	"sqlstore":            {"", "stocktake", "notice", "statistics", "webhook", "sqlstore/engine", "sqlstore/booksearch", "sqlstore/outbox", "sqlstore/postgres", "sqlstore/sqlite"},
	"sqlstore/booksearch": {"", "search", "sqlstore/engine"},
	"sqlstore/outbox":     {"", "notice", "sqlstore/engine", "webhook"},
	"sqlstore/postgres":   {"", "sqlstore/engine"},
	"sqlstore/sqlite":     {"", "sqlstore/engine"},
	"sqlstore/engine":     {""},

	"housekeeping": {"", "service"},
	"statistics":   {""},
	"webhook":      {""},
	"backup":       {"sqlstore", "sqlstore/outbox", "sqlstore/postgres", "sqlstore/sqlite"},

	"cli":         {"cli/command"}, // and the groups of commands
	"cli/bulk":    {"", "api", "client", "terminal", "cli/command"},
	"cli/command": {"", "api", "auth/claims", "client", "profile", "terminal"},
	"cli/records": {"", "api", "client", "search", "terminal", "cli/command"},
	"cmd/library": {"", "stocktake", "signin", "auth", "auth/claims", "auth/dpop", "backup", "cli", "cli/command", "client", "devidp", "search", "housekeeping", "httpapi", "lookup", "mail", "mail/mailbox", "notice", "sample", "service", "sqlstore", "statistics", "terminal", "web", "webhook"},

	"docs": {}, // tests of the documents

	"scripts/english":   {},
	"scripts/figures":   {},
	"scripts/gotest":    {},
	"scripts/testclock": {},
}

// groupsOfCommands are the packages below cli that are not in the table. They do
// not import each other.
const groupsOfCommands = "cli/"

var groupMayImport = []string{"", "api", "auth/claims", "bookfile", "client", "profile", "terminal", "cli/bulk", "cli/command", "cli/records", "userfile"}

// importsOf says which packages of ours a package may import, and whether it is known.
func importsOf(name string, packages map[string]goPackage) ([]string, bool) {
	allowed, known := mayImport[name]
	switch {
	case name == "cli":
		for other := range packages {
			if _, named := mayImport[other]; !named && strings.HasPrefix(other, groupsOfCommands) && !isWithin(other, forTests) {
				allowed = append(allowed, other)
			}
		}
	case !known && strings.HasPrefix(name, groupsOfCommands):
		return groupMayImport, true
	}
	return allowed, known
}

// leaves may be imported by every package, and import none.
var leaves = []string{"internal/strictjson", "internal/httpserver", "internal/revcache", "internal/periodic", "internal/loadshed", "internal/pagination", "internal/isbn", "internal/fulltext", "internal/calendar", "internal/validation", "internal/language", "internal/table", "internal/marc", "internal/loopback", "internal/plaintext", "internal/durable"}

// forTests are packages for tests: no production package imports them, they alone
// import package testing, and they may import what they like.
var forTests = []string{"storetest", "cli/clitest", "internal/pgtest", "internal/testdb", "internal/testidp", "internal/testkit", "internal/testmail", "bench", "e2e"}

// goPackage is what go list says of a package. Imports and Deps leave out what
// only its tests import.
type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func listPackages(t *testing.T) map[string]goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]goPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		name, _ := localName(p.ImportPath)
		packages[name] = p
	}
}

// localName is the path of a package below the module.
func localName(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// isWithin reports whether a package is one of the folders or lies inside one.
func isWithin(pkg string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") })
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	packages := listPackages(t)
	for name, p := range packages {
		if isWithin(name, forTests) {
			continue
		}
		allowed, known := importsOf(name, packages)
		if !known && !slices.Contains(leaves, name) {
			t.Errorf("%s is a new package: add it to the table of this test and to ARCHITECTURE.md", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			other, ours := localName(imported)
			if ours && !slices.Contains(allowed, other) && !slices.Contains(leaves, other) {
				t.Errorf("%s must not import %s", p.ImportPath, imported)
			}
		}
	}
}

func TestTheDomainSaysWhatItImports(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	testkit.NoError(t, err)
	imports := listPackages(t)[""].Imports
	for _, leaf := range leaves {
		named, imported := strings.Contains(string(doc), leaf+" "), slices.Contains(imports, module+"/"+leaf)
		if named != imported {
			t.Errorf("%s: doc.go names it: %t, the domain imports it: %t", leaf, named, imported)
		}
	}
}

// The rules are decisions over records that were loaded, as of an instant that was given. What loads
// and saves them, and knows the time, is package service.
func TestTheDomainHasNoClockAndBeginsNoTransaction(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	testkit.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		testkit.NoError(t, err)
		for _, call := range []string{"time.Now(", "time.Since(", ".Tx("} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s…)", file, call)
			}
		}
	}
}

func TestTimeZonesAreInTheProgram(t *testing.T) {
	t.Parallel()
	if !slices.Contains(listPackages(t)["cmd/library"].Deps, "time/tzdata") {
		t.Error("on a machine without time zones, the program knows none")
	}
}

func TestConformanceSuiteKnowsTheDomainAlone(t *testing.T) {
	t.Parallel()
	const suite = "storetest"
	shared := append([]string{"", "bookimport", "signin", "search", "notice", "userimport", "webhook", "sample", "service", "statistics", "stocktake", suite + "/fixture", suite + "/bookgen", "internal/testkit"}, leaves...)
	for name, p := range listPackages(t) {
		if !isWithin(name, []string{suite}) {
			continue
		}
		for _, imported := range p.Imports {
			other, ours := localName(imported)
			if ours && !slices.Contains(shared, other) && !(name == suite && isWithin(other, []string{suite})) {
				t.Errorf("%s must not import %s", name, imported)
			}
		}
	}
}

func TestProductionCodeIsFreeOfTests(t *testing.T) {
	t.Parallel()
	for name, p := range listPackages(t) {
		if isWithin(name, forTests) {
			continue
		}
		for _, dependency := range p.Deps {
			other, ours := localName(dependency)
			if dependency == "testing" || ours && isWithin(other, forTests) {
				t.Errorf("%s depends on %s", p.ImportPath, dependency)
			}
		}
	}
}

// The arrows are about direct imports; these must not even meet through others.
func TestSomePackagesNeverMeet(t *testing.T) {
	t.Parallel()
	packages := listPackages(t)
	for _, pair := range [][2]string{
		{"auth", module},
		{"auth", module + "/devidp"},
		{"devidp", module + "/auth"},
		{"httpapi", module + "/sqlstore"},
		{"sqlstore/sqlite", module + "/sqlstore/postgres"},
		{"sqlstore/sqlite", "github.com/jackc/pgx/v5"},
		{"sqlstore/postgres", module + "/sqlstore/sqlite"},
		{"sqlstore/postgres", "modernc.org/sqlite"},
		{"sqlstore/engine", "github.com/jackc/pgx/v5"},
		{"sqlstore/engine", "modernc.org/sqlite"},
		{"client", module + "/httpapi"},
		{"cli", module + "/httpapi"},
		{"cli", module + "/auth"},
		{"cli/command", module + "/cli/records"},
		{"", "net/http"},
		{"", "database/sql"},
	} {
		if name, other := pair[0], pair[1]; slices.Contains(packages[name].Deps, other) {
			t.Errorf("%q depends on %s", name, other)
		}
	}
}

func TestTheArchitecturePageNamesEveryFolder(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("ARCHITECTURE.md")
	testkit.NoError(t, err)
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for file := range strings.Lines(string(out)) {
		folder, rest, nested := strings.Cut(strings.TrimSpace(file), "/")
		if !nested {
			continue
		}
		if folder == "internal" {
			below, _, _ := strings.Cut(rest, "/")
			folder += "/" + below
		}
		if !strings.Contains(string(page), "\n| `"+folder) {
			t.Errorf("ARCHITECTURE.md has no row for %s", folder)
		}
	}
}
