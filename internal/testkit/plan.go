package testkit

import (
	"database/sql"
	"strings"
	"testing"
)

// PlanOf returns the database's plan for a statement, with a line for each step.
func PlanOf(t testing.TB, db *sql.DB, dialect, text string, args ...any) string {
	t.Helper()
	explain := `EXPLAIN QUERY PLAN `
	var id, parent, unused int
	var detail string
	dest := []any{&id, &parent, &unused, &detail}
	if dialect == "postgres" {
		explain, dest = `EXPLAIN `, dest[3:]
	}
	rows, err := db.Query(explain+text, args...)
	NoError(t, err)
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		NoError(t, rows.Scan(dest...))
		plan.WriteString(detail + "\n")
	}
	return plan.String()
}
