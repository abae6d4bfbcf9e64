package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// versionScript says the version of the program.
const versionScript = "./scripts/version"

// platform is a system and a kind of processor, as Go calls them.
type platform struct{ system, arch string }

// String is the platform in the names of files, as users call it.
func (p platform) String() string {
	return strings.Replace(p.system, "darwin", "macOS", 1) + "_" + p.arch
}

var allPlatforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func platformNames() string {
	var names []string
	for _, p := range allPlatforms {
		names = append(names, p.system+"/"+p.arch)
	}
	return strings.Join(names, ", ")
}

// here is the platform that the release is made on.
var here = platform{runtime.GOOS, runtime.GOARCH}

// release is one version that is being made.
type release struct {
	source      string // the folder of the project
	out         string
	version     string
	origin      origin
	time        time.Time // of the commit: what all files say
	platforms   []platform
	compression string  // of packages
	extras      []entry // what every archive has beside the program and what it is made of
	written     []string
}

// entry is a file of an archive or a package.
type entry struct {
	name string // its path there, with slashes
	data []byte
	mode os.FileMode
}

func newRelease(ctx context.Context, source, out string) (*release, error) {
	version, err := command(ctx, source, nil, versionScript)
	if err != nil {
		return nil, err
	}
	when, err := commitTime(ctx, source)
	if err != nil {
		return nil, err
	}
	return &release{source: source, out: out, version: strings.TrimSpace(version), time: when, platforms: allPlatforms, compression: "gzip"}, nil
}

// commitTime is the time that all files say, so that it is the same whenever they are made.
func commitTime(ctx context.Context, source string) (time.Time, error) {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		var err error
		if seconds, err = command(ctx, source, nil, "git", "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, fmt.Errorf("the time of the commit (without a repository, set SOURCE_DATE_EPOCH): %w", err)
		}
		if changed, err := command(ctx, source, nil, "git", "status", "--porcelain"); err != nil || changed != "" {
			log.Print("Warning: there are changes that are not committed, so this is not what the commit gives.")
		}
	}
	when, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit: %w", err)
	}
	return time.Unix(when, 0).UTC(), nil
}

// make writes all files.
func (r *release) make(ctx context.Context) error {
	began := time.Now()
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "library-packaging-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	log.Printf("library %s: manual pages and completion, by the program for this machine", r.version)
	program, err := r.build(ctx, work, here)
	if err != nil {
		return err
	}
	if r.extras, err = r.accompanying(ctx, work, program); err != nil {
		return err
	}
	for i, p := range r.platforms {
		log.Printf("[%d/%d] %s (%s)", i+1, len(r.platforms), p, time.Since(began).Round(time.Second))
		if err := r.makePlatform(ctx, work, p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := r.writeChecksums(); err != nil {
		return err
	}
	log.Printf("%d files in %s, after %s", len(r.written), filepath.Clean(r.out), time.Since(began).Round(time.Second))
	return nil
}

// makePlatform builds the program for a platform, and writes what is published of it.
func (r *release) makePlatform(ctx context.Context, work string, p platform) error {
	program, err := r.build(ctx, work, p)
	if err != nil {
		return err
	}
	components, err := r.components(ctx, program)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return r.publish(p, data, components)
}

// publish writes the bill of materials, the archive and the packages of a program.
func (r *release) publish(p platform, program []byte, components []component) error {
	bom, err := r.bom(p, components)
	if err != nil {
		return err
	}
	base := r.base(p)
	if err := r.write(base+bomSuffix, bom); err != nil {
		return err
	}
	entries := r.archived(p, program, bom, components)
	if p.system == "windows" {
		archive, err := r.zip(base, entries)
		if err != nil {
			return err
		}
		return r.write(base+".zip", archive)
	}
	archive, err := r.tarball(base, entries)
	if err != nil {
		return err
	}
	if err := r.write(base+".tar.gz", archive); err != nil {
		return err
	}
	if p.system == "linux" {
		return r.makePackages(p, entries)
	}
	return nil
}

// base is the name of all files of a platform, without the end that says what it is.
func (r *release) base(p platform) string { return fmt.Sprintf("library_%s_%s", r.version, p) }

// build compiles the program into a folder, unless it is there already. CGO is off, so that it
// runs without a C library.
func (r *release) build(ctx context.Context, folder string, p platform) (program string, err error) {
	program = filepath.Join(folder, p.String())
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	_, err = command(ctx, r.source, []string{"GOOS=" + p.system, "GOARCH=" + p.arch, "CGO_ENABLED=0"},
		"go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w -X main.builtVersion="+r.version, "-o", program, "./cmd/library")
	return program, err
}

func (r *release) write(name string, data []byte) error {
	log.Printf("  %s (%.1f MB)", name, float64(len(data))/1e6)
	r.written = append(r.written, name)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// writeChecksums writes what `sha256sum --check` reads.
func (r *release) writeChecksums() error {
	var sums bytes.Buffer
	for _, name := range slices.Sorted(slices.Values(r.written)) {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
	}
	return r.write("SHA256SUMS", sums.Bytes())
}

// command runs a program in a folder and returns what it prints.
func command(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return string(out), nil
}
