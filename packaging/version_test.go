package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestABuildBetweenReleasesHasAVersionOfItsOwn goes from one release to the next in a repository of its own.
func TestABuildBetweenReleasesHasAVersionOfItsOwn(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../scripts/version")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	says := func(want string) {
		t.Helper()
		got, err := command(t.Context(), folder, []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(folder)}, script, folder)
		if err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%q %v, want %s", got, err, want)
		}
	}
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"}, args...)
		if _, err := command(t.Context(), folder, nil, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	release := func(version string) {
		t.Helper()
		file := filepath.Join(folder, "cmd/library/version.txt")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(version+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change := func() { t.Helper(); git("commit", "-q", "--allow-empty", "-m", "Change") }

	release("1.0.0")
	says("1.0.0") // the sources without a repository
	git("init", "-q")
	git("add", ".")
	change()
	says("1.0.0")
	change()
	change()
	says("1.1.0-dev.2")
	git("tag", "v1.0.0") // what was tagged counts
	says("1.0.0")
	change()
	says("1.1.0-dev.1")
	release("1.1.0")
	git("add", ".")
	change()
	says("1.1.0")
	change()
	says("1.2.0-dev.1")
}

func TestPlaceholdersAreNoMaintainerAndNoHomePage(t *testing.T) {
	t.Parallel()
	for o, good := range map[origin]bool{
		{}: true, {maintainer: "Ada King <ada@school.de>", homepage: "https://school.de/library"}: true,
		{maintainer: "Library maintainers <maintainers@example.org>"}: false, {maintainer: "ada@school.de"}: false, {maintainer: "Ada"}: false,
		{homepage: "https://example.org/library"}: false, {homepage: "https://www.example.com"}: false, {homepage: "school.de"}: false, {homepage: "javascript:1"}: false,
		{homepage: "https://myexample.org"}: true,
	} {
		if err := o.check(); (err == nil) != good {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestAnArchiveHasWhatTheReadmeLinksTo(t *testing.T) {
	t.Parallel()
	documents, err := (&release{source: ".."}).documents()
	if err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool {
		return slices.ContainsFunc(documents, func(e entry) bool { return e.name == name || strings.HasPrefix(e.name, name+"/") })
	}
	readme := documents[slices.IndexFunc(documents, func(e entry) bool { return e.name == "README.md" })].data
	links := regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(readme), -1)
	if len(links) < 10 {
		t.Fatalf("%d links", len(links))
	}
	for _, link := range links {
		if !has(link[1]) {
			t.Errorf("%s is not there", link[1])
		}
		if at := installedAs(link[1]); at != "/usr/share/doc/library/"+link[1] {
			t.Errorf("a package has %s as %s", link[1], at)
		}
	}
}
