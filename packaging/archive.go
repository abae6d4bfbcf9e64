package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// The folders of an archive are those below /usr/local, so that bin and share can be copied there.
const manFolder = "share/man/man1/"

// completions is where an archive has the completion for a shell.
var completions = map[string]string{
	"bash": "share/bash-completion/completions/library",
	"zsh":  "share/zsh/site-functions/_library",
	"fish": "share/fish/vendor_completions.d/library.fish",
}

// accompanying is what goes with the program on every platform: documents, manual pages,
// completion. The latter two are written by the program, built for this machine.
func (r *release) accompanying(ctx context.Context, work, program string) ([]entry, error) {
	entries, err := r.documents()
	if err != nil {
		return nil, err
	}
	man := filepath.Join(work, "man")
	if _, err := command(ctx, work, nil, program, "man", man); err != nil {
		return nil, err
	}
	pages, err := fs.Glob(os.DirFS(man), "*.1")
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(man, page))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{manFolder + page, data, 0o644})
	}
	for shell, name := range completions {
		text, err := command(ctx, work, nil, program, "completion", shell)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, []byte(text), 0o644})
	}
	return entries, nil
}

// documentPaths are the files and folders that the README links to, and those that these pages tell people to copy.
var documentPaths = []string{"LICENSE", "README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "api/openapi.yaml", "docs", "deploy"}

// documents is what people read. deploy/check is for tests.
func (r *release) documents() (entries []entry, err error) {
	for _, root := range documentPaths {
		err := filepath.WalkDir(filepath.Join(r.source, root), func(path string, file fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(r.source, path)
			if err != nil {
				return err
			}
			if name = filepath.ToSlash(name); file.IsDir() {
				if name == "deploy/check" {
					return fs.SkipDir
				}
				return nil
			}
			data, err := os.ReadFile(path)
			entries = append(entries, entry{name, data, 0o644})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// archived is the files of the archive of a program. On Windows, manual pages and completion
// for other shells are of no use.
func (r *release) archived(p platform, program, bom []byte, components []component) []entry {
	entries := append(slices.Clone(r.extras), entry{"library" + bomSuffix, bom, 0o644}, entry{licencesFile, notices(components), 0o644})
	if p.system == "windows" {
		entries = slices.DeleteFunc(entries, func(e entry) bool { return strings.HasPrefix(e.name, "share/") })
		return append(entries, entry{"bin/library.exe", program, 0o755})
	}
	return append(entries, entry{"bin/library", program, 0o755})
}

// tarball packs the entries into a folder of that name.
func (r *release) tarball(folder string, entries []entry) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	archive := tar.NewWriter(compressed)
	for _, e := range sorted(entries) {
		header := &tar.Header{Name: path.Join(folder, e.name), Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: r.time, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// zip is the same for Windows.
func (r *release) zip(folder string, entries []entry) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, e := range sorted(entries) {
		header := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: r.time}
		header.SetMode(e.mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// sorted is the entries by name, so that the same files give the same archive.
func sorted(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}
