package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// longBook needs some pages of the database.
var longBook = map[string]any{"title": "T", "description": strings.Repeat("word ", 1500)}

// mustRefuseWrites expects that a server quickly refuses writes, can still be read, and is
// ready for that.
func mustRefuseWrites(t *testing.T, s *server, reason string) {
	t.Helper()
	s.mayLogErrors = true
	began := time.Now()
	// SQLite goes on for a while in the room that its files have already.
	answer := s.as(t, curator).post("/books", longBook)
	for range 100 {
		if answer.Status != 201 {
			break
		}
		began = time.Now()
		answer = s.as(t, curator).post("/books", longBook)
	}
	answer.want(503).wantCode("unavailable").wantHeader("Retry-After", "5")
	if took := time.Since(began); took > testkit.Bound(10*time.Second) {
		t.Errorf("the answer took %v; it should be about 3 s at most", took)
	}
	s.as(t, reader).get("/books").want(200)
	// On a busy machine the time for a check can be over before the reason is known.
	testkit.Eventually(t, "/readyz says why it is read-only: "+reason, func() bool {
		status, body := s.manage(t, "/readyz")
		return status == 200 && strings.HasPrefix(body, "ready, read-only\n") && strings.Contains(body, reason)
	})
	if _, metrics := s.manage(t, "/metrics"); !strings.Contains(metrics, "\nlibrary_database_read_only 1\n") {
		t.Error("the metrics do not say that the database is read-only")
	}
}

func TestAFullDiskRefusesChangesAndIsReadyForReading(t *testing.T) {
	t.Parallel()
	dir := mountDisk(t, "4m")
	s := startOn(t, "sqlite:"+filepath.Join(dir, "library.db"))
	s.awaitReady(t)
	filler := filepath.Join(dir, "filler")
	if err := fillDisk(filler); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
	if status, body := s.manage(t, "/readyz"); status != 200 || body != "ready\n" && !strings.Contains(body, "full") {
		t.Errorf("/readyz: %d %q", status, body)
	}
	mustRefuseWrites(t, s, "full")
	testkit.NoError(t, os.Remove(filler))
	s.awaitReady(t)
	s.as(t, curator).post("/books", map[string]any{"title": "T"}).want(201)
}

func fillDisk(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, size := range []int{64 << 10, 4 << 10, 1} {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	return err
}
