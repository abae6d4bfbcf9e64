package main

import (
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// version is set at link time by the Makefile to what `git describe` says. What
// `go install` builds has the version of the module instead.
var version string

// build is what this program was made of.
type build struct {
	version   string
	revision  string // of the repository, "" if it is not known
	modified  bool   // the files differed from the revision
	goVersion string
}

// thisBuild is what the program knows of itself.
var thisBuild = sync.OnceValue(func() build {
	info, _ := debug.ReadBuildInfo()
	return buildOf(version, info)
})

func buildOf(linked string, info *debug.BuildInfo) build {
	b := build{version: linked}
	if info != nil {
		b.goVersion = info.GoVersion
		if b.version == "" && info.Main.Version != "(devel)" {
			b.version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.revision = s.Value
			case "vcs.modified":
				b.modified = s.Value == "true"
			}
		}
	}
	if b.version == "" {
		b.version = "unknown"
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
