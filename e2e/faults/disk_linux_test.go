package faults

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// mountDisk mounts a small disk for a cluster to keep tables on. Only root can.
func mountDisk(t *testing.T, c *pgtest.Cluster, size string) string {
	t.Helper()
	return testkit.MountDisk(t, c.Folder(t, "disk"), "mode=0777,size="+size)
}

// fillDisk writes a file until there is no room left.
func fillDisk(t testing.TB, path string) {
	t.Helper()
	f, err := os.Create(path)
	testkit.NoError(t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4<<10))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
}

// TestAFullDiskOfPostgreSQLIsReadyForReading lets the tables of the library be on a disk
// that fills up, and gets room again.
func TestAFullDiskOfPostgreSQLIsReadyForReading(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	disk := mountDisk(t, cluster, "40m")
	tables := filepath.Join(disk, "tables")
	testkit.NoError(t, os.Mkdir(tables, 0o700))
	if owner := cluster.Owner(); owner != nil {
		testkit.NoError(t, os.Chown(tables, int(owner.Uid), int(owner.Gid)))
	}
	database := cluster.Database(t, "library")
	cluster.Exec(t, `CREATE TABLESPACE small LOCATION '`+tables+`'`)
	cluster.Exec(t, `ALTER DATABASE library SET TABLESPACE small`)
	l := open(t, database, 2)
	c := l.gather(t, withLookers)
	time.Sleep(pause)
	filler := filepath.Join(disk, "filler")
	fillDisk(t, filler)
	from := c.since()
	said := l.servers[0].awaitReadOnly(t, "full")
	noticed := c.since() - from
	time.Sleep(2 * pause)
	to := c.since()
	testkit.NoError(t, os.Remove(filler))
	l.awaitAllReady(t)
	time.Sleep(pause)
	h := c.end()
	during := h.within(from, to)
	looks := during.only(func(a answer) bool { return a.Act == "look" })
	during.only(func(a answer) bool { return a.Act != "look" }).figures(t, "disk of PostgreSQL full: writers")
	looks.figures(t, "disk of PostgreSQL full: readers")
	t.Logf("read-only after %v: %.80q", noticed.Round(time.Millisecond), said)
	h.verify(t)
	h.wantBounded(t)
	during.wantRefused(t)
	looks.wantUnnoticed(t)
}
