package sqlstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
)

// postgresCopier leaves the work to PostgreSQL's own pg_dump and pg_restore, which
// know its versions. Copies are in their custom format.
type postgresCopier struct{ address string }

// Describe leaves out all of the address that could be a secret.
func (c postgresCopier) Describe() string {
	config, err := parsePostgres(c.address)
	if err != nil {
		return "the database"
	}
	return fmt.Sprintf("the database %q at %s", config.Database, config.Host)
}

func (c postgresCopier) Ending() string { return ".pgdump" }
func (c postgresCopier) IsPacked() bool { return true }
func (c postgresCopier) Folder() string { return "" }

func (c postgresCopier) Dump(ctx context.Context, file string, progress Progress) error {
	progress("copying", 0, 0)
	// Restoring decides who owns what. Nobody waits for a lock for ever.
	err := c.run(ctx, io.Discard, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--no-password",
		"--lock-wait-timeout=60000", "--file="+file)
	if err != nil {
		return err
	}
	err = c.Check(ctx, file, progress)
	var damage *damagedCopy
	if errors.As(err, &damage) {
		return fmt.Errorf("what pg_dump has just written cannot be read (%s); check the disk that it is on", damage.found)
	}
	return err
}

// Made asks pg_restore, which says "; Archive created at 2026-11-15 19:00:00 UTC". The
// zone in there is that of who asks; run asks, and dumps, in UTC.
func (c postgresCopier) Made(ctx context.Context, file string) time.Time {
	var contents strings.Builder
	if err := c.run(ctx, &contents, "pg_restore", "--list", file); err != nil {
		return time.Time{}
	}
	_, at, _ := strings.Cut(contents.String(), "Archive created at ")
	at, _, _ = strings.Cut(at, " UTC")
	made, err := time.Parse(time.DateTime, at)
	if err != nil {
		return time.Time{}
	}
	return made
}

// Check has pg_restore read all of a copy, without a database.
func (c postgresCopier) Check(ctx context.Context, file string, progress Progress) error {
	progress("checking", 0, 0)
	if err := c.run(ctx, io.Discard, "pg_restore", "--file=-", file); err != nil {
		return err
	}
	version, err := c.dumpedNumber(ctx, file, goose.DefaultTablename, "version_id")
	if err != nil {
		return err
	}
	return checkCopiedSchema("postgres", version, func() (int64, error) { return c.dumpedNumber(ctx, file, "compatibility", "down_to") })
}

// dumpedNumber is the largest number in a column of a copy.
func (c postgresCopier) dumpedNumber(ctx context.Context, file, table, column string) (int64, error) {
	var script strings.Builder
	if err := c.run(ctx, &script, "pg_restore", "--file=-", "--data-only", "--table="+table, file); err != nil {
		return 0, err
	}
	return largestIn(script.String(), table, column)
}

// largestIn reads a number from what pg_restore would send to a server:
// COPY public.goose_db_version (id, version_id, …) FROM stdin; and rows.
func largestIn(script, table, column string) (int64, error) {
	at, largest := -1, int64(0)
	for lines := bufio.NewScanner(strings.NewReader(script)); lines.Scan(); {
		line := lines.Text()
		if _, names, is := strings.Cut(line, table+" ("); is && strings.HasPrefix(line, "COPY ") {
			names, _, _ = strings.Cut(names, ")")
			at = slices.Index(strings.Split(names, ", "), column)
			continue
		}
		if line == `\.` { // the end of the rows
			at = -1
		}
		if fields := strings.Split(line, "\t"); at >= 0 && at < len(fields) {
			n, err := strconv.ParseInt(fields[at], 10, 64)
			if err != nil {
				return 0, errForeignCopy
			}
			largest = max(largest, n)
		}
	}
	if largest == 0 {
		return 0, errForeignCopy
	}
	return largest, nil
}

// copierName is what connections that copy are called at the server. They do not
// count as somebody who uses the database: one that has ended is seen there for a
// moment.
const copierName = "library backup"

func (c postgresCopier) connect(ctx context.Context) (*pgx.Conn, error) {
	config, err := parsePostgres(c.address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = copierName
	conn, err := pgx.ConnectConfig(ctx, config)
	return conn, dbError(ctx, "connect to PostgreSQL", err)
}

// MayReplace looks at the database that is there.
func (c postgresCopier) MayReplace(ctx context.Context, force bool) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var relations, others int
	var ours bool
	err = conn.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
			AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')),
		(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND backend_type = 'client backend' AND application_name <> $1),
		to_regclass('goose_db_version') IS NOT NULL AND to_regclass('books') IS NOT NULL`, copierName).Scan(&relations, &others, &ours)
	switch {
	case err != nil:
		return dbError(ctx, "look into the database", err)
	case relations == 0:
		return nil
	case !ours:
		return errors.New("the database belongs to another program, and was left as it is; name an empty one")
	case !force:
		return occupied("a library in this database")
	case others > 0:
		return fmt.Errorf("other programs are using the database (%d connections); stop the servers first", others)
	}
	return nil
}

// Replace restores in one transaction. With force, what is in the way is dropped
// in another one before it: only a database that is empty can become what it was,
// since a newer schema has tables of which a copy knows nothing.
func (c postgresCopier) Replace(ctx context.Context, file string, force bool) error {
	if err := c.MayReplace(ctx, force); err != nil {
		return err
	}
	if force {
		if err := c.empty(ctx); err != nil {
			return err
		}
	}
	return c.run(ctx, io.Discard, "pg_restore", "--dbname="+c.name(), "--no-owner", "--no-privileges", "--no-password",
		"--single-transaction", "--exit-on-error", file)
}

// empty drops what is in the schema, except what belongs to extensions.
func (c postgresCopier) empty(ctx context.Context) error {
	conn, err := c.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.Exec(ctx, `DO $$
		DECLARE
			what RECORD;
		BEGIN
			PERFORM set_config('lock_timeout', '10s', true);
			FOR what IN
				SELECT 'TABLE' AS kind, oid::regclass::text AS name FROM pg_class
				WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
					AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype = 'e')
				UNION ALL
				SELECT 'SEQUENCE', oid::regclass::text FROM pg_class
				WHERE relnamespace = current_schema()::regnamespace AND relkind = 'S'
					AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_class.oid AND d.deptype IN ('e', 'a', 'i'))
				UNION ALL
				SELECT 'ROUTINE', oid::regprocedure::text FROM pg_proc
				WHERE pronamespace = current_schema()::regnamespace
					AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = pg_proc.oid AND d.deptype = 'e')
			LOOP
				EXECUTE format('DROP %s IF EXISTS %s CASCADE', what.kind, what.name);
			END LOOP;
		END $$`)
	return dbError(ctx, "empty the database", err)
}
