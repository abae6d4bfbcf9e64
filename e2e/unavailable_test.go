package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// longBook needs some pages of the database.
var longBook = map[string]any{"title": "T", "description": strings.Repeat("word ", 1500)}

// mustRefuseWrites expects that a server quickly refuses writes and is not ready, and
// that it can still be read.
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
	testkit.Eventually(t, "/readyz says why it is not: "+reason, func() bool {
		status, body := s.manage(t, "/readyz")
		if status != 503 {
			t.Fatalf("/readyz: %d %q; want 503", status, body)
		}
		return strings.Contains(body, reason)
	})
}

func TestAFullDiskIsUnavailableAndNotReady(t *testing.T) {
	t.Parallel()
	dir := mountDisk(t, "4m")
	s := startOn(t, "sqlite:"+filepath.Join(dir, "library.db"))
	s.awaitReady(t)
	filler := filepath.Join(dir, "filler")
	if err := fillDisk(filler); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
	if status, body := s.manage(t, "/readyz"); status == 503 && !strings.Contains(body, "full") {
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

func TestALockedFileIsUnavailable(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	s := startOn(t, database)
	s.awaitReady(t)
	db := openSQL(t, database, "rw")
	other, err := db.Conn(t.Context())
	testkit.NoError(t, err)
	defer other.Close()
	exec := func(text string) {
		t.Helper()
		testkit.NoError(t, testkit.Err(other.ExecContext(context.Background(), text)))
	}
	exec(`BEGIN IMMEDIATE`)
	s.mayLogErrors = true
	var wg sync.WaitGroup
	began := time.Now()
	for range 8 { // none of them waits for another
		wg.Go(func() {
			r, err := s.as(t, curator).try("POST", "/books", map[string]any{"title": "T"})
			if err != nil || r.Status != 503 {
				t.Errorf("POST: %v %d", err, r.Status)
			}
		})
	}
	wg.Wait()
	if took := time.Since(began); took > testkit.Bound(10*time.Second) {
		t.Errorf("the answers took %v", took)
	}
	mustRefuseWrites(t, s, "locked")
	exec(`ROLLBACK`)
	s.awaitReady(t)
	s.as(t, curator).post("/books", map[string]any{"title": "T"}).want(201)
}

func TestAReadOnlyPostgreSQLIsUnavailableAndNotReady(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	s := startOn(t, database)
	s.awaitReady(t)
	readOnly := func(value string) {
		t.Helper()
		db := openSQL(t, database, "rw")
		defer db.Close()
		var name string
		testkit.NoError(t, db.QueryRow(`SELECT current_database()`).Scan(&name))
		for _, text := range []string{
			`SET default_transaction_read_only = off`,
			`ALTER DATABASE "` + name + `" SET default_transaction_read_only = ` + value,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'library'`,
		} {
			testkit.NoError(t, testkit.Err(db.Exec(text)))
		}
	}
	readOnly("on")
	testkit.Eventually(t, "the server has connected again", func() bool {
		r, err := s.as(t, reader).try("GET", "/books", nil)
		return err == nil && r.Status == 200
	})
	mustRefuseWrites(t, s, "read-only")
	readOnly("off")
	s.awaitReady(t)
	s.as(t, curator).post("/books", map[string]any{"title": "T"}).want(201)
}
