package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/sqlstore"
)

// migrateConfig is what `library migrate` runs with.
type migrateConfig struct {
	database string
	config   string
	wait     time.Duration
}

func (c *migrateConfig) settings() []setting {
	return []setting{
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
		configSetting(&c.config),
		waitSetting(&c.wait, "0s"),
	}
}

func (c *migrateConfig) check() []command.Problem { return nil }

func newMigrate(env command.Environment) *cobra.Command {
	cfg := &migrateConfig{}
	return newConfigured(&cobra.Command{
		Use:   "migrate",
		Short: "Bring the database schema up to date",
		Long: `Bring the database schema up to date.

'library serve' does this at its start, unless it has --migrate=false. It is safe
to run while servers are running, and from several places at once.`,
		Example: `  library migrate --database postgres://library@db/library`,
	}, env, cfg, func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, "text", slog.LevelInfo)
		applied, err := awaitDatabase(cmd.Context(), cfg.wait, log.Logger, func(error) {}, func(ctx context.Context) ([]string, error) {
			return migrate(ctx, cfg.database)
		})
		if err != nil {
			return err
		}
		for _, name := range applied {
			fmt.Fprintln(env.Stdout, "applied", name)
		}
		fmt.Fprintln(env.Stdout, "The database schema is up to date.")
		return nil
	})
}

// migrate returns the names of the migrations that it applied.
func migrate(ctx context.Context, database string) ([]string, error) {
	store, err := sqlstore.Open(ctx, database)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	defer store.Close()
	applied, err := store.Migrate(ctx)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	return applied, nil
}
