package storetest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/finding"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// randomWord has letters of several scripts, few of them, so that many words are near each other.
func randomWord(r *rand.Rand) string {
	letters := []rune("aabbcdé")
	if r.IntN(8) == 0 {
		letters = []rune("жьaß1")
	}
	word := make([]rune, 1+r.IntN(11))
	for i := range word {
		word[i] = letters[r.IntN(len(letters))]
	}
	return string(word)
}

// misspell takes some steps away from a word.
func misspell(r *rand.Rand, word string, steps int) string {
	letters := []rune(word)
	for range steps {
		i := r.IntN(len(letters))
		switch r.IntN(4) {
		case 0:
			letters = append(letters[:i:i], letters[i+1:]...)
		case 1:
			letters = append(letters[:i:i], append([]rune{'q'}, letters[i:]...)...)
		case 2:
			letters[i] = []rune("abьq")[r.IntN(4)]
		default:
			if i > 0 {
				letters[i-1], letters[i] = letters[i], letters[i-1]
			}
		}
		if len(letters) == 0 {
			return "a"
		}
	}
	return string(letters)
}

func correctionsMatchModel(t *testing.T, f fixture.Store) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	n, questions := 40, 60
	if testkit.Full() {
		n, questions = 300, 1000
	}
	random := func() library.BookFields {
		return library.BookFields{Title: randomWord(r) + " " + randomWord(r), Subjects: []string{randomWord(r)}, Description: randomWord(r)}
	}
	var books []library.Book
	for range n {
		books = append(books, fixture.NewBook(random()))
	}
	f.AddBooks(t, books...)
	for i := 0; i < n; i += 5 { // words come and go
		books[i].BookFields = random()
		f.InTx(t, func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, books[i]) })
	}
	f.InTx(t, func(tx library.Tx) error { return tx.DeleteBook(f.Ctx, books[n-1].ID) })
	books = books[:n-1]
	corrected := 0
	for range questions {
		words := make([]string, 1+r.IntN(2))
		for i := range words {
			parts := strings.Fields(books[r.IntN(len(books))].Title)
			words[i] = misspell(r, parts[r.IntN(2)], r.IntN(4))
		}
		question := strings.Join(words, " ")
		want := correct(books, question)
		if got := correctionOf(t, f, question); got != want {
			t.Fatalf("%q (seed %d) is corrected to %q, want %q", question, seed, got, want)
		}
		if want != "" {
			corrected++
		}
	}
	if corrected == 0 {
		t.Error("nothing was corrected")
	}
}

func correctionOf(t *testing.T, f fixture.Store, question string) string {
	t.Helper()
	q := library.BookQuery{Fuzzy: true}
	q.Ask(question)
	q, err := finding.New(f.Finding).Correct(f.Ctx, library.Actor{User: library.User{ID: fixture.NewUser("a@example.com").ID}}, q)
	fixture.WantError(t, err, nil)
	return q.Corrected
}

func correctionsFollowTheRules(t *testing.T, f fixture.Store) {
	f.AddBooks(t,
		fixture.NewBook(library.BookFields{Title: "Frankenstein", Authors: []string{"Mary Shelley"}}),
		fixture.NewBook(library.BookFields{Title: "Clean Code", Publisher: "Prentice Hall"}),
		fixture.NewBook(library.BookFields{Title: "Clear Code"}), fixture.NewBook(library.BookFields{Title: "Clear Sky"}),
		fixture.NewBook(library.BookFields{Title: "红楼梦", Series: "Ящерица", Description: "Bananas"}),
	)
	for question, want := range map[string]string{
		"frankenstien": "frankenstein", "Frankenstien": "frankenstein", "frankenstei": "", "fränkenstien, shelly": "frankenstein, shelley",
		"frankensten shel":  "frankenstein shel",
		"clexn":             "clean",      // one step from clean, two from clear
		"cleaz":             "clear",      // as near to both, but more books have it
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
