package main

import (
	_ "embed"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// versionFile is the one place where the version is written. The browser client, the
// contract and the changelog repeat it, and a test compares them.
//
//go:embed version.txt
var versionFile string

// build says which program this is, and from which sources it was built.
type build struct {
	version   string
	revision  string // of the repository, "" if it is not known
	modified  bool   // the files differed from the revision
	goVersion string
}

// thisBuild is the build of the program that runs.
var thisBuild = sync.OnceValue(func() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(strings.TrimSpace(versionFile), info)
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

// String is what `library version` says after the name.
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

// log is the first line of a log: which program wrote it.
func (b build) log(log *slog.Logger) {
	log.Info("starting", "version", b.version, "revision", b.revision, "modified", b.modified, "go", b.goVersion)
}

// register adds the metric with which a scraper sees what runs.
func (b build) register(registry prometheus.Registerer) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "library_build_info", Help: "What runs, as labels; the value is always 1.",
		ConstLabels: prometheus.Labels{"version": b.version, "revision": b.revision, "goversion": b.goVersion},
	}, func() float64 { return 1 }))
}
