package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"example.org/library/sqlstore"
	"example.org/library/sqlstore/postgres"
)

// postgresDatabase leaves the work to PostgreSQL's own pg_dump and pg_restore: they
// know its versions. Dumps are in their custom format.
type postgresDatabase struct{ address string }

// Describe leaves out every possible secret of the address.
func (d postgresDatabase) Describe() string {
	config, err := postgres.ParseAddress(d.address)
	if err != nil {
		return "the database"
	}
	return fmt.Sprintf("the database %q at %s", config.Database, config.Host)
}

func (d postgresDatabase) Ending() string { return ".pgdump" }
func (d postgresDatabase) IsPacked() bool { return true }
func (d postgresDatabase) Folder() string { return "" }

func (d postgresDatabase) Dump(ctx context.Context, file string, progress Progress) error {
	progress("copying", 0, 0)
	if _, err := findTool("pg_dump"); err != nil {
		return err
	}
	schema, err := d.dumpable(ctx)
	if err != nil {
		return err
	}
	if err := createDump(file); err != nil {
		return err
	}
	// Other things in the database are not ours to read, nor to restore. Restoring
	// decides about owners. Nobody waits for a lock for ever.
	args := []string{"--format=custom", "--schema=" + quoteIdentifier(schema), "--no-owner", "--no-privileges",
		"--no-password", "--lock-wait-timeout=60000", "--file=" + file}
	for _, table := range leftOut {
		args = append(args, "--exclude-table-data="+quoteIdentifier(schema)+"."+table)
	}
	err = d.run(ctx, io.Discard, "pg_dump", args...)
	if err != nil {
		return err
	}
	err = d.Check(ctx, file, progress)
	if damage, ok := errors.AsType[*damagedDump](err); ok {
		return fmt.Errorf("what pg_dump has just written cannot be read (%s); check the disk that it is on", damage.found)
	}
	return ofDatabase(err)
}

// leftOut are tables without rows in a dump. The responses saved under idempotency keys name people, and no request is
// repeated after a restore. What web hooks were to tell they may have told since: after a restore they begin with now.
var leftOut = []string{
	"idempotency_records", "idempotency_keys",
	"webhook_feed", "webhook_events", "webhooks", "webhook_overdue", "deleted_titles",
}

// quoteIdentifier is a name as SQL has it, and as the patterns of pg_dump do: in quotes nothing has a meaning.
func quoteIdentifier(name string) string { return pgx.Identifier{name}.Sanitize() }

// dumpable is the schema of the library, if all of it can be read.
func (d postgresDatabase) dumpable(ctx context.Context) (schema string, err error) {
	conn, err := d.connect(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var unreadable []string
	err = conn.QueryRow(ctx, `SELECT coalesce(current_schema(), ''), coalesce(array_agg(
			format('%I.%I', n.nspname, c.relname) ORDER BY c.relname) FILTER (WHERE NOT has_table_privilege(c.oid, 'SELECT')), '{}')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'S')
			AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`).
		Scan(&schema, &unreadable)
	switch {
	case err != nil:
		return "", postgres.Error(ctx, "look into the database", err)
	case schema == "":
		return "", errNoSchema
	case len(unreadable) > 0:
		return "", fmt.Errorf("this user may not read %s, which is in the schema of the library; let its owner move it elsewhere "+
			"(ALTER TABLE … SET SCHEMA …) or allow it (GRANT SELECT ON %[1]s TO …)", strings.Join(unreadable, ", "))
	}
	return schema, nil
}

var errNoSchema = errors.New("the schema that the address names in search_path does not exist, or this user may not use it; " +
	"create it (CREATE SCHEMA … AUTHORIZATION …), or correct the address")

// Made asks pg_restore, which says "; Archive created at 2026-11-15 19:00:00 UTC". The
// zone in there is that of the caller; run asks, and dumps, in UTC.
func (d postgresDatabase) Made(ctx context.Context, file string) time.Time {
	var contents strings.Builder
	if err := d.run(ctx, &contents, "pg_restore", "--list", file); err != nil {
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

// Check has pg_restore read all of a dump, without a database.
func (d postgresDatabase) Check(ctx context.Context, file string, progress Progress) error {
	progress("checking", 0, 0)
	if err := d.run(ctx, io.Discard, "pg_restore", "--file=-", file); err != nil {
		return err
	}
	contents, err := d.contents(ctx, file)
	if err != nil {
		return err
	}
	schema, err := contents.schema()
	if err != nil {
		return err
	}
	version, err := d.archivedNumber(ctx, file, schema, goose.DefaultTablename, "version_id")
	if err != nil {
		return err
	}
	return sqlstore.CheckDump("postgres", version, func(table string) bool { return contents.hasTable(schema, table) },
		func() (int64, error) {
			return d.archivedNumber(ctx, file, schema, sqlstore.CompatibilityTable, "down_to")
		})
}

// archive is the list of pg_restore: a line for each thing in a dump, such as "TABLE DATA public books owner".
type archive []string

func (d postgresDatabase) contents(ctx context.Context, file string) (archive, error) {
	var list strings.Builder
	if err := d.run(ctx, &list, "pg_restore", "--list", file); err != nil {
		return nil, err
	}
	return parseArchive(list.String()), nil
}

// parseArchive reads lines such as "215; 1259 16397 TABLE public books owner". The others are comments.
func parseArchive(list string) (contents archive) {
	for line := range strings.Lines(list) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(parts) == 4 && strings.HasSuffix(parts[0], ";") && parts[0] != ";" {
			contents = append(contents, parts[3])
		}
	}
	return contents
}

// hasTable reports whether a table is there, with its records unless they are left out.
func (a archive) hasTable(schema, table string) bool {
	begins := func(kind string) func(string) bool {
		return func(entry string) bool { return strings.HasPrefix(entry, kind+" "+schema+" "+table+" ") }
	}
	return slices.ContainsFunc(a, begins("TABLE")) && (slices.Contains(leftOut, table) || slices.ContainsFunc(a, begins("TABLE DATA")))
}

// schema returns the schema of the library. A dump of a whole database has others, and in them there may be tables with
// the same names: ours has most of our tables.
func (a archive) schema() (string, error) {
	schema, most := "", 0
	for _, entry := range a {
		rest, is := strings.CutPrefix(entry, "TABLE DATA ")
		candidate, _, found := strings.Cut(rest, " "+goose.DefaultTablename+" ")
		if !is || !found {
			continue
		}
		switch n := a.ownTables(candidate); {
		case n > most:
			schema, most = candidate, n
		case n == most && n > 0:
			return "", fmt.Errorf("there are two libraries in it, in the schemas %q and %q; "+
				"make a backup of one of them (pg_dump --format=custom --schema=…)", schema, candidate)
		}
	}
	if most == 0 {
		return "", errForeignDump
	}
	return schema, nil
}

// ownTables counts the tables of the library in a schema. The table of the migrations
// alone shows nothing: other programs have one, too.
func (a archive) ownTables(schema string) (n int) {
	for _, table := range sqlstore.Tables("postgres", math.MaxInt64) {
		if a.hasTable(schema, table) {
			n++
		}
	}
	return n
}

// archivedNumber is the largest number in a column of a dump.
func (d postgresDatabase) archivedNumber(ctx context.Context, file, schema, table, column string) (int64, error) {
	var script strings.Builder
	if err := d.run(ctx, &script, "pg_restore", "--file=-", "--data-only", "--schema="+schema, "--table="+table, file); err != nil {
		return 0, err
	}
	return largestIn(script.String(), table, column)
}

// largestIn reads a number from the script of pg_restore:
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
				return 0, errForeignDump
			}
			largest = max(largest, n)
		}
	}
	if largest == 0 {
		return 0, errForeignDump
	}
	return largest, nil
}

// dumpName is the name of connections for dumps at the server. They do not count as users of the database: an ended one
// is seen there for a moment.
const dumpName = "library backup"

func (d postgresDatabase) connect(ctx context.Context) (*postgres.SingleConn, error) {
	return postgres.ConnectOnce(ctx, d.address, dumpName)
}
