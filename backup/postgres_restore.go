package backup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library/sqlstore/outbox"
	"example.org/library/sqlstore/postgres"
)

// MayReplace looks at the existing database.
func (d postgresDatabase) MayReplace(ctx context.Context, force bool) error {
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = mayReplace(ctx, conn.Conn, force)
	return err
}

// mayReplace returns the schema for a dump.
func mayReplace(ctx context.Context, conn *pgx.Conn, force bool) (schema string, err error) {
	there, err := lookAgain(ctx, conn, force)
	switch {
	case err != nil:
		return "", postgres.Error(ctx, "look into the database", err)
	case there.schema == "":
		return "", errNoSchema
	case there.relations == 0:
		return there.schema, nil
	case !there.isOurs:
		return "", errors.New("the database belongs to another program, and was left as it is; name an empty one")
	case !force:
		return "", errOccupied("this database already contains a library")
	case there.others > 0:
		return "", fmt.Errorf("other programs are using the database (%s, as %s); stop the servers first, and what else is connected",
			connections(there.others), strings.Join(there.roles, ", "))
	}
	return there.schema, nil
}

// occupant is the content of a database, and its users.
type occupant struct {
	schema    string // the one of the address, "" if it is not there
	relations int    // in there
	isOurs    bool
	others    int // sessions
	roles     []string
}

// lookAgain looks for a moment until nobody else is there: an ended session of a stopped server is still seen.
func lookAgain(ctx context.Context, conn *pgx.Conn, force bool) (there occupant, err error) {
	for range 20 {
		there, err = look(ctx, conn)
		if err != nil || there.others == 0 || !there.isOurs || !force {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return there, err
}

func look(ctx context.Context, conn *pgx.Conn) (there occupant, err error) {
	// A library with a lost table is still one: restoring is for it.
	//
	// Of sessions of other roles the server hides everything but the role:
	// its own background processes belong to no role.
	err = conn.QueryRow(ctx, `
		WITH relations AS (
			SELECT c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND NOT EXISTS (
				SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
		), others AS (
			SELECT coalesce(usename, 'a role that was dropped') AS role FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL
				AND (backend_type IS NULL OR backend_type = 'client backend') AND coalesce(application_name, '') <> $1
		)
		SELECT coalesce(current_schema(), ''), (SELECT count(*) FROM relations),
			(SELECT count(*) FILTER (WHERE relname = 'goose_db_version') = 1 AND (count(*) FILTER (WHERE relname = 'books') = 1
				OR count(*) FILTER (WHERE relname IN ('users', 'loans', 'copies', 'holds', 'stock', 'policy')) >= 3)
				FROM relations WHERE relkind IN ('r', 'p')),
			(SELECT count(*) FROM others), (SELECT coalesce(array_agg(DISTINCT role::text), '{}') FROM others)`,
		dumpName).Scan(&there.schema, &there.relations, &there.isOurs, &there.others, &there.roles)
	return there, err
}

func connections(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}

// Replace empties the schema and restores in one transaction of our own: until it is committed, all that was there is
// still there. pg_restore could restore in one, but not empty in the same: only a schema that is empty can become what
// it was, since a newer one has tables of which a dump knows nothing. So pg_restore writes SQL, and we send it. psql
// would take it, too, but also obeys commands for itself in it.
func (d postgresDatabase) Replace(ctx context.Context, file string, force bool) error {
	contents, err := d.contents(ctx, file)
	if err != nil {
		return err
	}
	from, err := contents.schema()
	if err != nil {
		return err
	}
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) // which also rolls back
	to, err := mayReplace(ctx, conn.Conn, force)
	if err != nil {
		return err
	}
	if from != to {
		return fmt.Errorf("the backup is of the schema %q, and the address is of the schema %q; restore it with search_path=%[1]s "+
			"in the address, into another database if need be", from, to)
	}
	if err := d.restoreInto(ctx, conn.Conn, file, to, force); err != nil {
		return err
	}
	return commitRestored(ctx, conn, restoreTimeout)
}

// restoreInto does everything in the transaction except its end.
func (d postgresDatabase) restoreInto(ctx context.Context, conn *pgx.Conn, file, schema string, force bool) error {
	if _, err := conn.Exec(ctx, `BEGIN`); err != nil {
		return postgres.Error(ctx, "begin to restore", err)
	}
	if _, err := conn.Exec(ctx, liftTimeouts); err != nil {
		return postgres.Error(ctx, "begin to restore", err)
	}
	if force {
		if _, err := conn.Exec(ctx, emptySchema); err != nil {
			return postgres.Error(ctx, "empty the database", err)
		}
	}
	// In sections, because where nothing but records is, their beginning and end can be found.
	for _, section := range []string{"pre-data", "data", "post-data"} {
		if err := d.sendSection(ctx, conn.PgConn(), file, schema, section); err != nil {
			return err
		}
	}
	_, err := conn.Exec(ctx, outbox.Pause(quoteIdentifier(schema)+".outbox"))
	return postgres.Error(ctx, "let mails wait", err)
}

// liftTimeouts lifts the bounds of a server for others: a restore
// takes as long as it takes. Not every version knows all of them.
const liftTimeouts = `SELECT set_config(name, '0', true) FROM pg_settings
	WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

// emptySchema drops everything in the schema, except parts of extensions. The
// names are collected first: some go with others. Nobody waits for a lock for ever.
const emptySchema = `DO $$
	DECLARE
		here CONSTANT oid := (SELECT oid FROM pg_namespace WHERE nspname = current_schema());
		statements text[];
		statement text;
	BEGIN
		PERFORM set_config('lock_timeout', '10s', true);
		SELECT array_agg(format('DROP %s IF EXISTS %s CASCADE', kind, name) ORDER BY place) INTO statements FROM (
			SELECT 1 AS place, CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE'
					WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
				format('%I.%I', current_schema(), relname) AS name
			FROM pg_class c WHERE relnamespace = here AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT EXISTS (
				SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
					AND (d.deptype = 'e' OR c.relkind = 'S' AND d.deptype IN ('a', 'i')))
			UNION ALL
			SELECT 2, 'ROUTINE', oid::regprocedure::text FROM pg_proc p WHERE pronamespace = here AND NOT EXISTS (
				SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype IN ('e', 'i'))
			UNION ALL
			SELECT 3, 'TYPE', format('%I.%I', current_schema(), typname) FROM pg_type t
			WHERE typnamespace = here AND (typtype IN ('e', 'd', 'r')
					OR typtype = 'c' AND EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
				AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
		) AS found;
		FOREACH statement IN ARRAY coalesce(statements, '{}') LOOP
			EXECUTE statement;
		END LOOP;
	END $$`

// restoreTimeout is how long the server may take to put it all on its disk.
const restoreTimeout = 2 * time.Minute

// commitRestored is not cancelled with the caller: the outcome would be unknown.
func commitRestored(ctx context.Context, conn *postgres.SingleConn, timeout time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	ended, err := conn.Commit(ctx)
	refused, isRefused := errors.AsType[*pgconn.PgError](err)
	switch {
	case isRefused && !postgres.IsServerGone(refused.Code):
		return postgres.Error(ctx, "restore", err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUnconfirmed, err)
	case ended.String() != "COMMIT": // a transaction that has failed ends with ROLLBACK
		return errors.New("the server did not accept the backup, and has changed nothing")
	}
	return nil
}
