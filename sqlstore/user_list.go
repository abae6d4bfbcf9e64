package sqlstore

import (
	"context"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/sqlstore/engine"
)

var usersByName = engine.Ordering{Columns: []string{"last_name_key", "first_name_key", "last_name", "first_name", "id"}}

// Users returns up to q.Limit users after q.After, by name.
func (s *Store) Users(ctx context.Context, q library.UserQuery) ([]library.User, error) {
	var a engine.Arguments
	sel := selectUsers(s.dialect, &a, q)
	tail := usersByName.Page(&a, &sel, userKey(q.After), q.Limit)
	return engine.Collect(ctx, s.db, "list users", func(r engine.Row) (library.User, error) { return scanUser(r) },
		sel.Text(userColumns, tail), s.dialect.PlannedFor(a)...)
}

// userKey is a place in the order of users, nil for the beginning.
func userKey(c *library.Cursor) []any {
	if c == nil {
		return nil
	}
	return []any{fulltext.Fold(c.LastName), fulltext.Fold(c.FirstName), c.LastName, c.FirstName, c.ID}
}

// CountUsers counts the matching users, whatever q.Limit and q.After.
func (s *Store) CountUsers(ctx context.Context, q library.UserQuery) (int, error) {
	var a engine.Arguments
	sel := selectUsers(s.dialect, &a, q)
	return s.counts.Cached(ctx, sel.Text(`count(*)`, ""), a)
}

func selectUsers(d *engine.Dialect, a *engine.Arguments, q library.UserQuery) engine.Selection {
	sel := engine.Selection{From: `users`}
	if len(q.Terms) > 0 {
		sel.Where = append(sel.Where, `(seq IN (`+d.FindUsers(a, q.Terms)+`)`+cardConditions(a, q.Cards)+`)`)
	}
	sel.Where = append(sel.Where, narrowed(a, q)...)
	return sel
}

// narrowed returns the common conditions of users and readers.
func narrowed(a *engine.Arguments, q library.UserQuery) []string {
	where := inGroup(a, q.Group)
	if q.Category != "" {
		where = append(where, `category_key = `+a.Add(library.CategoryKey(q.Category)))
	}
	switch {
	case q.Active == nil:
		return where
	case *q.Active:
		return append(where, `active`)
	}
	return append(where, `NOT active`)
}

// inGroup returns the condition for a user in a group; "" is for all. The second one is
// the condition of the index.
func inGroup(a *engine.Arguments, group string) []string {
	if group == "" {
		return nil
	}
	return []string{`group_key = ` + a.Add(library.GroupKey(group)), `group_key <> ''`}
}

// cardConditions are for cards with one of these beginnings.
func cardConditions(a *engine.Arguments, starts []string) (or string) {
	for _, card := range starts {
		// DEL sorts after every character of a card.
		or += ` OR card >= ` + a.Add(card) + ` AND card < ` + a.Add(card+"\x7f")
	}
	return or
}
