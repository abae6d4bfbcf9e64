package pgtest_test

import (
	"testing"

	"example.org/library/internal/pgtest"
)

func TestStatementsOfFunctionsAreCountedToo(t *testing.T) {
	address := pgtest.URL(t, pgtest.Durable())
	conn := connect(t, address)
	if _, err := conn.Exec(t.Context(), `CREATE FUNCTION twice() RETURNS void LANGUAGE plpgsql AS
		$$ BEGIN PERFORM count(*) FROM pg_class; PERFORM count(*) FROM pg_type; END $$`); err != nil {
		t.Fatal(err)
	}
	run := func() { query[any](t, conn, "SELECT twice()") }
	n, known := pgtest.Statements(t, address, run)
	if !known {
		t.Log("this PostgreSQL lacks pg_stat_statements")
		return
	}
	if n < 3 || n > 4 { // the driver may prepare the statement first
		t.Errorf("%d statements were counted, of which one has two inside", n)
	}
	if again, _ := pgtest.Statements(t, address, func() {}); again != 0 {
		t.Errorf("%d statements were counted while nothing was done", again)
	}
}
