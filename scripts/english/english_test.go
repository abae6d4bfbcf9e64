package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCommentsAreCounted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		source       string
		words, found int
	}{
		{"package a", 0, 0},
		{"// Package a lends.\npackage a", 3, 0},
		{"// Which of those, and whose?\npackage a", 5, 3},
		{"package a\n\nvar b = 1 // that\n\n/* who\nwhat */\n", 3, 3},
		{"package a\n\nvar b = \"// what is in a string\"", 0, 0},
		{"package a\n\n//go:embed what\nvar b string", 0, 0},
		{"// That's somewhat.\npackage a", 2, 0},
	} {
		got, err := count("a.go", []byte(test.source))
		if err != nil || got.words != test.words || got.found != test.found {
			t.Errorf("%q: %d words, %d found (%v), want %d and %d", test.source, got.words, got.found, err, test.words, test.found)
		}
	}
}

func TestFilesOfTestsAreNotCounted(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"book.go": true, "service/book.go": true, "book_test.go": false, "e2e/oidc/login.go": false, "scripts/english/main.go": false, "README.md": false,
	} {
		if got := isProduction(file); got != want {
			t.Errorf("%s: %t, want %t", file, got, want)
		}
	}
}

func TestAPackageAboveTheLimitFailsWithItsWorstFiles(t *testing.T) {
	t.Parallel()
	plain, relative := strings.Repeat("// one two three\n", 100), strings.Repeat("// who\n", 9)
	for _, test := range []struct {
		name  string
		files map[string]string
		good  bool
		out   string
	}{
		{"plain", map[string]string{"a/a.go": plain}, true, ""},
		{"too little to judge", map[string]string{"a/a.go": relative}, true, ""},
		{"above", map[string]string{"a/a.go": plain, "a/b.go": relative}, false, "a/b.go"},
		{"two packages do not even out", map[string]string{"a/a.go": plain + relative, "b/b.go": plain + plain}, false, "a: 2.9"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, names := fstest.MapFS{}, []string{}
			for name, text := range test.files {
				root[name] = &fstest.MapFile{Data: []byte(text + "package a\n")}
				names = append(names, name)
			}
			packages, err := read(root, names)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if good := report(&out, packages, false); good != test.good || !strings.Contains(out.String(), test.out) {
				t.Errorf("good is %t, printed %q", good, out.String())
			}
		})
	}
}
