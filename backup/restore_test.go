package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // driver pgx
	_ "modernc.org/sqlite"             // driver sqlite

	"example.org/library/backup"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

func pack(t testing.TB, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(plain)
	testkit.NoError(t, w.Close())
	return out.Bytes()
}

func unpack(t testing.TB, packed []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	testkit.NoError(t, err)
	plain, err := io.ReadAll(r)
	testkit.NoError(t, err)
	return plain
}

// changed is a backup of SQLite in which somebody has run a statement.
func changed(t testing.TB, packed []byte, statement string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "changed.db")
	testkit.NoError(t, os.WriteFile(path, unpack(t, packed), 0o600))
	db, err := sql.Open("sqlite", path)
	testkit.NoError(t, err)
	testkit.NoError(t, testkit.Err(db.Exec(statement)))
	testkit.NoError(t, db.Close())
	plain, err := os.ReadFile(path)
	testkit.NoError(t, err)
	return pack(t, plain)
}

func TestWhatIsNoGoodBackupIsRefusedInWords(t *testing.T) {
	t.Parallel()
	good := packedBackup(t)
	plain := unpack(t, good)
	lie := func(pages uint32) []byte {
		b := slices.Clone(plain)
		binary.BigEndian.PutUint32(b[28:], pages)
		return pack(t, b)
	}
	torn := slices.Clone(plain)
	copy(torn[len(torn)/2:], make([]byte, 4096*4))
	for _, c := range []struct {
		rule string
		in   []byte
		says string
	}{
		{"empty", nil, "empty"},
		{"a text", []byte("Dear library, please find enclosed nothing"), "not a backup"},
		{"one byte", []byte{0x1f}, "not a backup"},
		{"half of the magic", []byte{0x1f, 0x8b}, "cut off"},
		{"a compressed text", pack(t, []byte("Dear library")), "not a backup"},
		{"cut off in the header", good[:15], "cut off"},
		{"cut off in the middle", good[:len(good)/2], "cut off"},
		{"without the last byte", good[:len(good)-1], "cut off"},
		{"with more after it", append(slices.Clone(good), 'x'), "damaged"},
		{"two backups in one", append(slices.Clone(good), good...), "damaged"},
		{"a wrong checksum", flipped(good, len(good)-6), "damaged"},
		{"a hole in the database", pack(t, torn), "damaged"},
		{"longer than it says", lie(3), "damaged"},
		{"shorter than it says", lie(uint32(len(plain)/int(binary.BigEndian.Uint16(plain[16:])) + 1)), "cut off"},
		{"larger than any disk", lie(0xffffffff), "needs"},
		{"a bomb", pack(t, append(slices.Clone(plain), make([]byte, 32<<20)...)), "longer than it says"},
		{"of another program", changed(t, good, "DROP TABLE goose_db_version"), "another program"},
		{"of another program, by its mark", changed(t, good, "PRAGMA application_id = 7"), "another program"},
		{"of a newer version", changed(t, good, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (900000, 1); UPDATE compatible_programs SET down_to = 900000"), "newer version"},
		{"of a newer version that does not say for whom", changed(t, good, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (900000, 1); DROP TABLE compatible_programs"), "compatible_programs"},
		{"a record without its book", changed(t, good, "PRAGMA foreign_keys = 0; DELETE FROM books"), "damaged"},
		{"of PostgreSQL", []byte("PGDMP\x01\x10\x00 and so on, and so on"), "backup of PostgreSQL"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			to := emptySQLite(t)
			err := restore(to, bytes.NewReader(c.in), false)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %q in it", err, c.says)
			}
			wantNothingIn(t, filepath.Dir(sqliteFile(to)))
		})
	}
}

func flipped(b []byte, at int) []byte {
	b = slices.Clone(b)
	b[at] ^= 1
	return b
}

// TestWhatIsNoGoodDumpIsRefusedInWords is the same of PostgreSQL.
func TestWhatIsNoGoodDumpIsRefusedInWords(t *testing.T) {
	t.Parallel()
	from := pgtest.URL(t)
	open(t, from)
	good := dumpOf(t, from)
	other := pgtest.URL(t)
	execSQL(t, other, "CREATE TABLE invoices (id INT)")
	foreign := pgDump(t, other)
	execSQL(t, from, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (900000, true)")
	execSQL(t, from, "UPDATE compatible_programs SET down_to = 900000")
	newer := pgDump(t, from)
	for _, c := range []struct {
		rule string
		in   []byte
		says string
	}{
		{"cut off", good[:len(good)/2], "damaged"},
		{"the head alone", good[:200], "damaged"},
		{"of another program", foreign, "another program"},
		{"of a newer version", newer, "newer version"},
		{"of a newer pg_dump", append([]byte("PGDMP\x01\x7f"), good[7:]...), "newer pg_dump"},
		{"of SQLite", packedBackup(t), "backup of SQLite"},
		{"a text", []byte("Dear library, please find enclosed nothing"), "not a backup"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			to := pgtest.URL(t)
			err := restore(to, bytes.NewReader(c.in), false)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want %q in it", err, c.says)
			}
			if n := tables(t, to); n != 0 {
				t.Errorf("%d tables are there", n)
			}
		})
	}
}

func dumpOf(t testing.TB, address string) []byte {
	t.Helper()
	var out bytes.Buffer
	testkit.NoError(t, backup.WriteTo(context.Background(), sourceOf(address), &out))
	return out.Bytes()
}

// openSQL opens a database past the library.
func openSQL(t testing.TB, address string) *sql.DB {
	t.Helper()
	driver, name := "pgx", address
	if path, is := strings.CutPrefix(address, "sqlite:"); is {
		driver, name = "sqlite", path
	}
	db, err := sql.Open(driver, name)
	testkit.NoError(t, err)
	return db
}

func execSQL(t testing.TB, address, statement string) {
	t.Helper()
	db := openSQL(t, address)
	defer db.Close()
	testkit.NoError(t, testkit.Err(db.Exec(statement)))
}

func tables(t testing.TB, address string) (n int) {
	t.Helper()
	db, err := sql.Open("pgx", address)
	testkit.NoError(t, err)
	defer db.Close()
	testkit.NoError(t, db.QueryRow("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&n))
	return n
}

func TestALibraryIsReplacedByForceOnly(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		s := open(t, from)
		b, err := s.add(1)
		testkit.NoError(t, err)
		copied := dumpOf(t, from)
		old := open(t, to)
		lost, err := old.add(1)
		testkit.NoError(t, err)
		old.store.Close()
		if !strings.HasPrefix(to, "sqlite:") { // a table that a newer version has added
			execSQL(t, to, "CREATE TABLE added_later (id INT REFERENCES goose_db_version)")
		}
		if err := restore(to, bytes.NewReader(copied), false); err == nil || !strings.Contains(err.Error(), "--force") {
			t.Errorf("without force: %v", err)
		}
		testkit.NoError(t, restore(to, bytes.NewReader(copied), true))
		restored := open(t, to)
		if _, err := restored.service.Book(t.Context(), restored.curator, b.ID); err != nil {
			t.Error(err)
		}
		if _, err := restored.service.Book(t.Context(), restored.curator, lost.ID); err == nil {
			t.Error("a book of the old library is still there")
		}
	})
}

func TestADatabaseOfAnotherProgramIsNeverReplaced(t *testing.T) {
	t.Parallel()
	from, to := pgtest.URL(t), pgtest.URL(t)
	open(t, from)
	execSQL(t, to, "CREATE TABLE invoices (id INT)")
	if err := restore(to, bytes.NewReader(dumpOf(t, from)), true); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("%v", err)
	}
}

func TestALibraryInUseIsNeverReplaced(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		open(t, from)
		copied := dumpOf(t, from)
		s := open(t, to)
		s.store.Close()
		p := startSelf(t, useVariable+"="+to)
		p.AwaitLog(t, regexp.MustCompile(`using (<nil>)`))
		if err := restore(to, bytes.NewReader(copied), true); err == nil || !strings.Contains(err.Error(), "stop the server") {
			t.Errorf("while it is in use: %v", err)
		}
		p.Kill()
		if err := restore(to, bytes.NewReader(copied), true); err != nil {
			t.Error(err)
		}
		open(t, to)
	})
}

func TestABackupSaysFromWhenItIs(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		open(t, from)
		began := time.Now().Truncate(time.Second)
		copied := dumpOf(t, from)
		made, err := backup.Restore(t.Context(), sourceOf(to), bytes.NewReader(copied), false)
		testkit.NoError(t, err)
		if made.Before(began) || made.After(time.Now()) {
			t.Errorf("it is said to be from %v, but was made after %v", made, began)
		}
	})
}

func TestAPlainSQLiteFileDoesNotSayFromWhenItIs(t *testing.T) {
	t.Parallel()
	made, err := backup.Restore(t.Context(), sourceOf(emptySQLite(t)), bytes.NewReader(unpack(t, packedBackup(t))), false)
	if err != nil || !made.IsZero() {
		t.Errorf("it is said to be from %v (%v)", made, err)
	}
}

// TestWhatMayBeServedMayBeBackedUpAndRestored is about schemas of newer programs.
func TestWhatMayBeServedMayBeBackedUpAndRestored(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, from, to string) {
		open(t, from).store.Close()
		execSQL(t, from, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (900000, true)")
		copied := dumpOf(t, from)
		if err := restore(to, bytes.NewReader(copied), false); err != nil {
			t.Fatalf("a newer schema that this program may serve: %v", err)
		}
		open(t, to)
		execSQL(t, from, "UPDATE compatible_programs SET down_to = 900000")
		err := backup.WriteTo(t.Context(), sourceOf(from), io.Discard)
		if !errors.Is(err, sqlstore.ErrNewerSchema) {
			t.Errorf("a newer schema that it may not serve: %v", err)
		}
	})
}

// TestTheLogOfALostFileIsNotTakenForThatOfTheNewOne destroys a file and leaves what SQLite had beside it.
func TestTheLogOfALostFileIsNotTakenForThatOfTheNewOne(t *testing.T) {
	t.Parallel()
	from := emptySQLite(t)
	s := open(t, from)
	testkit.NoError(t, testkit.Err(s.add(1)))
	copied := dumpOf(t, from)
	log, err := os.ReadFile(sqliteFile(from) + "-wal")
	testkit.NoError(t, err)
	for _, left := range [][]string{{"-wal"}, {"-shm"}, {"-journal"}, {"-shm", "-wal"}} {
		t.Run(strings.Join(left, " and "), func(t *testing.T) {
			t.Parallel()
			to := emptySQLite(t)
			path := sqliteFile(to)
			var names []string
			for _, end := range left {
				testkit.NoError(t, os.WriteFile(path+end, log, 0o600))
				names = append(names, "library.db"+end)
			}
			err := restore(to, bytes.NewReader(copied), false)
			for _, name := range append(names, "--force") {
				if err == nil || !strings.Contains(err.Error(), name) {
					t.Errorf("without force: %v; want %s in it", err, name)
				}
			}
			wantNothingIn(t, filepath.Dir(path), names...)
			testkit.NoError(t, restore(to, bytes.NewReader(copied), true))
			wantNothingIn(t, filepath.Dir(path), "library.db")
			open(t, to)
		})
	}
}

// TestWhatAKilledServerLeftIsReplacedByForce is the recipe of docs/operations.md: nothing of
// what came after the backup may come back from the log.
func TestWhatAKilledServerLeftIsReplacedByForce(t *testing.T) {
	t.Parallel()
	from, to := emptySQLite(t), emptySQLite(t)
	s := open(t, from)
	before, err := s.add(1)
	testkit.NoError(t, err)
	copied := dumpOf(t, from)
	after, err := s.add(1)
	testkit.NoError(t, err)
	for _, end := range []string{"", "-wal", "-shm"} { // as they are after kill -9
		left, err := os.ReadFile(sqliteFile(from) + end)
		testkit.NoError(t, err)
		testkit.NoError(t, os.WriteFile(sqliteFile(to)+end, left, 0o600))
	}
	testkit.NoError(t, restore(to, bytes.NewReader(copied), true))
	wantNothingIn(t, filepath.Dir(sqliteFile(to)), "library.db")
	restored := open(t, to)
	if _, err := restored.service.Book(t.Context(), restored.curator, before.ID); err != nil {
		t.Errorf("what was there before the backup: %v", err)
	}
	if _, err := restored.service.Book(t.Context(), restored.curator, after.ID); err == nil {
		t.Error("what came after the backup came back")
	}
}

func FuzzRestore(f *testing.F) {
	good := packedBackup(f)
	plain := unpack(f, good)
	f.Add(good)
	f.Add(plain)
	f.Add(plain[:200])
	f.Add([]byte("PGDMP"))
	f.Fuzz(func(t *testing.T, in []byte) {
		to := emptySQLite(t)
		err := restore(to, bytes.NewReader(in), false)
		if err != nil {
			wantNothingIn(t, filepath.Dir(sqliteFile(to)))
			return
		}
		if err := backup.WriteTo(context.Background(), sourceOf(to), io.Discard); err != nil {
			t.Errorf("what was restored cannot be backed up: %v", err)
		}
	})
}
