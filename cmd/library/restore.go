package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/backup"
	"example.org/library/cli/command"
	"example.org/library/terminal"
)

func newRestoreConfig() *fileConfig {
	return &fileConfig{group: "RESTORE_", fileUsage: "the backup to read, or - for standard input", forceUsage: "replace a library that is already there"}
}

func newRestore(env command.Environment) *cobra.Command {
	cfg := newRestoreConfig()
	return newConfigured(&cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a library back from a backup",
		Long: `Restore a library from a file that 'library backup' has written, into a new SQLite
file or an empty PostgreSQL database. A library that is already there is replaced
only with --force, and never while a server uses it.

The backup is read and checked before anything is changed. It is refused if it is
damaged, comes from another program, lacks a table of the library, or comes from a
newer version that this one could not serve. 'library serve' brings the schema of an
older backup up to date.

On PostgreSQL, pg_restore must be installed. The backup is a program that runs in the
database, so restore only what you trust. Everything is one transaction: if it fails,
the database is as it was. The rights of other roles (GRANT) are not in a backup.

A SQLite file that is replaced keeps its owner, group and rights. The files that
SQLite had beside it (-wal, -shm) are deleted: they would be taken for a part of the
new one.`,
		Example: `  library restore library.db.gz
  library restore --database sqlite:/var/lib/library/library.db --force library.db.gz
  library restore --database postgres://library@db/library library.pgdump`,
	}, env, cfg, func(cmd *cobra.Command) error {
		return runRestore(cmd.Context(), cfg, env)
	})
}

func runRestore(ctx context.Context, cfg *fileConfig, env command.Environment) error {
	source, done, err := openSource(cfg.database, env)
	if err != nil {
		return err
	}
	var in io.Reader = env.Stdin
	if cfg.file != "-" {
		file, err := os.Open(cfg.file)
		if err != nil {
			return fmt.Errorf("the backup cannot be opened: %w", err)
		}
		defer file.Close()
		in = file
	}
	made, err := backup.Restore(ctx, source, in, cfg.force)
	done()
	switch {
	case errors.Is(err, backup.ErrUnconfirmed):
		return err
	case err != nil && ctx.Err() != nil:
		return command.Interrupted(ctx, "nothing was restored")
	case err != nil:
		return fmt.Errorf("nothing was restored: %w", err)
	}
	fmt.Fprintf(env.Stderr, "The library in %s is restored. %s\n", source.Database.Describe(), fromWhen(made))
	return nil
}

// fromWhen says how old a backup is, which is the first thing that people ask.
func fromWhen(made time.Time) string {
	if made.IsZero() {
		return "The backup does not say from when it is."
	}
	return "The backup is from " + made.UTC().Format("2006-01-02 15:04:05 UTC") + "."
}

func newTerminal(env command.Environment) *terminal.Terminal {
	return terminal.New(terminal.Options{In: env.Stdin, Out: env.Stdout, Err: env.Stderr, Lookup: env.Lookup})
}

// openSource is the database of a backup, with progress on a terminal. done takes
// the progress away.
func openSource(address string, env command.Environment) (source backup.Source, done func(), err error) {
	database, err := backup.NewDatabase(address)
	if err != nil {
		return backup.Source{}, nil, fmt.Errorf("--database: %w", err)
	}
	term := newTerminal(env)
	var bar *terminal.Progress
	step, reached := "", int64(0)
	done = func() {
		if bar != nil {
			bar.Done()
		}
	}
	progress := func(doing string, at, total int64) {
		if doing != step {
			done()
			step, reached = doing, 0
			bar = startProgress(term, doing, at, total)
		}
		bar.AddBytes(at - reached)
		reached = at
	}
	return backup.Source{Database: database, Progress: progress}, done, nil
}

// startProgress shows bytes where they are counted, and words where not.
func startProgress(term *terminal.Terminal, doing string, at, total int64) *terminal.Progress {
	switch {
	case total > 0:
		return term.NewByteProgress(total, doing)
	case at > 0:
		return term.NewByteProgress(-1, doing)
	}
	return term.NewWait(doing)
}
