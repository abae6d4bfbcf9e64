package bench

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// postgresStatements lets callers borrow and return for a while.
func postgresStatements(t *testing.T, s *contender, database string, callers int) string {
	t.Helper()
	pairs := 0
	n, known := pgtest.Statements(t, database, func() { pairs, _ = counted(t, callers, *period, s.lender(t)) })
	if !known {
		return "an unknown number of statements: this PostgreSQL lacks pg_stat_statements"
	}
	return statementsText(float64(n) / float64(max(pairs, 1)))
}

func statementsText(n float64) string {
	return fmt.Sprintf("%.1f statements for each, with those of functions and triggers", n)
}

// traced is how many statements were run by SQLite's connections that were made while traceSQLite was on.
var traced atomic.Int64

// traceSQLite lets SQLite call back for each statement of each new connection, also for those of
// triggers, until it is ended. The driver has no function for it.
func traceSQLite() (end func()) {
	tls := libc.NewTLS()
	start := struct {
		f func(tls *libc.TLS, connection, message, api uintptr) int32
	}{func(tls *libc.TLS, connection, _, _ uintptr) int32 {
		callback := struct {
			f func(*libc.TLS, uint32, uintptr, uintptr, uintptr) int32
		}{countTraced}
		return sqlite3.Xsqlite3_trace_v2(tls, connection, sqlite3.SQLITE_TRACE_STMT, *(*uintptr)(unsafe.Pointer(&callback)), 0)
	}}
	pointer := *(*uintptr)(unsafe.Pointer(&start))
	sqlite3.Xsqlite3_auto_extension(tls, pointer)
	return func() {
		sqlite3.Xsqlite3_cancel_auto_extension(tls, pointer)
		tls.Close()
	}
}

func countTraced(*libc.TLS, uint32, uintptr, uintptr, uintptr) int32 {
	traced.Add(1)
	return 0
}

// sqliteStatements says how many statements SQLite runs for a loan and a return by one caller,
// and nothing for many. The service runs in this process, where they can be seen.
func sqliteStatements(t *testing.T, callers int) string {
	t.Helper()
	if callers > 1 {
		return ""
	}
	database := "sqlite:" + filepath.Join(t.TempDir(), "traced.db")
	addBooks(t, database, 1)
	defer traceSQLite()()
	store, err := sqlstore.Open(t.Context(), database)
	testkit.NoError(t, err)
	defer store.Close()
	idp := testidp.New(t)
	handler, token := newHandler(t, service.New(store), idp), idp.Token(t, reader, "library_user email profile")
	const pairs = 50
	do := func(what string) {
		r := httptest.NewRequest("POST", base+"/books/"+bookID(0)+what, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != 200 {
			t.Fatal(what, w.Code, w.Body)
		}
	}
	before := int64(0)
	for i := range pairs + 1 {
		if i == 1 { // what is done once is done
			before = traced.Load()
		}
		do("/borrow")
		do("/return")
	}
	return statementsText(float64(traced.Load()-before) / pairs)
}
