package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	"example.org/library/terminal"
)

// fileConfig configures `library backup` and `library restore`.
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

'library serve --backup-every 24h' makes a backup every day and keeps fourteen.`,
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
		return errors.New("no backup was made: the reading program ended before it was complete")
	case err != nil:
		return fmt.Errorf("no backup was made: %w", err)
	}
	if info, err := os.Stat(cfg.file); err == nil && cfg.file != "-" {
		fmt.Fprintf(env.Stderr, "The backup is in %s (%s). It was read and checked.\n", cfg.file, inBytes(info.Size()))
	}
	return nil
}

// outliveReader lets a write fail when the reader of a pipe has gone. Otherwise the system would
// end the program there and then, and a copy of everything would stay behind in the folder for
// temporary files. Notify rather than Ignore: programs started here would inherit Ignore.
func outliveReader() (stop func()) {
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

func inBytes(n int64) string {
	const kilo, mega = 1000, 1000 * 1000
	if n < 10*mega {
		return fmt.Sprintf("%d kB", (n+kilo-1)/kilo)
	}
	return fmt.Sprintf("%d MB", n/mega)
}

// backupSchedule configures the backups of `library serve`.
type backupSchedule struct {
	every  time.Duration
	keep   int
	folder string
}

// check finds out where the backups go.
func (b *backupSchedule) check(database string) []command.Problem {
	if b.every == 0 && b.folder != "" {
		return []command.Problem{problem("--backup-dir", "is given, but no backups are made; say how often with --backup-every 24h")}
	}
	if path, is := strings.CutPrefix(database, "sqlite:"); b.folder == "" && is {
		b.folder = filepath.Join(filepath.Dir(path), "backups")
	} else if b.folder == "" && b.every != 0 {
		return []command.Problem{problem("--backup-dir", "is required with --backup-every on PostgreSQL: the folder for the backups (LIBRARY_BACKUP_DIR)")}
	}
	return nil
}

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

The backup is read and checked before anything is changed: it is refused if it is
damaged, from another program, or from a newer version. 'library serve' brings the
schema of an older one up to date.

On PostgreSQL, pg_restore must be installed. The backup is a program that runs in the
database, so restore only what you trust. It is one transaction; the rights of other
roles (GRANT) are not in it. A SQLite file that is replaced keeps its owner, group and
rights; files beside it (-wal, -shm) are deleted.`,
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

// fromWhen describes the age of a backup, the first question of people.
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
