package storetest

import (
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/storetest/fixture"
)

func correctionOf(t *testing.T, f fixture.Store, question string) string {
	t.Helper()
	q := library.BookQuery{Fuzzy: true}
	q.Ask(question)
	q, err := search.New(f.Search).Correct(f.Ctx, library.Actor{User: library.User{ID: fixture.NewUser("a@example.com").ID}}, q)
	fixture.WantError(t, err, nil)
	return q.Corrected
}

func correctionsFollowTheRules(t *testing.T, f fixture.Store) {
	f.AddBooks(t,
		fixture.NewBook(library.BookFields{Title: "Frankenstein", Authors: []string{"Mary Shelley"}}),
		fixture.NewBook(library.BookFields{Title: "Clean Code", Publisher: "Prentice Hall"}),
		fixture.NewBook(library.BookFields{Title: "Clear Code"}), fixture.NewBook(library.BookFields{Title: "Clear Sky"}),
		fixture.NewBook(library.BookFields{Title: "红楼梦", Series: "Ящерица", Description: "Bananas"}),
		fixture.NewBook(library.BookFields{Title: "Cloud", Subtitle: "Clout"}),
	)
	gone := f.AddBook(t, "Zeppelin")
	testkit.Equal(t, correctionOf(t, f, "zepelin"), "zeppelin")
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, gone.ID) })
	for question, want := range map[string]string{
		"frankenstien": "frankenstein", "Frankenstien": "frankenstein", "frankenstei": "", "fränkenstien, shelly": "frankenstein, shelley",
		"frankensten shel":  "frankenstein shel",
		"clexn":             "clean",      // one step from clean, two from clear
		"cleaz":             "clear",      // as near to both, but more books have it
		"clous":             "cloud",      // as near to both, which one book has: the alphabet
		"zepelin":           "",           // no book has the word any more
		"clea":              "",           // begins a word
		"clen code":         "clean code", // clear is two steps away
		"code frankenstein": "",           // all are words, in no book together
		"cde":               "", "zzzzzzzz": "", "frankenstien zzzz": "", "frankenstien zz": "frankenstein zz",
		"prentise": "prentice", "прентис": "", "ящериса": "ящерица", "红楼猫": "", "frankenstien红楼": "frankenstein红楼", "clexn红楼梦": "clean红楼梦", "bananax": "bananas", "": "", "&": "",
		"fronkinsteen": "", // three steps
	} {
		if got := correctionOf(t, f, question); got != want {
			t.Errorf("%q is corrected to %q, want %q", question, got, want)
		}
	}
}
