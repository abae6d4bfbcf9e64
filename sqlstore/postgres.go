package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

func postgresDialect() dialect {
	return dialect{
		name:  "postgres",
		goose: goose.DialectPostgres,
		// A statement sees the loans as they were when it began, which may be
		// before it had to wait for the book; the function looks when the book
		// is locked. See the migration.
		lockedBook: `SELECT ` + bookColumns + `
				l.id, l.book_title, l.borrowed_at, l.user_id, l.first_name, l.last_name, l.user_version
			FROM (SELECT * FROM books WHERE id = $1 FOR UPDATE) b LEFT JOIN LATERAL open_loan(b.id) l ON true`,
		// The caller depends on the book, if only in appearance: so the book is
		// locked first, and whoever is removed while a transaction waits for it
		// is not found.
		callerAndBook: `SELECT ` + bookColumns + `
				l.id, l.book_title, l.borrowed_at, l.user_id, l.first_name, l.last_name, l.user_version, ` + callerColumns + `
			FROM (SELECT * FROM books WHERE id = $1 FOR UPDATE) b
			CROSS JOIN LATERAL (SELECT * FROM users WHERE id = CASE WHEN b.id = '' THEN '' ELSE $2 END FOR SHARE) c
			LEFT JOIN LATERAL open_loan(b.id) l ON true`,
		forUpdate: ` FOR UPDATE`,
		forShare:  ` FOR SHARE`,
		// How often the library was changed (see the migration), and since when
		// the server runs, because a restored backup begins to count again.
		revision: `(SELECT sum(changes)::text FROM revision) || '@' || extract(epoch FROM pg_postmaster_start_time())`,

		findBooks:      findBooksPostgres,
		findUsers:      findUsersPostgres,
		asksBook:       asksBookPostgres,
		lastChange:     lastChangePostgres,
		changesFrom:    changesFromPostgres,
		afterMigration: dropForeignChanges,
		list:           func(list []string) any { return list },
		among:          func(place string) string { return `= ANY(` + place + `::text[])` },
		firstOf:        firstOfPostgres,
		bookRows: `json_to_recordset($1::text::json) AS r (id text, isbn text, isbn_key text, title text, title_key text,
			description text, authors text, search_words text, author_words text, version text, created_at bigint)`,
		advisoryLock:    `SELECT pg_advisory_xact_lock(7236838 + $1::int)`,
		hasTable:        `SELECT to_regclass($1) IS NOT NULL`,
		migrationLock:   `SELECT pg_advisory_lock(7236837)`,
		migrationUnlock: `SELECT pg_advisory_unlock(7236837)`,
		// Planned each time with its values. A plan for any values at all does
		// not know whether a word is rare.
		listOptions: []any{pgx.QueryExecModeCacheDescribe},
		isReadOnly:  `current_setting('transaction_read_only') = 'on'`,
		probe:       `UPDATE revision SET changes = changes + 1 WHERE part = 0`,
		diagnose:    diagnosePostgres,
	}
}

// openPostgres uses the driver's own database/sql pool rather than pgxpool
// beneath it: one pool to bound and to count. The driver keeps statements
// prepared on each connection in either case.
func openPostgres(ctx context.Context, address string) (*Store, error) {
	config, err := parsePostgres(address)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(postgresConnector{stdlib.GetConnector(*config)})
	db.SetMaxOpenConns(maxPostgresConns)
	db.SetMaxIdleConns(maxPostgresConns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, fault(ctx, "connect to PostgreSQL", err)
	}
	return &Store{
		dialect: postgresDialect(), read: db, write: db,
		intact: func() error { return nil }, isSuspect: func() bool { return false },
	}, nil
}

// maxPostgresConns leaves room for several programs on a server with its usual
// limit of 100.
const maxPostgresConns = 20

// parsePostgres reads an address. Its faults never show the address: a
// password may be in it, and in the parts that a parser complains of.
func parsePostgres(address string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && u.Query().Get("host") == "" {
		return nil, errors.New("the database address is not a URL like postgres://user:password@host:5432/library; " +
			"special characters in a password must be percent-encoded, such as %2F for a slash")
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		reason := err.Error()
		if password, ok := u.User.Password(); ok && password != "" && strings.Contains(reason, password) {
			reason = "one of its settings is wrong"
		}
		return nil, fmt.Errorf("the database address cannot be used: %s", reason)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	if _, ok := config.RuntimeParams["application_name"]; !ok {
		config.RuntimeParams["application_name"] = "library"
	}
	if _, ok := config.RuntimeParams["jit"]; !ok {
		// Compiling a statement takes longer than any of ours.
		config.RuntimeParams["jit"] = "off"
	}
	return config, nil
}

func diagnosePostgres(err error) diagnosis {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return diagnosis{}
	}
	switch e.Code {
	case "23505":
		return diagnosis{kind: uniqueViolation, constraint: e.ConstraintName}
	case "23503":
		return diagnosis{kind: foreignKeyViolation, constraint: e.ConstraintName}
	case "40001", "40P01": // serialization failure, deadlock
		return diagnosis{kind: tryAgain}
	}
	return diagnosis{}
}
