// Package pgtest gives tests a throw-away PostgreSQL.
//
// [URL] is all of it: the address of a fresh database, dropped at the end of the
// test. It is empty, or [From] a template. The first call in a test process starts a server of its
// own from the installed server package (about a second), on a free port of
// the loopback interface, in a temporary folder. Server and folder go away with
// the process, however it ends: see watchdog in cluster.go.
//
// The databases differ from a developer's machine, so code that relies on its
// habits fails here:
//
//   - text sorts by the ICU rules of American English, to find a missing
//     COLLATE "C";
//   - the server's time zone is Asia/Kathmandu (UTC+05:45), to find a time
//     outside of UTC;
//   - the user owns the database and is not a superuser.
//
// A machine without PostgreSQL fails the test; it is never skipped.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// An Option changes the database of [URL].
type Option func(*options)

type options struct {
	durable  bool
	locale   string
	template *Template
}

const usualLocale = "en-US"

// Durable asks for a server with commits that outlive a power failure (fsync,
// full_page_writes and synchronous_commit on), for honest benchmarks. It is a second
// server beside the usual one. Its folder is in the temporary folder, too: point
// TMPDIR at a disk if it is in memory.
func Durable() Option {
	return func(o *options) { o.durable = true }
}

// Locale asks for a database with the order of another ICU locale, such
// as "de-DE" or "sv-SE", or by bytes with "C". The default is "en-US".
func Locale(name string) Option {
	return func(o *options) { o.locale = name }
}

var databases atomic.Int64

// URL returns the postgres:// address of a fresh, empty database. At the end of the
// test it is dropped, with all connections to it.
func URL(t testing.TB, opts ...Option) string {
	t.Helper()
	o := options{locale: usualLocale}
	for _, opt := range opts {
		opt(&o)
	}
	c, err := running(o.durable)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	name := "test_" + strconv.FormatInt(databases.Add(1), 10)
	if err := c.create(name, o); err != nil {
		t.Fatalf("pgtest: create database: %v\nlog of the server:\n%s", err, c.log())
	}
	t.Cleanup(func() {
		if err := c.admin("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Errorf("pgtest: drop database: %v\nlog of the server:\n%s", err, c.log())
		}
	})
	return c.url(testUser, name)
}

// create makes a database for testUser, empty or as a copy of a template.
func (c *cluster) create(name string, o options) error {
	if o.template == nil {
		return c.admin(createDatabase(name, o.locale, c.icu))
	}
	template, err := o.template.in(c)
	if err != nil {
		return err
	}
	return c.admin("CREATE DATABASE " + name + " OWNER " + testUser + " TEMPLATE " + template + c.copying)
}

// createDatabase returns the statement to make a database for testUser. A server
// built without ICU can sort by bytes only; nobody chooses it for production, so
// this is good enough.
func createDatabase(name, locale string, icu bool) string {
	stmt := "CREATE DATABASE " + name + " OWNER " + testUser + " TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
	if locale == "C" || !icu {
		return stmt
	}
	return stmt + " LOCALE_PROVIDER icu ICU_LOCALE '" + strings.ReplaceAll(locale, "'", "''") + "'"
}

// url returns the address of a database for one of the two users.
func (c *cluster) url(user, database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(user, c.password),
		Host:     "127.0.0.1:" + strconv.Itoa(c.port),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// admin runs one statement as superuser.
func (c *cluster) admin(stmt string) error {
	return c.asAdmin(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, stmt)
		return err
	})
}

func (c *cluster) asAdmin(do func(context.Context, *pgx.Conn) error) error {
	// Not the test's context: it is cancelled before its cleanups run.
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url(superUser, "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(ctx)
	return do(ctx, conn)
}
