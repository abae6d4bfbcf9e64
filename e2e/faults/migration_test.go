package faults

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/storetest"
)

// beforeCopies is the last migration of the program that olderWriter stands for.
// The one after it changes the tables of lending more than any other.
const beforeCopies = 2

// openOlder makes a database as the program before copies has left it, with books
// and readers, and no process on it.
func openOlder(t *testing.T, database string) *library {
	t.Helper()
	l := &library{database: database, direct: database, idp: testidp.New(t)}
	db := l.sql(t)
	p, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("../../sqlstore/migrations/postgres"), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), beforeCopies); err != nil {
		t.Fatal(err)
	}
	run := func(text string, args ...any) {
		t.Helper()
		if _, err := db.Exec(text, args...); err != nil {
			t.Fatal(err)
		}
	}
	for i := range manyBooks {
		id := uuid.NewString()
		run(`INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, search_words, author_words, version, created_at)
			VALUES ($1, '', '', $2, $2, '', '[]', $2, '', '1', 1)`, id, fmt.Sprint("book ", i))
		l.books = append(l.books, id)
	}
	for i := range manyReaders {
		id, email := uuid.NewString(), fmt.Sprintf("reader-%d@example.com", i)
		run(`INSERT INTO users (id, email, email_key, first_name, first_name_key, last_name, last_name_key, roles, search_words, version, created_at)
			VALUES ($1, $2, $2, 'R', 'r', $3, $3, '[]', 'r', '1', 1)`, id, email, fmt.Sprint(i))
		l.readers = append(l.readers, reader{id, l.token(t, email, "library_user library_curator")})
	}
	return l
}

// lendAsBefore is a step of a reader at a program of the version before copies.
func (c *crowd) lendAsBefore(db *sql.DB, i int, step storetest.Lending) (a answer) {
	a = answer{Lending: step, reader: i, called: time.Since(c.began), sent: true}
	defer func() { a.took = time.Since(c.began) - a.called }()
	// What fails before the commit has not happened.
	gaveUp := func(err error) answer {
		a.failure, a.status, a.code, a.retryAfter = err, http.StatusServiceUnavailable, "unavailable", "1"
		return a
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return gaveUp(err)
	}
	defer tx.Rollback()
	var held, who string
	if _, err = tx.Exec(`SELECT FROM books WHERE id = $1 FOR UPDATE`, step.Book); err != nil {
		return gaveUp(err)
	}
	err = tx.QueryRow(`SELECT id, user_id FROM loans WHERE book_id = $1 AND returned_at IS NULL`, step.Book).Scan(&held, &who)
	switch isFree := err == sql.ErrNoRows; {
	case err != nil && !isFree:
		return gaveUp(err)
	case step.Act == "borrow" && isFree:
		a.loan, a.who = uuid.NewString(), step.Reader
		_, err = tx.Exec(`INSERT INTO loans (id, book_id, book_title, user_id, borrowed_at) VALUES ($1, $2, $2, $3, $4)`,
			a.loan, step.Book, step.Reader, time.Now().UnixMicro())
	case step.Act == "borrow" && who == step.Reader:
		a.loan, a.who, err = held, who, nil
	case step.Act == "borrow":
		a.status, a.code = http.StatusConflict, "already_borrowed"
		return a
	case isFree:
		a.status, a.code = http.StatusConflict, "not_borrowed"
		return a
	case who != step.Reader:
		a.status, a.code = http.StatusForbidden, "not_your_loan"
		return a
	default:
		a.who = storetest.Free
		_, err = tx.Exec(`UPDATE loans SET returned_at = $2 WHERE id = $1 AND returned_at IS NULL`, held, time.Now().UnixMicro())
	}
	if err != nil {
		return gaveUp(err)
	}
	if a.failure = tx.Commit(); a.failure == nil {
		a.status = http.StatusOK
	}
	return a
}

// gatherAsBefore lets the readers lend with the program of the version before.
func (l *library) gatherAsBefore(t testing.TB) *crowd {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := &crowd{library: l, began: time.Now(), stop: stop}
	db := l.sql(t)
	for i := range l.readers {
		c.done.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 17))
			for ctx.Err() == nil {
				act := []string{"borrow", "return"}[r.IntN(2)]
				a := c.lendAsBefore(db, i, storetest.Lending{Act: act, Book: l.books[r.IntN(len(l.books))], Reader: l.readers[i].id})
				c.mu.Lock()
				c.answers = append(c.answers, a)
				c.mu.Unlock()
				time.Sleep(time.Duration(5+r.IntN(10)) * time.Millisecond)
			}
		})
	}
	t.Cleanup(func() { stop(); c.done.Wait() })
	return c
}

// TestAMigrationKeepsOldCopiesWaitingForAMoment migrates a database in which
// programs of the version before lend all the time, and in which somebody's
// transaction is open for some seconds, so that the migration cannot have its
// locks at once. Nobody waits for it for long; then the new program goes on.
func TestAMigrationKeepsOldCopiesWaitingForAMoment(t *testing.T) {
	t.Parallel()
	l := openOlder(t, pgtest.Own(t).Database(t, "library"))
	old := l.gatherAsBefore(t)
	time.Sleep(pause)
	release := holdTransaction(t, l.sql(t), `SELECT FROM loans LIMIT 1`, `SELECT FROM books LIMIT 1`)
	time.AfterFunc(5*time.Second, release)
	began := time.Now()
	l.add(t, 1) // which migrates
	took := time.Since(began)
	time.Sleep(pause)
	before := old.end()
	before.figures(t, "old copies during a migration")
	t.Logf("the migration and the start took %v, 5 s of it behind somebody's transaction", took.Round(time.Millisecond))
	if slowest := before.slowest(); slowest > bound+slack {
		t.Errorf("a write of an old copy waited for %v", slowest)
	}
	before.verify(t)
	now := l.gather(t)
	time.Sleep(2 * pause)
	h := now.end()
	h.figures(t, "the new program after it")
	h.wantNoneFailed(t)
	for i := range h.answers { // one history: the times of both begin with the first
		h.answers[i].called += now.began.Sub(old.began)
	}
	history{l, slices.Concat(before.answers, h.answers)}.verify(t)
}

// TestAnOldCopyRestartsAfterAMigrationItCanLiveWith has a schema that is newer
// than the program.
func TestAnOldCopyRestartsAfterAMigrationItCanLiveWith(t *testing.T) {
	t.Parallel()
	l := open(t, pgtest.Own(t).Database(t, "library"), 1)
	db := l.sql(t)
	run := func(text string) {
		t.Helper()
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	run(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9000, true)`)
	l.add(t, 1)
	c := l.gather(t)
	time.Sleep(2 * pause)
	h := c.end()
	h.figures(t, "on a newer schema")
	h.verify(t)
	h.wantNoneFailed(t)
	run(`UPDATE compatibility SET down_to = 9000`)
	if code := l.launch(t, "--wait=0").awaitExit(t); code != 1 {
		t.Errorf("on a schema that it cannot live with: exit code %d", code)
	}
}
