package sqlstore

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore/engine"
	"example.org/library/sqlstore/postgres"
)

// MigrateTo brings an empty database to an older schema.
func MigrateTo(t testing.TB, s *Store, version int64) {
	t.Helper()
	p, err := s.migrations()
	if err == nil {
		_, err = p.UpTo(context.Background(), version)
	}
	testkit.NoError(t, err)
}

// AddMigration lets the program have one more migration than it has.
func AddMigration(t testing.TB, s *Store, name, text string) {
	t.Helper()
	all := fstest.MapFS{"migrations/" + s.dialect.Name + "/" + name: {Data: []byte(text)}}
	err := fs.WalkDir(migrationFiles, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			content, readErr := migrationFiles.ReadFile(path)
			all[path], err = &fstest.MapFile{Data: content}, readErr
		}
		return err
	})
	testkit.NoError(t, err)
	s.migrationFiles = all
}

// Look reads one row of one text.
func Look(t testing.TB, s *Store, text string, args ...any) string {
	t.Helper()
	var got string
	if err := s.db.Direct().QueryRowContext(context.Background(), text, args...).Scan(&got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return got
}

// LookFor reads as a caller does who waits for some time.
func LookFor(t testing.TB, s *Store, timeout time.Duration, text string) string {
	t.Helper()
	got, err := engine.ReadOne(library.WithStoreTimeout(context.Background(), timeout), s.db, "look", engine.ScanText, text)
	testkit.NoError(t, err)
	return got
}

// TryExec runs a statement on the tables themselves.
func TryExec(t testing.TB, s *Store, text string, args ...any) error {
	t.Helper()
	_, err := s.db.Direct().ExecContext(context.Background(), text, args...)
	return err
}

// Exec is TryExec for statements that must succeed.
func Exec(t testing.TB, s *Store, text string, args ...any) {
	t.Helper()
	if err := TryExec(t, s, text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// LimitPages lets a SQLite file grow by little more, as if the disk were full.
func LimitPages(t testing.TB, s *Store) {
	t.Helper()
	var pages int
	testkit.NoError(t, s.db.Direct().QueryRow(`PRAGMA page_count`).Scan(&pages))
	LimitPagesTo(t, s, pages+4)
}

// LimitPagesTo limits the number of pages of a SQLite file.
func LimitPagesTo(t testing.TB, s *Store, pages int) {
	t.Helper()
	Exec(t, s, fmt.Sprintf(`PRAGMA max_page_count = %d`, pages))
}

// LoanRow is a row of the table of loans; what is NULL there is empty.
type LoanRow struct {
	BookID, Title, UserID  string
	BorrowedAt, ReturnedAt int64
}

func LoanRows(t testing.TB, s *Store) []LoanRow {
	t.Helper()
	rows, err := s.db.Direct().Query(`SELECT coalesce(book_id, ''), book_title, coalesce(user_id, ''), borrowed_at,
		coalesce(returned_at, 0) FROM loans ORDER BY borrowed_at`)
	testkit.NoError(t, err)
	defer rows.Close()
	var loans []LoanRow
	for rows.Next() {
		var l LoanRow
		testkit.NoError(t, rows.Scan(&l.BookID, &l.Title, &l.UserID, &l.BorrowedAt, &l.ReturnedAt))
		loans = append(loans, l)
	}
	return loans
}

// CheckIntegrity asks SQLite whether its file and the search index are sound.
func CheckIntegrity(t testing.TB, s *Store) {
	t.Helper()
	if s.dialect.Name != "sqlite" {
		return
	}
	var result string
	if err := s.db.Direct().QueryRow(`PRAGMA integrity_check`).Scan(&result); err != nil || result != "ok" {
		t.Errorf("integrity_check: %s, %v", result, err)
	}
	Exec(t, s, `INSERT INTO books_search (books_search, rank) VALUES ('integrity-check', 1)`)
}

// PlanToFind is how SQLite goes about the books that an import is about.
func PlanToFind(t testing.TB, s *Store, keys library.BookKeys) string {
	t.Helper()
	text, a := findBooksText(s.dialect, keys)
	return planOf(t, s, text, a)
}

func planOf(t testing.TB, s *Store, text string, a engine.Arguments) string {
	t.Helper()
	return testkit.PlanOf(t, s.db.Direct().DB, s.dialect.Name, text, s.dialect.PlannedFor(a)...)
}

// AddChanges writes n changes into the table of changes alone, in one transaction.
func AddChanges(t testing.TB, s *Store, n int) {
	t.Helper()
	columns, values := `kind, subject, borrowed`, `'edited', 'x', false`
	if s.dialect.Name == "postgres" {
		columns, values = `major, `+columns, `pg_current_xact_id()::text::bigint, `+values
	}
	Exec(t, s, fmt.Sprintf(`INSERT INTO changes (%s)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT %s FROM n`, columns, n, values))
}

// OldestChange is the first change that is kept, and how many there are.
func OldestChange(t testing.TB, s *Store) (p library.Position, kept int) {
	t.Helper()
	major := `0`
	if s.dialect.Name == "postgres" {
		major = `major`
	}
	err := s.db.Direct().QueryRow(`SELECT `+major+`, seq, mark, (SELECT count(*) FROM changes) FROM changes ORDER BY 1, 2 LIMIT 1`).
		Scan(&p.TxID, &p.Seq, &p.Nonce, &kept)
	testkit.NoError(t, err)
	return p, kept
}

// PlanToLoad is how SQLite goes about everything that decides who may have a book.
func PlanToLoad(t testing.TB, s *Store) string {
	t.Helper()
	c := circulating{isHeld: true}
	var plan strings.Builder
	l := library.Load{Book: "b", Caller: "u", Now: time.Now()}
	for _, r := range append(c.readings(s.dialect, l, true), c.moreReadings(s.dialect, l, true)...) {
		plan.WriteString("-- " + r.Doing + "\n" + planOf(t, s, r.Text, r.Args))
	}
	return plan.String()
}

// KeptPlans counts how often PostgreSQL has read what a viewer is to know of some
// books by a plan that it had already, on the store's only connection.
func KeptPlans(t testing.TB, s *Store) (n int) {
	t.Helper()
	err := s.db.Direct().QueryRow(`SELECT coalesce(sum(generic_plans), 0) FROM pg_prepared_statements WHERE statement LIKE 'SELECT b.id, s.copies%'`).Scan(&n)
	testkit.NoError(t, err)
	return n
}

// OneConnection limits the store to one.
func OneConnection(s *Store) { s.db.Direct().SetMaxOpenConns(1) }

// PlanToView is how SQLite goes about what a viewer is to know of some books.
func PlanToView(t testing.TB, s *Store) string {
	t.Helper()
	a := engine.Arguments{"u"}
	return planOf(t, s, `SELECT `+viewedColumns+` FROM `+viewedBooks(`$1`)+` WHERE b.id `+s.dialect.Among(a.Add(s.dialect.List([]string{"b"}))), a)
}

// PlanToReadBooks is the plan by which the store's only connection reads books.
func PlanToReadBooks(t testing.TB, s *Store) string {
	t.Helper()
	tx, err := s.db.Direct().BeginTx(t.Context(), nil)
	testkit.NoError(t, err)
	defer tx.Rollback()
	var name string
	testkit.NoError(t, tx.QueryRow(`SELECT name FROM pg_prepared_statements WHERE statement = $1`, bookOfViewer).Scan(&name))
	testkit.NoError(t, testkit.Err(tx.Exec(postgres.KeepPlans)))
	rows, err := tx.Query(`EXPLAIN EXECUTE ` + name + `('{b}', '{u}')`)
	testkit.NoError(t, err)
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		testkit.NoError(t, rows.Scan(&line))
		plan.WriteString(line + "\n")
	}
	return plan.String()
}

// CommitTx commits a statement as migrations do.
func CommitTx(ctx context.Context, s *Store, text string) error {
	t, err := s.db.Direct().BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer t.Rollback()
	if _, err := t.ExecContext(ctx, text); err != nil {
		return err
	}
	return t.Commit()
}

// ExecFor runs a statement, which is given up after a time.
func ExecFor(s *Store, text string, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_, err := s.db.Direct().ExecContext(ctx, text)
	return err
}

// Sleep lets a transaction take some seconds at its next statement.
func Sleep(t library.Tx, seconds int) {
	t.(*tx).sql.Write(context.Background(), engine.Statement{Doing: "sleep", Text: `SELECT pg_sleep($1)`, Args: []any{seconds}, Explain: explain})
}
