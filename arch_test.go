package library_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "example.org/library"

// rooms says which other rooms of the module each room may import. The domain
// is "". A room that is not here yet has to be added, with its arrows, here and
// in ARCHITECTURE.md.
var rooms = map[string][]string{
	"":         {},
	"api":      {},
	"auth":     {},
	"devidp":   {},
	"web":      {},
	"sqlstore": {""},
	"client":   {"api"},
	"profile":  {"client"},
	"terminal": {},
	"bookfile": {},
	"httpapi":  {"", "auth", "api", "bookfile"},

	"cli":         {"", "api", "bookfile", "client", "profile", "terminal"},
	"cmd/library": {"", "auth", "cli", "devidp", "httpapi", "sqlstore", "web"},
}

// leaves may be imported by every room, and import none.
var leaves = []string{"internal/strictjson", "internal/httpserver", "internal/revcache"}

// testRooms are for tests: no production room imports them, they alone import
// package testing, and what they import themselves is their business.
var testRooms = []string{"storetest", "internal/pgtest", "internal/testidp", "bench", "e2e"}

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
		room, _ := roomOf(p.ImportPath)
		packages[room] = p
	}
}

// roomOf returns the room that a package of the module is.
func roomOf(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// inRoom reports whether a package is one of the rooms or lies inside one.
func inRoom(pkg string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(room string) bool { return pkg == room || strings.HasPrefix(pkg, room+"/") })
}

func TestRoomsImportOnlyWhatTheArrowsAllow(t *testing.T) {
	t.Parallel()
	for room, p := range listPackages(t) {
		if inRoom(room, testRooms) {
			continue
		}
		allowed, known := rooms[room]
		if !known && !slices.Contains(leaves, room) {
			t.Errorf("%s is a new room: add it and its arrows to the table of this test", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			other, ours := roomOf(imported)
			if ours && !slices.Contains(allowed, other) && !slices.Contains(leaves, other) {
				t.Errorf("%s must not import %s", p.ImportPath, imported)
			}
		}
	}
}

func TestConformanceSuiteKnowsTheDomainAlone(t *testing.T) {
	t.Parallel()
	for _, imported := range listPackages(t)["storetest"].Imports {
		if other, ours := roomOf(imported); ours && other != "" {
			t.Errorf("storetest must not import %s", imported)
		}
	}
}

func TestProductionCodeIsFreeOfTests(t *testing.T) {
	t.Parallel()
	for room, p := range listPackages(t) {
		if inRoom(room, testRooms) {
			continue
		}
		for _, dependency := range p.Deps {
			other, ours := roomOf(dependency)
			if dependency == "testing" || ours && inRoom(other, testRooms) {
				t.Errorf("%s depends on %s", p.ImportPath, dependency)
			}
		}
	}
}

// The arrows are about direct imports; these must not even meet through others.
func TestSomeRoomsNeverMeet(t *testing.T) {
	t.Parallel()
	packages := listPackages(t)
	for _, pair := range [][2]string{
		{"auth", module},
		{"auth", module + "/devidp"},
		{"devidp", module + "/auth"},
		{"httpapi", module + "/sqlstore"},
		{"client", module + "/httpapi"},
		{"cli", module + "/httpapi"},
		{"cli", module + "/auth"},
		{"", "net/http"},
		{"", "database/sql"},
	} {
		if room, other := pair[0], pair[1]; slices.Contains(packages[room].Deps, other) {
			t.Errorf("%q depends on %s", room, other)
		}
	}
}
