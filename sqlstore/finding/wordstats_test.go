package finding_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestWhatIsFoundDoesNotDependOnWhichWordsAreCommon asks the same questions with
// every opinion about which words are common.
func TestWhatIsFoundDoesNotDependOnWhichWordsAreCommon(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"sqlite":   "sqlite:" + filepath.Join(t.TempDir(), "library.db"),
		"postgres": pgtest.URL(t),
	} {
		t.Run(name, func(t *testing.T) {
			store := open(t, url)
			err := store.Tx(patient(t), func(tx library.Tx) error {
				for i := range 60 {
					b := library.Book{ID: library.NewID(), Version: "v", BookFields: library.BookFields{
						Title: fmt.Sprintf("The Book of %d Things", i), ISBN: "978-0-306-40615-7", Authors: []string{"Zoë Übel"}}}
					if i%3 == 0 {
						b.Title, b.ISBN = fmt.Sprintf("A Thing %d", i), ""
					}
					if err := tx.AddBook(patient(t), b); err != nil {
						return err
					}
				}
				return nil
			})
			testkit.NoError(t, err)
			lent := false
			for _, question := range []string{"the thing", "book the 1", "thi boo zoe", "0-306-40615-2 the", "the 7 nothing", "the book 17"} {
				for _, q := range []library.BookQuery{
					{Terms: library.ParseTerms(question)},
					{Terms: library.ParseTerms(question), Authors: library.ParseTerms("ube")},
					{Terms: library.ParseTerms(question), Borrowed: &lent},
				} {
					q.Order, q.Limit = library.ByTitle, 7
					var answers []string
					for _, common := range [][]string{{"-"}, {"the"}, {"the", "thing", "things"}, {"book", "thing", "zoe"}, {"0306406152", "the", "book", "thing"}} {
						store.PretendCommon(common...)
						answers = append(answers, found(t, store, q))
					}
					for _, a := range answers[1:] {
						if diff := cmp.Diff(answers[0], a); diff != "" {
							t.Errorf("%q: %s", question, diff)
						}
					}
				}
			}
		})
	}
}

func found(t *testing.T, store library.Store, q library.BookQuery) string {
	t.Helper()
	n, err := store.CountBooks(patient(t), q)
	testkit.NoError(t, err)
	books, err := store.BooksInBatch(patient(t), q, library.BookBatch{Total: n})
	testkit.NoError(t, err)
	out := fmt.Sprintln(n, "books")
	for _, b := range books {
		out += b.Title + "\n"
	}
	return out
}
