// Command library is the lending library in one binary. This package has the commands that run a
// part of it, each in a file of its own; the commands for using a library are in package cli.
// settings.go reads flags and environment, serve.go wires the packages together.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	_ "time/tzdata"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"example.org/library/cli"
	"example.org/library/cli/command"
)

func main() {
	interrupts := &command.Interrupts{}
	ctx, stop := interrupts.Watch(context.Background())
	code := cli.Run(ctx, os.Args[1:], command.Environment{
		Lookup: os.LookupEnv, Names: variableNames, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Interrupts: interrupts,
	}, program())
	stop()
	os.Exit(code)
}

// program gives package cli the commands of this package and the build.
func program() cli.Program {
	return cli.Program{
		Version: thisBuild().version, Build: thisBuild().String(),
		Commands: []func(command.Environment) *cobra.Command{newDemo, newServe, newWeb, newIDP, newSCIM, newMigrate, newBackup, newRestore},
	}
}

func variableNames() []string {
	var names []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	return names
}

// versionFile is the one place where the version is written. The browser client, the
// contract and the changelog repeat it, and a test compares them.
//
//go:embed version.txt
var versionFile string

// builtVersion is the output of scripts/version, set by the linker between releases (make build,
// make dist).
var builtVersion string

// build describes the program and its sources.
type build struct {
	version   string
	revision  string // of the repository, "" if it is not known
	modified  bool   // the files differed from the revision
	goVersion string
}

// thisBuild returns the build of the running program.
var thisBuild = sync.OnceValue(func() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(cmp.Or(builtVersion, strings.TrimSpace(versionFile)), info)
})

func buildOf(version string, info *debug.BuildInfo) build {
	b := build{version: version}
	if info != nil {
		b.goVersion = info.GoVersion
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.revision = s.Value
			case "vcs.modified":
				b.modified = s.Value == "true"
			}
		}
	}
	return b
}

// String returns the text after the name in `library version`.
func (b build) String() string {
	text := b.version
	if b.revision != "" {
		text += " (revision " + b.revision[:min(len(b.revision), 12)]
		if b.modified {
			text += ", modified"
		}
		text += ")"
	}
	if b.goVersion != "" {
		text += ", built with " + b.goVersion
	}
	return text
}

// log writes the first line of a log, with the build.
func (b build) log(log *slog.Logger) {
	log.Info("starting", "version", b.version, "revision", b.revision, "modified", b.modified, "go", b.goVersion)
}

// register adds the metric that shows the build to a scraper.
func (b build) register(registry prometheus.Registerer) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "library_build_info", Help: "What runs, as labels; the value is always 1.",
		ConstLabels: prometheus.Labels{"version": b.version, "revision": b.revision, "goversion": b.goVersion},
	}, func() float64 { return 1 }))
}
