package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// published makes a release for all platforms around a program that is a few bytes.
func published(t *testing.T) *release {
	t.Helper()
	r, err := newRelease(t.Context(), "..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "README.md", manFolder + "library.1", completions["bash"], completions["zsh"], completions["fish"]} {
		r.extras = append(r.extras, entry{name, []byte(name), 0o644})
	}
	components := []component{{name: "example.org/thing", version: "v1.2.3", url: "pkg:golang/example.org/thing@v1.2.3", licence: "MIT", texts: []string{"Copyright of the thing"}}}
	for _, p := range r.platforms {
		if err := r.publish(p, []byte("the program for "+p.String()), components); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeChecksums(); err != nil {
		t.Fatal(err)
	}
	return r
}

// file is the content of a file of the release.
func (r *release) file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(r.out, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheSameCommitGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	first := published(t)
	time.Sleep(1100 * time.Millisecond) // a clock that got into a file has gone on
	second := published(t)
	if len(first.written) != 6*2+2*2+1 {
		t.Errorf("%d files: %q", len(first.written), first.written)
	}
	for _, name := range first.written {
		if !bytes.Equal(first.file(t, name), second.file(t, name)) {
			t.Errorf("%s is different the second time", name)
		}
	}
}

func TestAnArchiveHasTheProgramItsDocumentsAndItsLicences(t *testing.T) {
	t.Parallel()
	r := published(t)
	documents := "-rw-r--r-- LICENSE, -rw-r--r-- README.md, -rw-r--r-- THIRD_PARTY_LICENSES.txt"
	for name, want := range map[string]string{
		"linux_arm64.tar.gz": documents + ", -rwxr-xr-x bin/library, -rw-r--r-- library.cdx.json, -rw-r--r-- share/bash-completion/completions/library, " +
			"-rw-r--r-- share/fish/vendor_completions.d/library.fish, -rw-r--r-- share/man/man1/library.1, -rw-r--r-- share/zsh/site-functions/_library",
		"windows_amd64.zip": documents + ", -rwxr-xr-x bin/library.exe, -rw-r--r-- library.cdx.json",
	} {
		name = "library_" + r.version + "_" + name
		folder, list := strings.TrimSuffix(strings.TrimSuffix(name, ".tar.gz"), ".zip")+"/", []string{}
		data := r.file(t, name)
		for _, header := range headers(t, data, strings.HasSuffix(name, ".zip")) {
			if !header.ModTime.Equal(r.time) || !strings.HasPrefix(header.Name, folder) {
				t.Errorf("%s: %s of %s", name, header.Name, header.ModTime)
			}
			list = append(list, fmt.Sprintf("%s %s", header.FileInfo().Mode(), strings.TrimPrefix(header.Name, folder)))
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// headers is what an archive says of its files.
func headers(t *testing.T, data []byte, zipped bool) (all []*tar.Header) {
	t.Helper()
	if zipped {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.File {
			all = append(all, &tar.Header{Name: f.Name, ModTime: f.Modified, Mode: int64(f.Mode())})
		}
		return all
	}
	plain, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, header)
	}
}

func TestTheBillOfMaterialsNamesVersionsAndLicences(t *testing.T) {
	t.Parallel()
	r := published(t)
	var bom cdx.BOM
	data := r.file(t, "library_"+r.version+"_macOS_arm64.cdx.json")
	if err := cdx.NewBOMDecoder(bytes.NewReader(data), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	if c := bom.Metadata.Component; c.Name != "library" || c.Version != r.version {
		t.Errorf("it is about %s %s", c.Name, c.Version)
	}
	if c := (*bom.Components)[0]; c.PackageURL != "pkg:golang/example.org/thing@v1.2.3" || (*c.Licenses)[0].Expression != "MIT" {
		t.Errorf("%+v", c)
	}
}

func TestALicenceThatNobodyHasReadStopsTheRelease(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c := component{name: "thing"}
	if err := c.readLicence(folder); err == nil {
		t.Error("there is none, and that is no error")
	}
	os.WriteFile(filepath.Join(folder, "LICENSE"), []byte("You may look at it on Sundays."), 0o600)
	if err := c.readLicence(folder); err == nil || !strings.Contains(err.Error(), "thing") {
		t.Errorf("a licence of its own kind: %v", err)
	}
	c = component{name: "the library"}
	if err := c.readLicence(".."); err != nil || c.licence != "Apache-2.0" {
		t.Errorf("ours: %q %v", c.licence, err)
	}
}

func TestTheBrowserClientIsMadeOfWhatItDependsOn(t *testing.T) {
	t.Parallel()
	all, err := browserComponents("../web")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"svelte", "oidc-client-ts", "zxing-wasm", "zxing-cpp"} {
		if !slices.ContainsFunc(all, func(c component) bool { return c.name == name && c.licence != "" && len(c.texts) > 0 }) {
			t.Errorf("%s is not in %v", name, all)
		}
	}
	if slices.ContainsFunc(all, func(c component) bool { return c.name == "vite" }) {
		t.Error("a tool is listed")
	}
}
