package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.org/library/cli"
	"example.org/library/sqlstore"
)

// migrateConfig is what `library migrate` runs with.
type migrateConfig struct{ database string }

func (c *migrateConfig) settings() []setting {
	return []setting{
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
	}
}

func (c *migrateConfig) check() []cli.Problem { return nil }

func newMigrate(env cli.Environment) *cobra.Command {
	cfg := &migrateConfig{}
	return newConfigured(&cobra.Command{
		Use:   "migrate",
		Short: "Bring the database schema up to date",
		Long: `Bring the database schema up to date.

'library serve' does this by itself unless it is told --migrate=false. It is
safe to run while servers are running, and from several places at once.`,
		Example: `  library migrate --database postgres://library@db/library`,
	}, env, cfg, func(cmd *cobra.Command) error {
		store, err := sqlstore.Open(cmd.Context(), cfg.database)
		if err != nil {
			return fmt.Errorf("--database: %w", err)
		}
		defer store.Close()
		applied, err := store.Migrate(cmd.Context())
		if err != nil {
			return fmt.Errorf("--database: %w", err)
		}
		for _, name := range applied {
			fmt.Fprintln(env.Stdout, "applied", name)
		}
		fmt.Fprintln(env.Stdout, "The database schema is up to date.")
		return nil
	})
}
