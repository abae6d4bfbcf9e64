package backup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"example.org/library"
	"example.org/library/backup"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// The test starts this program again, as a process that uses a database, or that makes backups until somebody kills it.
const (
	useVariable  = "BACKUP_TEST_USE"
	fromVariable = "BACKUP_TEST_FROM"
	toVariable   = "BACKUP_TEST_TO"

	restoreVariable = "BACKUP_TEST_RESTORE"
	backupVariable  = "BACKUP_TEST_BACKUP"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(useVariable); address != "" {
		store, err := sqlstore.Open(context.Background(), address)
		if err == nil {
			err = store.Ping(context.Background())
		}
		fmt.Println("using", err)
		select {}
	}
	if address := os.Getenv(fromVariable); address != "" {
		fmt.Println("copying")
		for {
			if err := backup.Write(context.Background(), sourceOf(address), os.Getenv(toVariable), true); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
	if address := os.Getenv(restoreVariable); address != "" {
		in, err := os.Open(os.Getenv(backupVariable))
		if err == nil {
			err = restore(address, in, true)
		}
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startSelf starts this program with variables.
func startSelf(t *testing.T, variables ...string) *testkit.Process {
	t.Helper()
	self, err := os.Executable()
	testkit.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variables...)
	return testkit.Start(t, cmd)
}

func sourceOf(address string) backup.Source {
	database, err := backup.NewDatabase(address)
	if err != nil {
		panic(err)
	}
	return backup.Source{Database: database}
}

// onEachDatabase runs a test with an empty database of each kind, and another one of the same kind.
func onEachDatabase(t *testing.T, test func(t *testing.T, from, to string)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, emptySQLite(t), emptySQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, pgtest.URL(t), pgtest.URL(t))
	})
}

func emptySQLite(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "library.db") }

func sqliteFile(address string) string { return strings.TrimPrefix(address, "sqlite:") }

// shop is a library in use.
type shop struct {
	store   *sqlstore.Store
	service *service.Service
	curator library.Actor
}

func open(t testing.TB, address string) *shop {
	t.Helper()
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, address)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	testkit.NoError(t, testkit.Err(store.Migrate(ctx)))
	s := &shop{store: store, service: service.New(store)}
	testkit.NoError(t, s.service.Prepare(ctx, service.Setup{Samples: sample.Lending}))
	u, _, err := s.service.Caller(ctx, "peter.parker@example.com")
	testkit.NoError(t, err)
	s.curator = library.Actor{User: u, Authorities: []string{library.RoleCurator.Authority()}}
	return s
}

// add adds a book of about the given size in kilobytes.
func (s *shop) add(kilobytes int) (library.Book, error) {
	text := strings.Repeat(uuid.NewString()+" ", kilobytes*1024/37)
	return s.service.AddBook(context.Background(), s.curator, "", library.BookFields{Title: "Emma " + uuid.NewString(), Description: text[:min(len(text), 2000)]}, 1)
}

// packedBackup is a backup of a small SQLite library.
func packedBackup(t testing.TB) []byte {
	t.Helper()
	address := emptySQLite(t)
	s := open(t, address)
	testkit.NoError(t, testkit.Err(s.add(1)))
	var out bytes.Buffer
	testkit.NoError(t, backup.WriteTo(context.Background(), sourceOf(address), &out))
	return out.Bytes()
}

func restore(address string, in io.Reader, force bool) error {
	_, err := backup.Restore(context.Background(), sourceOf(address), in, force)
	return err
}

// wantNothingIn expects that a folder has no files but these.
func wantNothingIn(t testing.TB, folder string, but ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	testkit.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(but, " ") {
		t.Errorf("the folder has %q, want %q", names, but)
	}
}

// pgDump is what pg_dump makes of a database, whosever it is.
func pgDump(t testing.TB, address string) []byte {
	t.Helper()
	out, err := exec.Command("pg_dump", "--format=custom", "--dbname="+address).Output()
	testkit.NoError(t, err)
	return out
}
