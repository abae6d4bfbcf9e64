package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/backup"
	"example.org/library/cli/command"
	"example.org/library/sqlstore"
)

// fileConfig is what `library backup` and `library restore` run with.
type fileConfig struct {
	group                 string // of its variables
	file                  string
	database              string
	config                string
	force                 bool
	fileUsage, forceUsage string
}

func (c *fileConfig) settings() []setting {
	return []setting{
		{flag: "FILE", isWord: true, usage: c.fileUsage, set: fileName(&c.file)},
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
		configSetting(&c.config),
		{flag: "force", group: c.group, value: "false", boolean: true, usage: c.forceUsage, set: boolean(&c.force)},
	}
}

func (c *fileConfig) check() []command.Problem { return nil }

func newBackupConfig() *fileConfig {
	return &fileConfig{group: "BACKUP_", fileUsage: "the file to write, or - for standard output", forceUsage: "replace a file that already exists"}
}

func fileName(into *string) func(string) error {
	return func(v string) error {
		if v == "" {
			return errors.New("is empty; name a file, or -")
		}
		if strings.Contains(v, "://") { // not repeated: there may be a password in it
			return errors.New("is an address; name a file, or -, and the database with --database")
		}
		*into = v
		return nil
	}
}

func newBackup(env command.Environment) *cobra.Command {
	cfg := newBackupConfig()
	return newConfigured(&cobra.Command{
		Use:   "backup FILE",
		Short: "Write everything to a file, while it is in use",
		Long: `Write the whole library to a file, as it is at one moment, while servers go on
reading and writing. The file gets its name when it is complete, checked and on
disk.

A backup of SQLite is the database itself, compressed with gzip. A backup of
PostgreSQL is what pg_dump writes in its custom format; pg_dump must be installed.
'library restore' restores both. The file contains everything that is in the
library, so protect it as you protect the database.

'library serve --every 24h --keep 14' makes a backup every day and keeps fourteen.`,
		Example: `  library backup library.db.gz
  library backup --database postgres://library@db/library library.pgdump
  library backup - | ssh archive "cat > library.db.gz"`,
	}, env, cfg, func(cmd *cobra.Command) error {
		return runBackup(cmd.Context(), cfg, env)
	})
}

func runBackup(ctx context.Context, cfg *fileConfig, env command.Environment) error {
	if cfg.file == "-" && newTerminal(env).Interactive() {
		return errors.New("no backup was made: - would write it onto the screen; send it to a file (library backup - > library.db.gz) " +
			"or to a program (library backup - | …), or name a file")
	}
	source, done, err := openSource(cfg.database, env)
	if err != nil {
		return err
	}
	defer outliveReader()()
	if cfg.file == "-" {
		err = backup.WriteTo(ctx, source, env.Stdout)
	} else {
		err = backup.Write(ctx, source, cfg.file, cfg.force)
	}
	done()
	switch {
	case err != nil && ctx.Err() != nil:
		return command.Interrupted(ctx, "no backup was made")
	case errors.Is(err, syscall.EPIPE):
		return errors.New("no backup was made: the program that reads it has ended before it was complete")
	case err != nil:
		return fmt.Errorf("no backup was made: %w", err)
	}
	if info, err := os.Stat(cfg.file); err == nil && cfg.file != "-" {
		fmt.Fprintf(env.Stderr, "The backup is in %s (%s). It was read and checked.\n", cfg.file, inBytes(info.Size()))
	}
	return nil
}

// outliveReader lets a write fail when nobody reads any more. Otherwise the system
// would end the program there and then, and a copy of everything would stay behind
// in the folder for temporary files. Notify rather than Ignore: other programs
// that are started here would inherit that.
func outliveReader() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

// inBytes is a size for a person.
func inBytes(n int64) string {
	if n < 10<<20 {
		return fmt.Sprintf("%d kB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// backupSchedule is the backups that `library serve` makes at an interval.
type backupSchedule struct {
	every  time.Duration
	keep   int
	folder string
}

// check finds out where the backups go.
func (b *backupSchedule) check(database string) []command.Problem {
	if b.every == 0 && b.folder != "" {
		return []command.Problem{problem("--backup-dir", "is given, but no backups are made; say how often with --every 24h")}
	}
	if path, is := strings.CutPrefix(database, "sqlite:"); b.folder == "" && is {
		b.folder = filepath.Join(filepath.Dir(path), "backups")
	} else if b.folder == "" && b.every != 0 {
		return []command.Problem{problem("--backup-dir", "is required with --every on PostgreSQL: the folder for the backups (LIBRARY_BACKUP_DIR)")}
	}
	return nil
}

// start starts what makes them.
func (b *backupSchedule) start(address string, store *sqlstore.Store, log *slog.Logger, registry prometheus.Registerer) (stop func(), err error) {
	if b.every == 0 {
		return func() {}, nil
	}
	database, err := backup.NewDatabase(address)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	stop, err = backup.Start(backup.Schedule{
		Source: backup.Source{Database: database}, Folder: b.folder, Every: b.every, Keep: b.keep,
		Alone: func(ctx context.Context, fn func(context.Context) error) (bool, error) {
			return store.Alone(ctx, library.BackupLock, fn)
		},
		Logger: log, Metrics: registry,
	})
	if err != nil {
		return nil, fmt.Errorf("--backup-dir: %w", err)
	}
	return stop, nil
}
