package booksearch

import (
	"context"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/sqlstore/engine"
)

// Exec runs a statement on the tables themselves.
func Exec(t testing.TB, c *Catalogue, text string, args ...any) {
	t.Helper()
	if _, err := c.db.Direct().ExecContext(context.Background(), text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func planOf(t testing.TB, c *Catalogue, text string, a engine.Arguments) string {
	t.Helper()
	return testkit.PlanOf(t, c.db.Direct().DB, c.dialect.Name, text, c.dialect.PlannedFor(a)...)
}

// Plan is the database's plan for the first part of a list.
func Plan(t testing.TB, c *Catalogue, q library.BookQuery) string {
	t.Helper()
	var a engine.Arguments
	part := partsOf(newQuery(q))[0]
	sel := selectBooks(c.dialect, &a, part)
	order := orderOfBooks(part.Order)
	if part.Order == library.ByRelevance {
		order.Columns = append([]string{classText(&a, part)}, order.Columns...)
	}
	tail := order.Page(&a, &sel, bookKey(part), part.Limit)
	return planOf(t, c, sel.Text(c.books.Columns, tail), a)
}

// Plans are the database's plans for whatever a search does beside its list.
func Plans(t testing.TB, c *Catalogue, q library.BookQuery) map[string]string {
	t.Helper()
	var facets engine.Arguments
	text := facetsText(c.dialect, &facets, newQuery(q), c.Limits.Faceted)
	plans := map[string]string{"facets": planOf(t, c, text, facets)}
	text, a := countBooks(c.dialect, newQuery(q), c.Limits.Counted+1)
	plans["count"] = planOf(t, c, text, a)
	text, a = suggestingText(c.dialect, q.Terms, c.Limits, false)
	plans["suggestions"] = planOf(t, c, text, a)
	return plans
}

// PlanOfTitles is how a database finds the titles that begin with what was typed.
func PlanOfTitles(t testing.TB, c *Catalogue, typed string) string {
	t.Helper()
	var a engine.Arguments
	return planOf(t, c, titlesText(&a, search.NewTyped(typed), c.Limits.Suggested), a)
}

// PlanOfAhead is how a database finds out where a walk ends.
func PlanOfAhead(t testing.TB, c *Catalogue, q library.BookQuery) string {
	t.Helper()
	var a engine.Arguments
	text := aheadText(&a, partsOf(newQuery(q))[0], 10)
	return planOf(t, c, text, a)
}
