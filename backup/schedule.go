package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/internal/periodic"
)

// Schedule are the settings of a worker with backups at an interval. Every process
// has a worker; one of them at a time is at work.
type Schedule struct {
	Source Source
	Folder string // of this library alone: others with such names there would be deleted
	Every  time.Duration
	Keep   int // this many of the newest

	// Alone runs a function unless another process is in it.
	Alone   func(context.Context, func(context.Context) error) (bool, error)
	Logger  *slog.Logger
	Metrics prometheus.Registerer
}

const (
	// lookEvery is how often a worker looks whether a backup is due.
	lookEvery = time.Minute
	// retryAfter is how long it waits after a failure: not until the next day.
	retryAfter = 10 * time.Minute

	// abandonedAfter is the longest pause between two writes of somebody at work.
	abandonedAfter = time.Hour

	// clocksDiffer is how far the clocks of several programs may be apart: a backup
	// that seems to be younger than now was made by another one.
	clocksDiffer = 5 * time.Minute

	nameTime   = "20060102T150405Z"
	workFolder = ".library-scheduled-*"
)

// Start starts a worker, and returns a function to stop it. The first backup is made at once if the newest in the
// folder is old enough. Stopping gives up a backup that is being made, and waits until nothing is left of it.
func Start(s Schedule) (stop func(), err error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, describe("make the folder for backups", err)
	}
	w := &worker{Schedule: s, metrics: newMetrics(s.Metrics), warned: map[string]bool{}}
	return periodic.Start(min(lookEvery, w.Every), w.look), nil
}

type worker struct {
	Schedule
	metrics  *metrics
	notUntil time.Time       // after a failure
	warned   map[string]bool // the names of backups that were pointed out
}

// look makes a backup if it is time.
func (w *worker) look(ctx context.Context) {
	if time.Now().Before(w.notUntil) {
		return
	}
	began := time.Now()
	name, err := w.work(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		w.notUntil = time.Now().Add(min(retryAfter, w.Every))
		w.metrics.failures.Inc()
		w.metrics.lastFailure.SetToCurrentTime()
		w.Logger.Error("the backup failed; it is tried again", "folder", w.Folder, "error", err)
	case name != "":
		w.Logger.Info("backup", "file", name, "took", time.Since(began).Round(time.Millisecond).String())
	}
}

// work returns the name of the new backup, "" if there was nothing to do for this program.
func (w *worker) work(ctx context.Context) (name string, err error) {
	if due, err := w.isDue(); err != nil || !due {
		return "", err
	}
	_, err = w.Alone(ctx, func(ctx context.Context) error {
		due, err := w.isDue() // another one may have been faster
		if err != nil || !due {
			return err
		}
		w.removeRemains()
		now := time.Now().UTC().Truncate(time.Second) // as the name will say it
		if err := write(ctx, w.Source, filepath.Join(w.Folder, w.nameOf(now)), false, workFolder); err != nil {
			return err
		}
		name = w.nameOf(now)
		w.publish(made{name, now})
		return w.removeOld()
	})
	return name, err
}

// isDue reports whether the newest backup is too old.
func (w *worker) isDue() (bool, error) {
	all, err := w.list()
	if err != nil {
		return false, err
	}
	if len(all) == 0 { // any more: what was published may be of the future
		w.metrics.lastSuccess.Set(0)
		w.metrics.size.Set(0)
		return true, nil
	}
	newest := all[len(all)-1]
	w.publish(newest)
	return time.Since(newest.at) >= w.Every, nil
}

// publish has the metrics show the newest backup.
func (w *worker) publish(newest made) {
	w.metrics.lastSuccess.Set(float64(newest.at.Unix()))
	if info, err := os.Stat(filepath.Join(w.Folder, newest.name)); err == nil {
		w.metrics.size.Set(float64(info.Size()))
	}
}

// made is a backup of a schedule, and its time.
type made struct {
	name string
	at   time.Time
}

// list returns the backups of this schedule in the folder, the oldest first. Those of the future are left out: a clock
// was wrong, and for years nothing would be newer than they are.
func (w *worker) list() ([]made, error) {
	entries, err := os.ReadDir(w.Folder)
	if err != nil {
		return nil, describe("look into the folder for backups", err)
	}
	var all []made
	for _, e := range entries {
		at, is := w.timeIn(e.Name())
		switch {
		case !is || !e.Type().IsRegular():
		case time.Until(at) > min(clocksDiffer, w.Every):
			w.warnOfFuture(e.Name())
		default:
			all = append(all, made{e.Name(), at})
		}
	}
	slices.SortFunc(all, func(a, b made) int { return a.at.Compare(b.at) })
	return all, nil
}

// nameOf returns the name of a backup made at a time.
func (w *worker) nameOf(at time.Time) string {
	return "library-" + at.Format(nameTime) + w.Source.Ending()
}

// timeIn is when the backup with a name was made, if it is a name that this schedule gives.
func (w *worker) timeIn(name string) (at time.Time, is bool) {
	at, err := time.Parse("library-"+nameTime+w.Source.Ending(), name)
	return at, err == nil && name == w.nameOf(at)
}

// warnOfFuture says once: a backup does not count.
func (w *worker) warnOfFuture(name string) {
	if w.warned[name] {
		return
	}
	w.warned[name] = true
	w.Logger.Warn("a backup is dated in the future, so a clock was wrong; it does not count as the last one, nor among those that are kept: "+
		"rename it or delete it", "folder", w.Folder, "file", name)
}

// removeOld deletes the oldest backups, except as many as are kept.
func (w *worker) removeOld() error {
	all, err := w.list()
	if err != nil {
		return err
	}
	for _, old := range all[:max(0, len(all)-w.Keep)] {
		if err := os.Remove(filepath.Join(w.Folder, old.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return describe(fmt.Sprintf("delete the old backup %s", old.name), err)
		}
	}
	return nil
}

// removeRemains deletes the remains of programs killed while they made a backup. A folder with a recent change is not
// touched: the lock can be lost, with a connection, by somebody still at work.
func (w *worker) removeRemains() {
	found, _ := filepath.Glob(filepath.Join(w.Folder, workFolder)) // fails for a bad pattern only
	for _, folder := range found {
		if time.Since(lastWritten(folder)) > abandonedAfter {
			os.RemoveAll(folder)
		}
	}
}

// lastWritten is when something in a folder was written.
func lastWritten(folder string) (last time.Time) {
	filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is gone, then
		}
		if info, err := entry.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last
}

// metrics are the metrics of scheduled backups.
type metrics struct {
	lastSuccess prometheus.Gauge
	lastFailure prometheus.Gauge
	size        prometheus.Gauge
	failures    prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "library_backup_" + name, Help: help})
	}
	m := &metrics{
		lastSuccess: gauge("last_success_timestamp_seconds", "When the newest backup in the folder was made, by whichever process; 0 for never."),
		lastFailure: gauge("last_failure_timestamp_seconds", "When a backup of this process last failed; 0 for never."),
		size:        gauge("size_bytes", "Size of the newest backup in the folder."),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "library_backup_failures_total", Help: "Backups of this process that failed."}),
	}
	registry.MustRegister(m.lastSuccess, m.lastFailure, m.size, m.failures)
	return m
}
