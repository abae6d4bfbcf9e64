package main

import (
	"fmt"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

const repeated = "\ta := 1\n\tb := a\n\n\tc := b // c\n\td := c\n\te := d\n\tf := e\n\tg(f)\n"

// small is a project with a package of each kind.
func small(t *testing.T) tree {
	t.Helper()
	result, err := newTree("small", map[string]string{
		"book.go":                 "package library\n\nvar fields = []string{\"isbn\", \"description\"}\n",
		"book_test.go":            "package library\n",
		"cmd/library/main.go":     "package main\n\nimport \"example.org/library/shop\"\n\nfunc main() {\n" + repeated + "}\n",
		"shop/shop.go":            "package shop\n\nimport _ \"example.org/library\"\n\nfunc shop() {\n" + strings.ReplaceAll(repeated, "\t", "\t\t") + "}\n",
		"kit/kit.go":              "package kit\n",
		"scripts/figures/main.go": "package main\n",
		"web/src/a.ts":            "const a = 1;\n",
		"web/src/a.test.ts":       "",
		"web/embed.go":            "package web\n",
	})
	testkit.NoError(t, err)
	return result
}

func TestKindsOfFiles(t *testing.T) {
	t.Parallel()
	want := map[string]kind{
		"book.go": production, "cmd/library/main.go": production, "shop/shop.go": production, "web/src/a.ts": production,
		"book_test.go": test, "kit/kit.go": test, "web/embed.go": test, "web/src/a.test.ts": test, "scripts/figures/main.go": tool,
	}
	for _, f := range small(t).files {
		if f.kind != want[f.path] {
			t.Errorf("%s is of kind %d, want %d", f.path, f.kind, want[f.path])
		}
	}
}

func TestARunOfEqualLinesIsOneGroup(t *testing.T) {
	t.Parallel()
	groups := duplicates(small(t).only(production, false))
	if len(groups) != 1 || len(groups[0]) != 2 {
		t.Fatalf("groups: %v, want one with two places", groups)
	}
	if first := groups[0][0]; first.file.path != "cmd/library/main.go" || first.line != 6 {
		t.Errorf("the first place is %s:%d", first.file.path, first.line)
	}
}

func TestTheEndsOfTagsAreNoRepetition(t *testing.T) {
	t.Parallel()
	end := "</li>\n{/each}\n</ul>\n</section>\n{/if}\n<style>\n"
	both, err := newTree("ends", map[string]string{"web/src/A.svelte": "a\n" + end, "web/src/B.svelte": "b\n" + end})
	testkit.NoError(t, err)
	testkit.Equal(t, len(duplicates(both.only(production, true))), 0, "groups")
}

func TestWhatIsTooLongIsListed(t *testing.T) {
	t.Parallel()
	lengths := []length{{"a.go", longFile}, {"b.go", longFile + 1}}
	testkit.Equal(t, fmt.Sprint(overLimit(lengths, longFile)), "[301 (b.go)]")
}

func TestWhatIsMeasured(t *testing.T) {
	t.Parallel()
	m := measure(small(t))
	for label, want := range map[string]string{
		"packages in the program":                       "3",
		"production code (Go), lines":                   "24",
		"functions (Go), longest":                       "10 (cmd/library/main.go: main)",
		"drill: a field of a book (description), files": "1 (Go 1, browser 0, SQL and YAML 0)",
	} {
		if m.values[label] != want {
			t.Errorf("%s: %s, want %s", label, m.values[label], want)
		}
	}
}
