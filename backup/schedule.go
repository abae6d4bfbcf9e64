package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/internal/periodic"
)

// Schedule is what a worker needs that makes backups by itself. Every copy of
// the program has one; one of them at a time is at work.
type Schedule struct {
	Source Source
	Folder string // of this library alone: others with such names there would be deleted
	Every  time.Duration
	Keep   int // this many of the newest

	// Alone runs a function unless another copy of the program is in it.
	Alone   func(context.Context, func(context.Context) error) (bool, error)
	Logger  *slog.Logger
	Metrics prometheus.Registerer
}

const (
	// lookEvery is how often a worker looks whether a backup is due.
	lookEvery = time.Minute
	// retryAfter is how long it waits after a failure: not until the next day.
	retryAfter = 10 * time.Minute

	// abandonedAfter is how long nothing is written by somebody who is not at work.
	abandonedAfter = time.Hour

	nameTime   = "20060102T150405Z"
	workFolder = ".library-scheduled-*"
)

// Start starts a worker, and returns what stops it. The first backup is made at
// once if the newest in the folder is old enough. Stopping gives up a backup that is
// being made, and waits until nothing is left of it.
func Start(s Schedule) (stop func(), err error) {
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, describe("make the folder for backups", err)
	}
	w := &worker{Schedule: s, metrics: newMetrics(s.Metrics)}
	return periodic.Start(min(lookEvery, w.Every), w.look), nil
}

type worker struct {
	Schedule
	metrics  *metrics
	notUntil time.Time // after a failure
}

// look makes a backup if it is time.
func (w *worker) look(ctx context.Context) {
	if time.Now().Before(w.notUntil) {
		return
	}
	began := time.Now()
	made, err := w.work(ctx)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		w.notUntil = time.Now().Add(min(retryAfter, w.Every))
		w.metrics.failures.Inc()
		w.metrics.lastFailure.SetToCurrentTime()
		w.Logger.Error("the backup failed; it is tried again", "folder", w.Folder, "error", err)
	case made != "":
		w.Logger.Info("backup", "file", made, "took", time.Since(began).Round(time.Millisecond).String())
	}
}

// work returns the name of the backup that it has made, "" if there was nothing
// to do for this program.
func (w *worker) work(ctx context.Context) (made string, err error) {
	if due, err := w.isDue(); err != nil || !due {
		return "", err
	}
	_, err = w.Alone(ctx, func(ctx context.Context) error {
		due, err := w.isDue() // another one may have been faster
		if err != nil || !due {
			return err
		}
		w.removeRemains()
		name := "library-" + time.Now().UTC().Format(nameTime) + w.Source.Ending()
		if err := write(ctx, w.Source, filepath.Join(w.Folder, name), false, workFolder); err != nil {
			return err
		}
		made = name
		return w.removeOld()
	})
	return made, err
}

// isDue reports whether the newest backup is too old.
func (w *worker) isDue() (bool, error) {
	names, err := w.list()
	if err != nil || len(names) == 0 {
		return err == nil, err
	}
	newest := names[len(names)-1]
	made, err := time.Parse("library-"+nameTime+w.Source.Ending(), newest)
	if err != nil {
		return true, nil // a day that the calendar does not have
	}
	w.metrics.lastSuccess.Set(float64(made.Unix()))
	if info, err := os.Stat(filepath.Join(w.Folder, newest)); err == nil {
		w.metrics.size.Set(float64(info.Size()))
	}
	return time.Since(made) >= w.Every, nil
}

// list is the names of the backups in the folder that this schedule has made,
// the oldest first.
func (w *worker) list() ([]string, error) {
	own := regexp.MustCompile(`^library-[0-9]{8}T[0-9]{6}Z` + regexp.QuoteMeta(w.Source.Ending()) + `$`)
	entries, err := os.ReadDir(w.Folder)
	if err != nil {
		return nil, describe("look into the folder for backups", err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && own.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// removeOld deletes the oldest backups, all but so many as are kept.
func (w *worker) removeOld() error {
	names, err := w.list()
	if err != nil {
		return err
	}
	for _, name := range names[:max(0, len(names)-w.Keep)] {
		if err := os.Remove(filepath.Join(w.Folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return describe(fmt.Sprintf("delete the old backup %s", name), err)
		}
	}
	return nil
}

// removeRemains deletes what programs left behind that were killed while they
// made a backup. A folder in which something was written lately is not touched:
// the lock can be lost, with a connection, by somebody who is still at work.
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
