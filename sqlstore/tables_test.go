package sqlstore

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestTheTablesThatADumpMustHaveAreThoseOfEachVersion migrates step by step. What
// SQLite makes by itself for a search index is left out.
func TestTheTablesThatADumpMustHaveAreThoseOfEachVersion(t *testing.T) {
	t.Parallel()
	for dialect, c := range map[string]struct{ address, tables string }{
		"sqlite": {"sqlite:" + filepath.Join(t.TempDir(), "library.db"),
			`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
				AND name NOT LIKE '%\_search\_%' ESCAPE '\' ORDER BY name`},
		"postgres": {pgtest.URL(t), `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`},
	} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), c.address)
			testkit.NoError(t, err)
			defer s.Close()
			newest, err := newestMigration(dialect)
			testkit.NoError(t, err)
			for version := int64(1); version <= newest; version++ {
				MigrateTo(t, s, version)
				want := append(Tables(dialect, version), goose.DefaultTablename)
				slices.Sort(want)
				if diff := cmp.Diff(tablesOf(t, s, c.tables), want); diff != "" {
					t.Errorf("version %d (-has +wanted)\n%s", version, diff)
				}
			}
		})
	}
}

func tablesOf(t *testing.T, s *Store, query string) (names []string) {
	t.Helper()
	rows, err := s.db.Direct().QueryContext(t.Context(), query)
	testkit.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		testkit.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	testkit.NoError(t, rows.Err())
	return names
}
