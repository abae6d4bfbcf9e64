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
	if _, err := findTool("pg_dump"); err != nil {
		return err
	}
	schema, err := c.dumpable(ctx)
	if err != nil {
		return err
	}
	if err := createCopy(file); err != nil {
		return err
	}
	// What else is in the database is not ours to read, nor to restore. Restoring
	// decides who owns what. Nobody waits for a lock for ever.
	args := []string{"--format=custom", "--schema=" + quoteIdentifier(schema), "--no-owner", "--no-privileges",
		"--no-password", "--lock-wait-timeout=60000", "--file=" + file}
	for _, table := range leftOut {
		args = append(args, "--exclude-table-data="+quoteIdentifier(schema)+"."+table)
	}
	err = c.run(ctx, io.Discard, "pg_dump", args...)
	if err != nil {
		return err
	}
	err = c.Check(ctx, file, progress)
	var damage *damagedCopy
	if errors.As(err, &damage) {
		return fmt.Errorf("what pg_dump has just written cannot be read (%s); check the disk that it is on", damage.found)
	}
	return ofDatabase(err)
}

// leftOut are tables of which a copy has no rows: answers that are kept for a day
// name people, and nobody repeats a request after a restore.
var leftOut = []string{"idempotency_records", "idempotency_keys"}

// quoteIdentifier is a name as SQL has it, and as the patterns of pg_dump do: in
// quotes nothing has a meaning.
func quoteIdentifier(name string) string { return pgx.Identifier{name}.Sanitize() }

// dumpable is the schema of the library, if all of it can be read.
func (c postgresCopier) dumpable(ctx context.Context) (schema string, err error) {
	conn, err := c.connect(ctx)
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
		return "", dbError(ctx, "look into the database", err)
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
	contents, err := c.contents(ctx, file)
	if err != nil {
		return err
	}
	schema, err := contents.schema()
	if err != nil {
		return err
	}
	version, err := c.dumpedNumber(ctx, file, schema, goose.DefaultTablename, "version_id")
	if err != nil {
		return err
	}
	if err := checkTables("postgres", version, func(table string) bool { return contents.hasTable(schema, table) }); err != nil {
		return err
	}
	return checkCopiedSchema("postgres", version, func() (int64, error) { return c.dumpedNumber(ctx, file, schema, compatibilityTable, "down_to") })
}

// archive is what pg_restore lists of a copy: a line for each thing in it, such
// as "TABLE DATA public books owner".
type archive []string

func (c postgresCopier) contents(ctx context.Context, file string) (archive, error) {
	var list strings.Builder
	if err := c.run(ctx, &list, "pg_restore", "--list", file); err != nil {
		return nil, err
	}
	return parseArchive(list.String()), nil
}

// parseArchive reads lines such as "215; 1259 16397 TABLE public books owner". The
// others are comments.
func parseArchive(list string) (contents archive) {
	for line := range strings.Lines(list) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(parts) == 4 && strings.HasSuffix(parts[0], ";") && parts[0] != ";" {
			contents = append(contents, parts[3])
		}
	}
	return contents
}

// hasTable reports whether a table is there, with its records unless they are left
// out.
func (a archive) hasTable(schema, table string) bool {
	begins := func(kind string) func(string) bool {
		return func(entry string) bool { return strings.HasPrefix(entry, kind+" "+schema+" "+table+" ") }
	}
	return slices.ContainsFunc(a, begins("TABLE")) && (slices.Contains(leftOut, table) || slices.ContainsFunc(a, begins("TABLE DATA")))
}

// schema is the one that the library is in. A copy of a whole database has others,
// and in them there may be tables with the same names: ours is that with most of
// our tables.
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
		return "", errForeignCopy
	}
	return schema, nil
}

// ownTables counts the tables of the library in a schema. That of the migrations
// alone shows nothing: other programs have one, too.
func (a archive) ownTables(schema string) (n int) {
	for _, t := range libraryTables {
		if t.name != goose.DefaultTablename && a.hasTable(schema, t.name) {
			n++
		}
	}
	return n
}

// dumpedNumber is the largest number in a column of a copy.
func (c postgresCopier) dumpedNumber(ctx context.Context, file, schema, table, column string) (int64, error) {
	var script strings.Builder
	if err := c.run(ctx, &script, "pg_restore", "--file=-", "--data-only", "--schema="+schema, "--table="+table, file); err != nil {
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

func (c postgresCopier) connect(ctx context.Context) (*copierConn, error) {
	config, err := parsePostgres(c.address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = copierName
	cancels := new(canceller)
	cancels.guard(config)
	cancels.allow(true)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, dbError(ctx, "connect to PostgreSQL", err)
	}
	cancels.isMade.Store(true)
	return &copierConn{conn, cancels}, nil
}

type copierConn struct {
	*pgx.Conn
	cancels *canceller
}
