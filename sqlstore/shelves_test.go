package sqlstore_test

import (
	"slices"
	"testing"

	"example.org/library/sqlstore"
)

// Triggers keep the shelves of a book, for every program that changes its copies.
func TestShelvesFollowTheCopies(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			for _, book := range []string{"shelved", "bare"} {
				sqlstore.Exec(t, store, addBookByHand(book))
			}
			const add = `INSERT INTO copies (id, book_id, shelf, state, created_at) VALUES ($1, 'shelved', $2, $3, 1)`
			for id, c := range map[string][2]string{"c1": {"zoo", "lendable"}, "c2": {"Ärzte", "lendable"}, "c3": {"zoo", "lendable"}, "c4": {"Office", "lost"}} {
				sqlstore.Exec(t, store, add, id, c[0], c[1])
			}
			events := `SELECT CAST(count(*) AS TEXT) FROM changes`
			before := sqlstore.Look(t, store, events)
			check := func(book string, want ...string) {
				t.Helper()
				b, err := store.Book(t.Context(), book, "")
				if err != nil || !slices.Equal(b.Shelves, want) {
					t.Errorf("%s has the shelves %q and error %v, want %q", book, b.Shelves, err, want)
				}
			}
			check("shelved", "Ärzte", "zoo")
			check("bare")
			sqlstore.Exec(t, store, `UPDATE copies SET state = 'lendable' WHERE id = 'c4'`)
			check("shelved", "Ärzte", "Office", "zoo")
			sqlstore.Exec(t, store, `UPDATE copies SET shelf = 'bath' WHERE id = 'c2'`)
			sqlstore.Exec(t, store, `DELETE FROM copies WHERE id = 'c4'`)
			sqlstore.Exec(t, store, add, "c5", "Attic", "lendable")
			check("shelved", "Attic", "bath", "zoo")
			if after := sqlstore.Look(t, store, events); after != before {
				t.Errorf("shelves alone made %s events of %s", after, before)
			}
		})
	}
}
