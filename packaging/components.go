package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// component is something of others that is in the program.
type component struct {
	name, version string
	url           string // a package URL
	licence       string // an SPDX expression
	texts         []string
}

// components is what is in a program: the Go modules that were linked, from the program itself,
// and the packages of npm that are in the browser client.
func (r *release) components(ctx context.Context, program string) ([]component, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	root, err := command(ctx, r.source, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders, err := moduleFolders(ctx, r.source)
	if err != nil {
		return nil, err
	}
	number := strings.TrimPrefix(info.GoVersion, "go")
	all := []component{{name: "Go standard library", version: number, url: "pkg:golang/std@" + number}}
	if err := all[0].readLicence(strings.TrimSpace(root)); err != nil {
		return nil, err
	}
	for _, m := range info.Deps {
		folder := folders[m.Path]
		if m.Replace != nil {
			m = m.Replace
		}
		p := component{name: m.Path, version: m.Version, url: "pkg:golang/" + m.Path + "@" + m.Version}
		if err := p.readLicence(folder); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	packages, err := browserComponents(filepath.Join(r.source, "web"))
	return append(all, packages...), err
}

// moduleFolders is where the sources of the modules are, by their paths.
func moduleFolders(ctx context.Context, source string) (map[string]string, error) {
	out, err := command(ctx, source, nil, "go", "list", "-m", "-json=Path,Dir", "all")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var m struct{ Path, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return folders, nil
		} else if err != nil {
			return nil, err
		}
		folders[m.Path] = m.Dir
	}
}

// svelteRuntime is what is in the browser client although npm takes it for a tool: the part of
// Svelte that runs in the browser, and what that part imports.
var svelteRuntime = []string{"svelte", "clsx", "esm-env"}

// browserComponents is the packages of npm that the browser client is made of, what they
// depend on, and the C++ that zxing-wasm contains in compiled form.
func browserComponents(web string) ([]component, error) {
	data, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("package-lock.json: %w", err)
	}
	var all []component
	delete(lock.Packages, "") // the browser client itself
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		name := path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):]
		version := lock.Packages[path].Version
		if lock.Packages[path].Dev && !slices.Contains(svelteRuntime, name) {
			continue
		}
		p := component{name: name, version: version, url: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version}
		if err := p.readLicence(filepath.Join(web, path)); err != nil {
			return nil, err
		}
		all = append(all, p)
		if name == "zxing-wasm" {
			c := component{name: "zxing-cpp", version: "as in zxing-wasm " + version, url: "pkg:github/zxing-cpp/zxing-cpp"}
			if err := c.readLicence(filepath.Join(web, "..")); err != nil { // its licence has the same text as ours
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}
