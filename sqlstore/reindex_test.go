package sqlstore_test

import (
	"testing"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// Words that were made by older rules, which did not find any part of a Chinese title, are
// made again at the next start, once.
func TestWordsOfOlderRulesAreMadeAgainOnce(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			for id, title := range map[string]string{"b1": "红楼梦", "b2": "Emma", "b3": "Οδύσσεια"} {
				word := fulltext.Fold(title)
				sqlstore.Exec(t, store, addBookByHand(id))
				sqlstore.Exec(t, store, `UPDATE books SET title = $2, title_key = $2, authors = '["曹雪芹"]', search_words = $3, author_words = '曹雪芹'
					WHERE id = $1`, id, title, word+" 曹雪芹")
			}
			sqlstore.Exec(t, store, `UPDATE search_index SET version = 0`)
			sqlstore.Exec(t, store, `DELETE FROM changes WHERE kind = 'edited'`)
			for range 2 {
				testkit.NoError(t, testkit.Err(store.Migrate(t.Context())))
			}
			for question, want := range map[string]int{"楼梦": 1, "红楼梦": 1, "emma": 1, "οδυσ": 1, "雪芹": 3} {
				if n, err := store.CountBooks(t.Context(), library.BookQuery{Terms: library.ParseTerms(question)}); n != want || err != nil {
					t.Errorf("%q finds %d books and error %v, want %d", question, n, err, want)
				}
			}
			if n, err := store.CountBooks(t.Context(), library.BookQuery{Authors: library.ParseTerms("雪芹")}); n != 3 || err != nil {
				t.Errorf("the author has %d books and error %v, want 3", n, err)
			}
			const edits = `SELECT CAST(count(*) AS TEXT) FROM changes WHERE kind = 'edited'`
			if n := sqlstore.Look(t, store, edits); n != "3" {
				t.Errorf("%s books were written, want 3", n)
			}
		})
	}
}
