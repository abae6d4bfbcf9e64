// Package testdb gives tests databases that hold a library already: the newest schema and
// what a package wants in it. Each test process fills one SQLite file and one PostgreSQL
// database, and each test gets a copy. To migrate anew costs many times as much.
//
// Start reading at [New]. Tests that are about migrations, or about a database that is
// empty, use an address in their own folder, or [pgtest.URL].
package testdb

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// Template is a library that tests get copies of.
type Template struct {
	fill     func(context.Context, *sqlstore.Store) error
	sqlite   func() ([]byte, error)
	postgres *pgtest.Template
}

// Migrated is a library with nothing in it but the newest schema.
var Migrated = New(func(context.Context, *sqlstore.Store) error { return nil })

// New is a template with the newest schema and with what fill puts into it.
func New(fill func(context.Context, *sqlstore.Store) error) *Template {
	tp := &Template{fill: fill}
	tp.sqlite = sync.OnceValues(tp.makeFile)
	tp.postgres = pgtest.NewTemplate(tp.make)
	return tp
}

// SQLite is the address of a copy in a file of the test's own.
func (tp *Template) SQLite(t testing.TB) string {
	t.Helper()
	content, err := tp.sqlite()
	if err != nil {
		t.Fatalf("testdb: %v", err)
	}
	file := filepath.Join(t.TempDir(), "library.db")
	testkit.NoError(t, os.WriteFile(file, content, 0o600))
	return "sqlite:" + file
}

// Postgres is the address of a copy on the server of the test process.
func (tp *Template) Postgres(t testing.TB) string {
	t.Helper()
	return pgtest.URL(t, pgtest.From(tp.postgres))
}

func (tp *Template) makeFile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "library")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "library.db")
	if err := tp.make("sqlite:" + file); err != nil {
		return nil, err
	}
	return os.ReadFile(file) // after the last connection was closed there is no log beside it
}

// make fills the empty database at an address.
func (tp *Template) make(address string) error {
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, address)
	if err != nil {
		return err
	}
	_, err = store.Migrate(ctx)
	if err == nil {
		err = tp.fill(ctx, store)
	}
	return errors.Join(err, store.Close())
}

// Exec runs a statement in a transaction.
func Exec(t testing.TB, tx *sql.Tx, text string, args ...any) {
	t.Helper()
	if _, err := tx.ExecContext(t.Context(), text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}
