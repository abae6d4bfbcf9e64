package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"example.org/library"
	"example.org/library/backup"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestWhatWasThereBeforeABackupIsThereAfterIt copies while others write, without a pause.
func TestWhatWasThereBeforeABackupIsThereAfterIt(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		s := open(t, from)
		var before []library.Book
		for range 60 {
			b, err := s.add(2)
			testkit.NoError(t, err)
			before = append(before, b)
		}
		stop := writeOn(t, s)
		file := filepath.Join(t.TempDir(), "library.backup")
		err := backup.Write(t.Context(), sourceOf(from), file, false)
		if written := stop(); written == 0 {
			t.Error("nobody was writing meanwhile")
		}
		testkit.NoError(t, err)
		in, err := os.Open(file)
		testkit.NoError(t, err)
		defer in.Close()
		testkit.NoError(t, restore(to, in, false))
		restored := open(t, to)
		for _, want := range before {
			got, err := restored.service.Book(t.Context(), restored.curator, want.ID)
			testkit.NoError(t, err)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("a book (-before +restored)\n%s", diff)
			}
		}
		if _, err := restored.add(1); err != nil { // it goes on
			t.Error(err)
		}
	})
}

// writeOn adds books until stop is called, which returns how many.
func writeOn(t *testing.T, s *shop) (stop func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	written := 0
	working.Go(func() {
		for ; ctx.Err() == nil; written++ {
			if _, err := s.add(1); err != nil {
				t.Error(err)
				return
			}
		}
	})
	time.Sleep(20 * time.Millisecond)
	return func() int { cancel(); working.Wait(); return written }
}

func TestABackupIsForItsOwnerAloneAndLeavesNothingBesideIt(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, _ string) {
		open(t, from)
		dir := t.TempDir()
		testkit.NoError(t, backup.Write(t.Context(), sourceOf(from), filepath.Join(dir, "b"), false))
		wantNothingIn(t, dir, "b")
		if info, _ := os.Stat(filepath.Join(dir, "b")); info.Mode().Perm() != 0o600 {
			t.Errorf("the rights are %v", info.Mode())
		}
	})
}

func TestABackupOfSQLiteIsTheDatabaseItself(t *testing.T) {
	t.Parallel()
	unpacker, err := gzip.NewReader(bytes.NewReader(packedBackup(t)))
	testkit.NoError(t, err)
	text, err := io.ReadAll(unpacker)
	if err != nil || !bytes.HasPrefix(text, []byte("SQLite format 3\x00")) {
		t.Fatalf("%v; it begins with %q", err, text[:20])
	}
	path := filepath.Join(t.TempDir(), "mine.db")
	testkit.NoError(t, os.WriteFile(path, text, 0o600))
	open(t, "sqlite:"+path)
}

// TestABackupHasSmallPages: a file that an older version has made gets them by being backed up and restored.
func TestABackupHasSmallPages(t *testing.T) {
	t.Parallel()
	address := emptySQLite(t)
	open(t, address).store.Close()
	pages := func(file string, statements ...string) (size int) {
		db, err := sql.Open("sqlite", "file:"+file)
		testkit.NoError(t, err)
		defer db.Close()
		db.SetMaxOpenConns(1)
		for _, s := range statements {
			_, err := db.Exec(s)
			testkit.NoError(t, err)
		}
		testkit.NoError(t, db.QueryRow(`PRAGMA page_size`).Scan(&size))
		return size
	}
	if n := pages(sqliteFile(address)); n != 1024 {
		t.Errorf("a new file has pages of %d bytes", n)
	}
	pages(sqliteFile(address), `PRAGMA journal_mode = DELETE`, `PRAGMA page_size = 4096`, `VACUUM`)
	if n := pages(sqliteFile(address)); n != 4096 {
		t.Fatalf("the older file has pages of %d bytes", n)
	}
	file := filepath.Join(t.TempDir(), "library.backup")
	testkit.NoError(t, backup.Write(t.Context(), sourceOf(address), file, false))
	in, err := os.Open(file)
	testkit.NoError(t, err)
	defer in.Close()
	restored := emptySQLite(t)
	testkit.NoError(t, restore(restored, in, false))
	if n := pages(sqliteFile(restored)); n != 1024 {
		t.Errorf("the restored file has pages of %d bytes", n)
	}
}

func TestAFileIsReplacedByForceOnly(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	open(t, from)
	dir := t.TempDir()
	path := filepath.Join(dir, "b")
	testkit.NoError(t, os.WriteFile(path, []byte("mine"), 0o644))
	if err := backup.Write(t.Context(), sourceOf(from), path, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("without force: %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "mine" {
		t.Error("the file was touched")
	}
	if err := backup.Write(t.Context(), sourceOf(from), path, true); err != nil {
		t.Error(err)
	}
	if err := backup.Write(t.Context(), sourceOf(from), dir, true); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
	wantNothingIn(t, dir, "b")
}

func TestNothingIsBackedUpThatIsNotThere(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	dir := t.TempDir()
	if err := backup.Write(t.Context(), sourceOf(from), filepath.Join(dir, "b"), false); err == nil || !strings.Contains(err.Error(), "no database file") {
		t.Errorf("a database that is not there: %v", err)
	}
	wantNothingIn(t, filepath.Dir(sqliteFile(from)))
	wantNothingIn(t, dir)
}

// TestADamagedDatabaseIsNamedInOneLine damages the database in ways that are found at different moments.
func TestADamagedDatabaseIsNamedInOneLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		damage func(t *testing.T, address string)
	}{
		{"a hole in the middle", func(t *testing.T, address string) {
			f, err := os.OpenFile(sqliteFile(address), os.O_RDWR, 0)
			testkit.NoError(t, err)
			defer f.Close()
			info, err := f.Stat()
			testkit.NoError(t, err)
			testkit.NoError(t, testkit.Err(f.WriteAt(make([]byte, 4*4096), info.Size()/2/4096*4096)))
		}},
		{"the end is missing", func(t *testing.T, address string) {
			testkit.NoError(t, os.Truncate(sqliteFile(address), 20*4096))
		}},
		{"a record without its book", func(t *testing.T, address string) {
			execSQL(t, address, "PRAGMA foreign_keys = 0; DELETE FROM books")
		}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			from := emptySQLite(t)
			open(t, from).store.Close()
			c.damage(t, from)
			dir := t.TempDir()
			err := backup.Write(t.Context(), sourceOf(from), filepath.Join(dir, "b"), false)
			if err == nil {
				t.Fatal("there is a backup")
			}
			said := err.Error()
			for _, want := range []string{fmt.Sprintf("the database file %q is damaged", sqliteFile(from)), "stop the server", "library restore --force"} {
				if !strings.Contains(said, want) {
					t.Errorf("it says %q, without %q", said, want)
				}
			}
			if strings.ContainsAny(said, "\n") || strings.Contains(said, "***") {
				t.Errorf("it says %q", said)
			}
			wantNothingIn(t, dir)
		})
	}
}

func TestAFolderThatIsMissingIsNamed(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	open(t, from)
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	for path, says := range map[string]string{
		filepath.Join(filepath.Dir(file), "no", "such", "a.gz"): fmt.Sprintf("the folder %q does not exist; create it first", filepath.Join(filepath.Dir(file), "no", "such")),
		filepath.Join(file, "a.gz"):                             fmt.Sprintf("%q is not a folder", file),
	} {
		if err := backup.Write(t.Context(), sourceOf(from), path, false); err == nil || err.Error() != says {
			t.Errorf("%s: %v, want %s", path, err, says)
		}
	}
}

func TestABackupThatIsGivenUpLeavesNothing(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, _ string) {
		open(t, from)
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		source := sourceOf(from)
		source.Progress = func(string, int64, int64) { cancel() }
		if err := backup.Write(ctx, source, filepath.Join(dir, "b"), false); err == nil {
			t.Error("it succeeded")
		}
		wantNothingIn(t, dir)
	})
}

// TestAKilledBackupLeavesNoHalfFile kills a program that makes one backup after the other, again and again.
func TestAKilledBackupLeavesNoHalfFile(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	s := open(t, from)
	for range 100 {
		testkit.NoError(t, testkit.Err(s.add(2)))
	}
	path := filepath.Join(t.TempDir(), "b")
	const rounds = 10
	for round := range rounds {
		p := startSelf(t, fromVariable+"="+from, toVariable+"="+path)
		p.AwaitLog(t, regexp.MustCompile(`(copying)`))
		if round == rounds-1 { // or the test would show nothing
			testkit.Eventually(t, "there is a backup", func() bool { _, err := os.Stat(path); return err == nil })
		}
		time.Sleep(time.Duration(5+round*15) * time.Millisecond)
		p.Kill()
		in, err := os.Open(path)
		if os.IsNotExist(err) && round < rounds-1 {
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Log)
		}
		if err := restore(emptySQLite(t), in, false); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		in.Close()
	}
}

func TestPostgresIsCopiedByItsOwnPrograms(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	database, err := backup.NewDatabase("postgres://library:s3cret@127.0.0.1:1/library")
	testkit.NoError(t, err)
	err = backup.Write(t.Context(), backup.Source{Database: database}, filepath.Join(t.TempDir(), "b"), false)
	if err == nil || !strings.Contains(err.Error(), "pg_dump is not installed") {
		t.Errorf("without pg_dump: %v", err)
	}
}

func TestThePasswordIsNoArgument(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\nfor a in \"$@\"; do echo \"arg $a\"; done >&2\necho \"env $PGPASSWORD $PGHOST $PGPORT $PGUSER $PGDATABASE $PGSSLMODE\" >&2\nexit 1\n"
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "pg_dump"), []byte(script), 0o700))
	out := filepath.Join(dir, "said")
	wrapper := "#!/bin/sh\n" + dir + "/inner \"$@\" 2>" + out + "\nexit 1\n"
	testkit.NoError(t, os.Rename(filepath.Join(dir, "pg_dump"), filepath.Join(dir, "inner")))
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "pg_dump"), []byte(wrapper), 0o700))
	server := pgtest.Own(t)
	server.Database(t, "lib")
	server.Exec(t, `CREATE ROLE "us@er" LOGIN PASSWORD 's3/cret'`)
	source := sourceOf("postgres://us%40er:s3%2Fcret@" + server.Addr() + "/lib?sslmode=prefer")
	t.Setenv("PATH", dir)
	if err := backup.Write(t.Context(), source, filepath.Join(dir, "b"), false); err == nil || strings.Contains(err.Error(), "s3/cret") {
		t.Errorf("the error is %v", err)
	}
	said, err := os.ReadFile(out)
	testkit.NoError(t, err)
	host, port, _ := strings.Cut(server.Addr(), ":")
	if !strings.Contains(string(said), "env s3/cret "+host+" "+port+" us@er lib prefer") {
		t.Errorf("the environment: %s", said)
	}
	for line := range strings.Lines(string(said)) {
		if strings.HasPrefix(line, "arg ") && strings.Contains(line, "cret") {
			t.Errorf("an argument: %s", line)
		}
	}
}

// TestWhatPgDumpComplainsOfIsTheDatabase has a server complain of its own files, in
// words that pg_restore has for a copy.
func TestWhatPgDumpComplainsOfIsTheDatabase(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho 'pg_dump: error: query failed: ERROR:  index \"books_id\" is corrupted' >&2\nexit 1\n"
	testkit.NoError(t, os.WriteFile(filepath.Join(dir, "pg_dump"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	err := backup.Write(t.Context(), sourceOf(pgtest.URL(t)), filepath.Join(dir, "b"), false)
	if err == nil || err.Error() != `pg_dump: query failed: ERROR:  index "books_id" is corrupted` {
		t.Errorf("it says %v", err)
	}
}

func TestADatabaseIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"sqlite:/var/lib/library/library.db":                                `the database file "/var/lib/library/library.db"`,
		"postgres://library:s3cret@db.example.org/shelf":                    `the database "shelf" at db.example.org`,
		"postgres://db.example.org:6432/shelf?user=library&password=s3cret": `the database "shelf" at db.example.org`,
	} {
		if got := sourceOf(address).Database.Describe(); got != want {
			t.Errorf("%s is named %s, want %s", address, got, want)
		}
	}
}
