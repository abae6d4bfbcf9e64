package pgtest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// statementCounter is the extension of PostgreSQL that counts statements.
const statementCounter = "pg_stat_statements"

// loadStatementCounter lets the server of [Durable] count statements when it is asked to. Not
// every installation has the extension.
func (c *cluster) loadStatementCounter() error {
	if _, err := os.Stat(filepath.Join(c.bin, "..", "lib", statementCounter+".so")); err != nil || c.kept != powerSafe {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(c.dir, "data", "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("shared_preload_libraries = '" + statementCounter + "'\n" + statementCounter + ".track = none\n")
	return err
}

// Statements is how many statements a database of the server of [Durable] runs while something
// is done, with those inside of functions and triggers. It is not known where PostgreSQL
// lacks the extension pg_stat_statements.
func Statements(t testing.TB, address string, do func()) (n int64, known bool) {
	t.Helper()
	c, err := running(true)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	database, err := url.Parse(address)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	count := func() (n int64) {
		err := c.asAdmin(func(ctx context.Context, conn *pgx.Conn) error {
			return conn.QueryRow(ctx, `SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
				WHERE d.datname = $1`, strings.TrimPrefix(database.Path, "/")).Scan(&n)
		})
		if err != nil {
			t.Fatalf("pgtest: count statements: %v", err)
		}
		return n
	}
	if known, err = c.trackStatements("all"); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	if !known {
		do()
		return 0, false
	}
	defer c.trackStatements("none")
	before := count()
	do()
	return count() - before, true
}

// trackStatements tells all sessions what to count, and reports whether they can. The server
// tells them before it lets anybody in who sees the new setting.
func (c *cluster) trackStatements(which string) (can bool, err error) {
	ask := func(text string, into any) error {
		return c.asAdmin(func(ctx context.Context, conn *pgx.Conn) error { return conn.QueryRow(ctx, text).Scan(into) })
	}
	var setting *string
	const current = `SELECT current_setting('` + statementCounter + `.track', true)`
	if err := ask(current, &setting); err != nil || setting == nil {
		return false, err
	}
	for _, text := range []string{"CREATE EXTENSION IF NOT EXISTS " + statementCounter,
		"ALTER SYSTEM SET " + statementCounter + ".track = '" + which + "'", "SELECT pg_reload_conf()"} {
		if err := c.admin(text); err != nil {
			return false, err
		}
	}
	for *setting != which {
		time.Sleep(time.Millisecond)
		if err := ask(current, &setting); err != nil {
			return false, err
		}
	}
	return true, nil
}
