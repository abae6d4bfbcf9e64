package backup_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/backup"
	"example.org/library/internal/testkit"
)

// schedule makes a backup every second, and keeps two.
func schedule(t *testing.T, address string, s *shop, folder string, log *testkit.Buffer, registry prometheus.Registerer) {
	t.Helper()
	scheduleEvery(t, time.Second, address, s, folder, log, registry)
}

func scheduleEvery(t *testing.T, every time.Duration, address string, s *shop, folder string, log *testkit.Buffer, registry prometheus.Registerer) {
	t.Helper()
	stop, err := backup.Start(backup.Schedule{
		Source: sourceOf(address), Folder: folder, Every: every, Keep: 2,
		Alone: func(ctx context.Context, fn func(context.Context) error) (bool, error) {
			return s.store.Alone(ctx, library.BackupLock, fn)
		},
		Logger: slog.New(slog.NewTextHandler(log, nil)), Metrics: registry,
	})
	testkit.NoError(t, err)
	t.Cleanup(stop)
}

func TestTheNewestBackupsAreKeptAndNothingOfOthersIsDeleted(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		folder := filepath.Join(t.TempDir(), "backups")
		others := []string{"library-20200101T000000Z.txt", "library.db.gz", "my-library-20200101T000000Z.db.gz", "library-20200101T000000Z.db.gz.bak"}
		killed, working := filepath.Join(folder, ".library-scheduled-1"), filepath.Join(folder, ".library-scheduled-2")
		for _, remains := range []string{killed, working} {
			testkit.NoError(t, os.MkdirAll(remains, 0o700))
		}
		testkit.NoError(t, os.Chtimes(killed, time.Time{}, time.Now().Add(-2*time.Hour)))
		testkit.NoError(t, os.Chtimes(working, time.Time{}, time.Now()))
		for _, name := range others {
			testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("mine"), 0o600))
		}
		s := open(t, from)
		var log testkit.Buffer
		registry := prometheus.NewRegistry()
		schedule(t, from, s, folder, &log, registry)
		testkit.Eventually(t, "four backups were made", func() bool { return strings.Count(log.String(), "msg=backup") >= 4 })
		var own []string
		testkit.Eventually(t, "two are left", func() bool { own = backupsIn(t, folder); return len(own) == 2 })
		for _, name := range others {
			if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(killed); err == nil {
			t.Error("what a killed program left is still there")
		}
		if _, err := os.Stat(working); err != nil {
			t.Error("what another program works on is gone")
		}
		if metric(t, registry, "library_backup_last_success_timestamp_seconds") < float64(time.Now().Add(-time.Minute).Unix()) ||
			metric(t, registry, "library_backup_size_bytes") < 1000 || metric(t, registry, "library_backup_failures_total") != 0 {
			t.Error("the metrics do not show the backup")
		}
		in, err := os.Open(filepath.Join(folder, own[0]))
		if errors.Is(err, os.ErrNotExist) {
			in, err = os.Open(filepath.Join(folder, own[1])) // the older one had to go just now
		}
		testkit.NoError(t, err)
		defer in.Close()
		if err := restore(to, in, false); err != nil {
			t.Error(err)
		}
	})
}

// TestABackupOfTheFutureIsNotTheLastOne is about a machine that once had a wrong clock.
func TestABackupOfTheFutureIsNotTheLastOne(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	s := open(t, from)
	folder := t.TempDir()
	const future, noDay = "library-20991231T000000Z.db.gz", "library-20269931T000000Z.db.gz"
	for _, name := range []string{future, noDay} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("mine"), 0o600))
	}
	var log testkit.Buffer
	registry := prometheus.NewRegistry()
	schedule(t, from, s, folder, &log, registry)
	testkit.Eventually(t, "backups are made all the same", func() bool { return strings.Count(log.String(), "msg=backup ") >= 4 })
	testkit.Eventually(t, "two good ones are kept beside them", func() bool { return len(backupsIn(t, folder)) == 4 })
	for _, name := range []string{future, noDay} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "file="+future) {
		t.Errorf("it is pointed out %d times, want once:\n%s", n, log.String())
	}
	if last := metric(t, registry, "library_backup_last_success_timestamp_seconds"); last > float64(time.Now().Unix()) {
		t.Errorf("the metrics date the last backup to %v", time.Unix(int64(last), 0))
	}
}

// TestTheMetricsShowABackupAsSoonAsItIsMade reads them when the log has reported it.
func TestTheMetricsShowABackupAsSoonAsItIsMade(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	s := open(t, from)
	folder := t.TempDir()
	var log testkit.Buffer
	registry := prometheus.NewRegistry()
	scheduleEvery(t, 24*time.Hour, from, s, folder, &log, registry)
	testkit.Eventually(t, "a backup was made", func() bool { return strings.Contains(log.String(), "msg=backup ") })
	name := backupsIn(t, folder)[0]
	info, err := os.Stat(filepath.Join(folder, name))
	testkit.NoError(t, err)
	if size := metric(t, registry, "library_backup_size_bytes"); size != float64(info.Size()) {
		t.Errorf("the metrics give its size as %v, want %d", size, info.Size())
	}
	last := time.Unix(int64(metric(t, registry, "library_backup_last_success_timestamp_seconds")), 0).UTC()
	if want := last.Format("library-20060102T150405Z.db.gz"); name != want {
		t.Errorf("the metrics date it to %v, but its name is %s", last, name)
	}
}

// backupsIn is the names of the backups that a schedule has made.
func backupsIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	for _, pattern := range []string{"library-2*Z.db.gz", "library-2*Z.pgdump"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		testkit.NoError(t, err)
		for _, path := range found {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

func metric(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	testkit.NoError(t, err)
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

func TestOfSeveralProgramsOneMakesTheBackup(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, _ string) {
		folder := t.TempDir()
		s := open(t, from)
		var logs [3]testkit.Buffer
		for i := range logs {
			schedule(t, from, s, folder, &logs[i], prometheus.NewRegistry())
		}
		all := func() string { return logs[0].String() + logs[1].String() + logs[2].String() }
		testkit.Eventually(t, "some backups were made", func() bool { return strings.Count(all(), "msg=backup") >= 3 })
		made := map[string]bool{}
		for line := range strings.Lines(all()) {
			_, name, is := strings.Cut(line, "file=")
			name, _, _ = strings.Cut(name, " ")
			if is && made[name] {
				t.Errorf("%s was made twice", name)
			}
			made[name] = true
		}
		if strings.Contains(all(), "level=ERROR") {
			t.Error(all())
		}
	})
}

func TestABackupThatFailsIsReportedAndNothingIsDeleted(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	s := open(t, from)
	folder := t.TempDir()
	kept := filepath.Join(folder, "library-20200101T000000Z.db.gz")
	for _, day := range []string{"1", "2", "3"} {
		testkit.NoError(t, os.WriteFile(strings.Replace(kept, "01T", "0"+day+"T", 1), []byte("mine"), 0o600))
	}
	missing := emptySQLite(t)
	var log testkit.Buffer
	registry := prometheus.NewRegistry()
	schedule(t, missing, s, folder, &log, registry)
	testkit.Eventually(t, "the failure is in the log and in the metrics", func() bool {
		return strings.Contains(log.String(), "level=ERROR") && metric(t, registry, "library_backup_failures_total") > 0 &&
			metric(t, registry, "library_backup_last_failure_timestamp_seconds") > 0
	})
	if n := len(backupsIn(t, folder)); n != 3 {
		t.Errorf("%d backups are left, want 3", n)
	}
}
