package sqlstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/pressly/goose/v3"

	"example.org/library/sqlstore/engine"
)

//go:embed migrations/*/[0-9]*.sql
var migrationFiles embed.FS

// ErrNewerSchema means: a newer version of the program has migrated the
// database, and this one cannot work with it. See migrations/README.md.
var ErrNewerSchema = engine.ErrNewerSchema

// ErrUnreleasedSchema means: the database is older than the first version. Its
// migrations had the numbers of today's, and made other tables.
var ErrUnreleasedSchema = engine.ErrUnreleasedSchema

// CompatibilityTable says for which programs the schema is. The first migration makes it,
// so a database with this table is not older than the first version.
const CompatibilityTable = "compatible_programs"

// formerCompatibility are the names of the [CompatibilityTable] before the first version.
var formerCompatibility = []string{"compatibility", "schema_compatibility"}

// checkReleased refuses a database that is older than the first version: its compatibility has a former name, or
// it has none and one of the first migrations of then.
func checkReleased(version int64, has func(table string) bool) error {
	if version == 0 || has(CompatibilityTable) || version > 3 && !slices.ContainsFunc(formerCompatibility, has) {
		return nil
	}
	return ErrUnreleasedSchema
}

// Pending returns the names of the missing migrations, or
// ErrNewerSchema. It changes nothing.
func (s *Store) Pending(ctx context.Context) ([]string, error) {
	p, err := s.migrations()
	if err != nil {
		return nil, err
	}
	current, err := s.schemaVersion(ctx)
	if err != nil {
		return nil, s.dialect.Error(ctx, "read schema version", err)
	}
	err = checkReleased(current, func(table string) bool {
		exists, failed := s.hasTable(ctx, table)
		return exists || failed != nil // then what comes next fails as well
	})
	if err != nil {
		return nil, err
	}
	var pending []string
	newest := int64(0)
	for _, source := range p.ListSources() {
		newest = max(newest, source.Version)
		if source.Version > current {
			pending = append(pending, path.Base(source.Path))
		}
	}
	if err := checkSchema(current, newest, func() (int64, error) { return s.compatibleDownTo(ctx) }); err != nil {
		return nil, err
	}
	return pending, nil
}

// checkSchema is the rule by which this program works with a schema, whatever it
// does with it: what it may serve it must be able to back up, and may restore.
// downTo is read from a newer schema only; older ones do not all have it.
func checkSchema(current, newest int64, downTo func() (int64, error)) error {
	if current <= newest {
		return nil
	}
	oldest, err := downTo()
	if err == nil && oldest > newest {
		err = fmt.Errorf("%w (schema %d, for programs that know %d; this one knows %d)", ErrNewerSchema, current, oldest, newest)
	}
	return err
}

// compatibleDownTo is the migration that a program must know, at least.
func (s *Store) compatibleDownTo(ctx context.Context) (int64, error) {
	n, err := engine.ReadOne(ctx, s.db.Direct(), "read for which programs the schema is", engine.ScanNumber, `SELECT max(down_to) FROM `+CompatibilityTable)
	return int64(n), err
}

// Migrate brings the schema up to date and returns the names of the migrations
// that it applied. Several programs may do this at once.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	applied, err := s.db.Migrate(ctx, s.migrate, s.Pending)
	if err == nil {
		err = s.db.FinishMigration(ctx)
	}
	return applied, err
}

func (s *Store) migrate(ctx context.Context) ([]string, error) {
	pending, err := s.Pending(ctx)
	if err != nil || len(pending) == 0 {
		return nil, err
	}
	p, err := s.migrations()
	if err != nil {
		return nil, err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return nil, s.dialect.Error(ctx, "migrate", err)
	}
	var applied []string
	for _, r := range results {
		applied = append(applied, path.Base(r.Source.Path))
	}
	return applied, nil
}

func (s *Store) migrations() (*goose.Provider, error) {
	var all fs.FS = migrationFiles
	if s.migrationFiles != nil {
		all = s.migrationFiles
	}
	files, err := fs.Sub(all, "migrations/"+s.dialect.Name)
	if err != nil {
		return nil, fmt.Errorf("sqlstore: read migrations: %w", err)
	}
	p, err := goose.NewProvider(s.dialect.Goose, s.db.Direct().DB, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return nil, fmt.Errorf("sqlstore: read migrations: %w", err)
	}
	return p, nil
}

// schemaVersion is the number of the newest migration in the database, 0 when
// there is none. The migrator knows it, too, but would create its table to find out.
func (s *Store) schemaVersion(ctx context.Context) (int64, error) {
	if exists, err := s.hasTable(ctx, goose.DefaultTablename); err != nil || !exists {
		return 0, err
	}
	var version int64
	err := s.db.Direct().QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM `+goose.DefaultTablename).Scan(&version)
	return version, err
}

func (s *Store) hasTable(ctx context.Context, name string) (exists bool, err error) {
	err = s.db.Direct().QueryRowContext(ctx, s.dialect.HasTable, name).Scan(&exists)
	return exists, err
}
